#include "io/xml.h"
#include "base/error.h"
#include "base/plain.h"
#include "io/number.h"
#include "io/xml_mend.h"
#include "io/xml_tree.h"
#include <arne/io.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef ARNE_HAVE_EXPAT
#include <expat.h>
#endif

static const char space[] = " \t\r\n";

// ---- what handlers use

arne_status arne_xml_fail(xml *x, arne_status code, const char *format, ...)
{
    char    text[sizeof x->reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    plain_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return arne_reader_fail(x->reader, code, x->line, "%s%s%s", x->owner, *x->owner ? ": " : "",
                            text);
}

static const xml_element *find_element(const xml *x, const char *inside, const char *tag)
{
    for (int i = 0; i < x->grammar->count; i++) {
        const xml_element *e = &x->grammar->elements[i];
        if (strcmp(e->inside, inside) == 0 && strcmp(e->tag, tag) == 0) return e;
    }
    return NULL;
}

static unsigned char *seen_at(const xml *x, int depth, const xml_element *element)
{
    return &x->seen[(size_t)depth * (size_t)x->grammar->count +
                    (size_t)(element - x->grammar->elements)];
}

int arne_xml_contains(const xml *x, const char *tag)
{
    const xml_element *element = find_element(x, x->level[x->depth].element->tag, tag);
    return element && *seen_at(x, x->depth, element);
}

int arne_xml_is_read(const xml *x)
{
    const xml_element *around = x->level[x->depth - 1].element;
    const xml_element *element = find_element(x, around ? around->tag : "", x->tag);
    return !x->passing && element && element->attributes;
}

const char *arne_xml_attribute(const xml *x, const char *name)
{
    for (const char **a = x->attributes; *a; a += 2)
        if (strcmp(a[0], name) == 0) return a[1];
    return NULL;
}

arne_status arne_xml_text(xml *x, const char *name, const char **out)
{
    *out = arne_xml_attribute(x, name);
    if (!*out) return arne_xml_fail(x, ARNE_VALUE, "<%s> needs the attribute '%s'", x->tag, name);
    if (!**out)
        return arne_xml_fail(x, ARNE_VALUE, "the attribute '%s' of <%s> is empty", name, x->tag);
    return ARNE_OK;
}

static int count_words(const char *p)
{
    int count = 0;
    for (p += strspn(p, space); *p; p += strspn(p, space)) {
        p += strcspn(p, space);
        count++;
    }
    return count;
}

// How much of a word to show in a message.
static int word_size(const char *p)
{
    const size_t size = strcspn(p, space);
    return size < 40 ? (int)size : 40;
}

arne_status arne_xml_numbers(xml *x, const char *name, int count, double *out)
{
    const char *p = arne_xml_attribute(x, name);
    if (!p) return ARNE_OK;
    const int has = count_words(p);
    if (has != count)
        return arne_xml_fail(x, ARNE_VALUE, "%s of <%s> needs %d number%s, has %d", name, x->tag,
                             count, count == 1 ? "" : "s", has);
    for (int i = 0; i < count; i++) {
        const char *why = "";
        p += strspn(p, space);
        const arne_status status = arne_number_decimal(&p, &out[i], &why);
        if (status == ARNE_NO_MEMORY) return arne_fail_memory(x->reader->error);
        if (status)
            return arne_xml_fail(x, status, "%s of <%s>: '%.*s' %s", name, x->tag, word_size(p), p,
                                 why);
    }
    return ARNE_OK;
}

arne_status arne_xml_required_numbers(xml *x, const char *name, int count, double *out)
{
    if (!arne_xml_attribute(x, name))
        return arne_xml_fail(x, ARNE_VALUE, "<%s> needs the attribute '%s'", x->tag, name);
    return arne_xml_numbers(x, name, count, out);
}

#ifdef ARNE_HAVE_EXPAT

// ---- one tag after another

static int is_known_attribute(const xml_element *element, const char *name)
{
    if (strncmp(name, "xmlns", 5) == 0 && (name[5] == 0 || name[5] == ':')) return 1;
    const size_t n = strlen(name);
    for (const char *p = strstr(element->attributes, name); p; p = strstr(p + 1, name))
        if (p > element->attributes && p[-1] == ' ' && p[n] == ' ') return 1;
    return 0;
}

static arne_status xml_check_attributes(xml *x, const xml_element *element)
{
    arne_status status = ARNE_OK;
    if (x->quiet || x->passing) return ARNE_OK;
    for (const char **a = x->attributes; *a && !status; a += 2)
        if (!is_known_attribute(element, a[0]))
            status = arne_reader_unknown(x->reader, x->line, 0,
                                         "%s%sunknown attribute '%s' of <%s> is ignored", x->owner,
                                         *x->owner ? ": " : "", a[0], x->tag);
    return status;
}

static const char *tag_of(const struct xml_level *level)
{
    return level->element ? level->element->tag : "";
}

// The candidates for an unknown tag: those of the element around it. "" is near to nothing.
static const char *known_tag(const void *walker, int index)
{
    const xml         *x = walker;
    const xml_element *e = &x->grammar->elements[index];
    return strcmp(e->inside, tag_of(&x->level[x->depth - 1])) == 0 ? e->tag : "";
}

// A tag that belongs one level further out: an end tag is missing before it.
static int belongs_outside(const xml *x)
{
    return x->depth > 2 && find_element(x, tag_of(&x->level[x->depth - 2]), x->tag) != NULL;
}

static arne_status pass_over_unknown(xml *x)
{
    struct xml_level *around = &x->level[x->depth - 1];
    char              near[200];
    const int         again = around->has_unknown && belongs_outside(x);
    x->passing = x->depth;
    around->has_unknown = 1;
    if (again || x->quiet) return ARNE_OK; // one message about the end tag is enough
    if (belongs_outside(x))
        return arne_reader_unknown(x->reader, x->line, 0,
                                   "%s%s<%s> stands within the <%s> of line %d and is ignored: is "
                                   "</%s> missing before this line?",
                                   x->owner, *x->owner ? ": " : "", x->tag, tag_of(around),
                                   around->line, tag_of(around));
    arne_near_matches(x->tag, known_tag, x, x->grammar->count, near, sizeof near);
    return arne_reader_unknown(x->reader, x->line, 0, "%s%sunknown tag <%s> is ignored%s", x->owner,
                               *x->owner ? ": " : "", x->tag, near);
}

static arne_status open_known(xml *x, const xml_element *element)
{
    unsigned char *seen = seen_at(x, x->depth - 1, element);
    const int      again = element->once && *seen;
    *seen = 1;
    x->level[x->depth].element = element;
    if (again) {
        x->passing = x->depth;
        if (x->quiet) return ARNE_OK;
        return arne_reader_warn(x->reader, "twice", x->line,
                                "%s%sthere are two <%s>; the first one counts", x->owner,
                                *x->owner ? ": " : "", x->tag);
    }
    if (!element->attributes) {
        x->passing = x->depth;
        return ARNE_OK;
    }
    const arne_status status = element->open ? element->open(x) : ARNE_OK;
    return status_goes_on(status) ? status_both(status, xml_check_attributes(x, element)) : status;
}

static arne_status check_attribute_count(xml *x)
{
    int count = 0;
    while (count <= ARNE_READ_MAX_ATTRIBUTES && x->attributes[2 * count])
        count++;
    if (count <= ARNE_READ_MAX_ATTRIBUTES) return ARNE_OK;
    return arne_xml_fail(x, ARNE_TOO_LARGE, "a tag has more than %d attributes",
                         ARNE_READ_MAX_ATTRIBUTES);
}

// What holds for every sink.
static arne_status begin_tag(xml *x)
{
    if (++x->count > ARNE_READ_MAX_NODES)
        return arne_xml_fail(x, ARNE_TOO_LARGE, "there are more than %d tags", ARNE_READ_MAX_NODES);
    if (++x->depth > ARNE_READ_MAX_DEPTH)
        return arne_xml_fail(x, ARNE_TOO_LARGE, "tags are nested deeper than %d",
                             ARNE_READ_MAX_DEPTH);
    struct xml_level *level = &x->level[x->depth];
    *level = (struct xml_level){.line = x->line};
    snprintf(level->tag, sizeof level->tag, "%s", x->tag);
    const arne_status status = check_attribute_count(x);
    return status ? status : x->sink->open(x);
}

static arne_status walk_open(xml *x)
{
    const size_t      count = (size_t)x->grammar->count;
    const arne_status status = x->grammar->inspect(x);
    memset(x->seen + (size_t)x->depth * count, 0, count);
    if (status || x->passing) return status;
    const xml_element *around = x->level[x->depth - 1].element;
    const xml_element *element = find_element(x, around ? around->tag : "", x->tag);
    return element ? open_known(x, element) : pass_over_unknown(x);
}

static arne_status walk_close(xml *x)
{
    const int passed = x->passing;
    if (passed == x->depth) x->passing = 0;
    if (x->quiet == x->depth) x->quiet = 0;
    const struct xml_level *level = &x->level[x->depth];
    arne_status             status = ARNE_OK;
    if (!passed && level->element->close) {
        x->line = level->line;
        status = level->element->close(x);
    }
    return status;
}

static arne_status walk_text(xml *x, const char *text, int size)
{
    struct xml_level *level = &x->level[x->depth];
    if (x->passing || x->quiet || level->has_text) return ARNE_OK;
    int i = 0;
    while (i < size && memchr(space, text[i], sizeof space))
        i++;
    if (i == size) return ARNE_OK;
    level->has_text = 1;
    return arne_reader_unknown(x->reader, x->line, 0, "%s%stext in <%s> is ignored", x->owner,
                               *x->owner ? ": " : "", level->element->tag);
}

// ---- expat. Its callbacks cannot fail: the first failure is kept, and reading goes on, unless
// there is no point in that: then the parser is stopped, and some callbacks still come.

static int current_line(const xml *x)
{
    const XML_Size line = XML_GetCurrentLineNumber(x->parser);
    return line > INT_MAX ? INT_MAX : (int)line;
}

static void note_place(xml *x)
{
    const XML_Size column = XML_GetCurrentColumnNumber(x->parser);
    x->line = current_line(x);
    x->column = column < INT_MAX ? (int)column + 1 : INT_MAX;
}

static void finish_callback(xml *x, arne_status status)
{
    if (!status) return;
    x->status = status_both(x->status, status);
    if (status_goes_on(status) && status != ARNE_UNSUPPORTED) return;
    x->status = status;
    x->stopped = 1;
    if (x->parser) XML_StopParser(x->parser, XML_FALSE);
}

static void XMLCALL on_open(void *data, const XML_Char *tag, const XML_Char **attributes)
{
    xml *x = data;
    if (x->stopped) return;
    x->tag = tag;
    x->attributes = attributes;
    note_place(x);
    finish_callback(x, begin_tag(x));
}

static void XMLCALL on_close(void *data, const XML_Char *tag)
{
    xml *x = data;
    if (x->stopped) return;
    x->tag = tag;
    note_place(x);
    finish_callback(x, x->sink->close(x));
    x->depth--;
}

static void XMLCALL on_text(void *data, const XML_Char *text, int size)
{
    xml *x = data;
    if (x->stopped) return;
    note_place(x);
    finish_callback(x, x->sink->text(x, text, size));
}

// A document type is harmless: what it names is never fetched. Entities are not expanded, so none
// may be declared.
static void XMLCALL on_entity(void *data, const XML_Char *name, int is_parameter,
                              const XML_Char *value, int length, const XML_Char *base,
                              const XML_Char *system, const XML_Char *public,
                              const XML_Char *notation)
{
    (void)name, (void)is_parameter, (void)value, (void)length, (void)base;
    (void)system, (void)public, (void)notation;
    xml *x = data;
    if (x->stopped) return;
    x->line = current_line(x);
    finish_callback(x, arne_xml_fail(x, ARNE_UNSUPPORTED,
                                     "entities (<!ENTITY>) are not accepted, as they could expand "
                                     "without end; write out what they stand for"));
}

// The parser passes over references to what a document type that it did not fetch may declare.
static int refers_to_entities(const char *text, size_t size)
{
    static const char *const known[] = {"#", "amp;", "lt;", "gt;", "quot;", "apos;"};
    for (const char *at = text, *end = text + size;
         (at = memchr(at, '&', (size_t)(end - at))) != NULL;) {
        int fine = 0;
        at++;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            const size_t length = strlen(known[i]);
            fine |= (size_t)(end - at) >= length && memcmp(at, known[i], length) == 0;
        }
        if (!fine) return 1;
    }
    return 0;
}

static void XMLCALL on_document_type(void *data, const XML_Char *name, const XML_Char *system,
                                     const XML_Char *public, int internal)
{
    (void)name, (void)public, (void)internal;
    xml *x = data;
    if (x->stopped || !system || !refers_to_entities(x->text, x->size)) return;
    x->line = current_line(x);
    finish_callback(x, arne_xml_fail(x, ARNE_UNSUPPORTED,
                                     "entities of a document type (<!DOCTYPE>) elsewhere are not "
                                     "accepted; write out what they stand for"));
}

// Where expat's own words would puzzle.
static const char *reason(const xml *x, enum XML_Error code)
{
    if (code == XML_ERROR_INVALID_TOKEN) return "there is a character that cannot stand here";
    if (code != XML_ERROR_NO_ELEMENTS) return XML_ErrorString(code);
    return x->count ? "the file ends before its tags are closed" : "the file is empty";
}

static arne_status xml_parse_failure(const xml *x)
{
    const enum XML_Error code = XML_GetErrorCode(x->parser);
    if (x->stopped) return x->status;
    if (code == XML_ERROR_NO_MEMORY) return arne_fail_memory(x->reader->error);
    if (x->depth == 0 && x->count > 0) {
        const arne_status status = arne_reader_warn(
            x->reader, "xml", current_line(x), "what follows the end tag of the root is ignored");
        return status ? status : x->status;
    }
    const struct xml_level *open = &x->level[x->depth];
    char                    unclosed[120] = "";
    if ((code == XML_ERROR_TAG_MISMATCH || code == XML_ERROR_NO_ELEMENTS) && x->depth > 0)
        snprintf(unclosed, sizeof unclosed, "; <%s> of line %d has no end tag", open->tag,
                 open->line);
    return arne_reader_fail_at(x->reader, ARNE_SYNTAX, current_line(x),
                               (int)XML_GetCurrentColumnNumber(x->parser) + 1,
                               "this is not well-formed XML: %s%s", reason(x, code), unclosed);
}

// In pieces, because expat takes a tag as a whole, and its time with it: a file that is one endless
// tag is refused before its end.
static arne_status parse_pieces(xml *x, const char *text, size_t size)
{
    const size_t piece = ARNE_READ_MAX_TAG / 4;
    for (size_t at = 0;;) {
        const size_t step = size - at < piece ? size - at : piece;
        if (XML_Parse(x->parser, text + at, (int)step, at + step == size) != XML_STATUS_OK)
            return xml_parse_failure(x);
        at += step;
        if (at == size) return x->status;
        x->line = current_line(x);
        if ((long long)at - XML_GetCurrentByteIndex(x->parser) > ARNE_READ_MAX_TAG)
            return arne_xml_fail(x, ARNE_TOO_LARGE, "a tag or comment is longer than %d KiB",
                                 ARNE_READ_MAX_TAG >> 10);
    }
}

static arne_status xml_parse(xml *x, const char *text, size_t size)
{
    XML_SetUserData(x->parser, x);
    XML_SetElementHandler(x->parser, on_open, on_close);
    XML_SetCharacterDataHandler(x->parser, on_text);
    XML_SetStartDoctypeDeclHandler(x->parser, on_document_type);
    XML_SetEntityDeclHandler(x->parser, on_entity);
    x->text = text;
    x->size = size;
    return parse_pieces(x, text, size);
}

static arne_status xml_run(xml *x, const char *text, size_t size)
{
    const XML_Memory_Handling_Suite memory = {malloc, realloc, free};
    buffer                          mended = {0};
    x->parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    arne_status status = x->parser ? arne_xml_mend(x->reader, text, size, &mended)
                                   : arne_fail_memory(x->reader->error);
    if (!status)
        status = xml_parse(x, mended.text ? mended.text : text, mended.text ? mended.size : size);
    buffer_free(&mended);
    if (x->parser) XML_ParserFree(x->parser);
    return status;
}

arne_status arne_xml_parse(reader *r, const xml_sink *sink, void *context, const char *text,
                           size_t size)
{
    xml *x = calloc(1, sizeof *x); // its levels are too many for the stack of a small thread
    if (!x) return arne_fail_memory(r->error);
    x->reader = r;
    x->sink = sink;
    x->context = context;
    const arne_status status = xml_run(x, text, size);
    free(x);
    return status;
}

// A node of a tree goes the way of a tag of a text.
static void walk_node(xml *x, const xml_node *node)
{
    const int count = node->attribute_count < ARNE_READ_MAX_ATTRIBUTES + 1
                          ? node->attribute_count
                          : ARNE_READ_MAX_ATTRIBUTES + 1;
    for (int i = 0; i < count; i++) {
        x->attributes[2 * i] = node->attributes[i].name;
        x->attributes[2 * i + 1] = node->attributes[i].value;
    }
    x->attributes[2 * count] = NULL;
    x->tag = node->tag;
    x->line = node->line;
    x->column = node->column;
    x->reader->file = node->file;
    finish_callback(x, begin_tag(x));
    for (const xml_node *c = node->first; c && !x->stopped; c = c->next)
        if (*c->tag)
            walk_node(x, c);
        else
            finish_callback(x, x->sink->text(x, c->text, (int)strlen(c->text)));
    if (x->stopped) return;
    x->tag = node->tag;
    x->line = node->line;
    x->reader->file = node->file;
    finish_callback(x, x->sink->close(x));
    x->depth--;
}

static arne_status run_tree(xml *x, const xml_node *root)
{
    const char *file = x->reader->file;
    x->attributes = calloc(2 * (size_t)ARNE_READ_MAX_ATTRIBUTES + 3, sizeof *x->attributes);
    if (!x->attributes) return ARNE_NO_MEMORY;
    const char **attributes = x->attributes;
    walk_node(x, root);
    free(attributes);
    x->reader->file = file;
    return x->status;
}

// Of a text, or of a tree where there is one.
static arne_status xml_walk(reader *r, const xml_grammar *grammar, void *context, const char *text,
                            size_t size, const xml_node *root)
{
    static const xml_sink sink = {walk_open, walk_close, walk_text};
    xml                  *x = calloc(1, sizeof *x);
    arne_status           status = ARNE_NO_MEMORY;
    if (x) x->seen = calloc((size_t)grammar->count, ARNE_READ_MAX_DEPTH + 2);
    if (x && x->seen) {
        x->reader = r;
        x->sink = &sink;
        x->grammar = grammar;
        x->context = context;
        status = root ? run_tree(x, root) : xml_run(x, text, size);
    }
    if (x) free(x->seen);
    free(x);
    return status == ARNE_NO_MEMORY ? arne_fail_memory(r->error) : status;
}

arne_status arne_xml_walk(reader *r, const xml_grammar *grammar, void *context, const char *text,
                          size_t size)
{
    return xml_walk(r, grammar, context, text, size, NULL);
}

arne_status arne_xml_walk_tree(reader *r, const xml_grammar *grammar, void *context,
                               const xml_node *root)
{
    return xml_walk(r, grammar, context, NULL, 0, root);
}

#else

arne_status arne_xml_parse(reader *r, const xml_sink *sink, void *context, const char *text,
                           size_t size)
{
    (void)sink, (void)context, (void)text, (void)size;
    return arne_reader_fail(r, ARNE_UNSUPPORTED, 0, "XML: this Arne was built without expat");
}

arne_status arne_xml_walk(reader *r, const xml_grammar *grammar, void *context, const char *text,
                          size_t size)
{
    (void)grammar;
    return arne_xml_parse(r, NULL, context, text, size);
}

arne_status arne_xml_walk_tree(reader *r, const xml_grammar *grammar, void *context,
                               const xml_node *root)
{
    (void)root;
    return arne_xml_walk(r, grammar, context, NULL, 0);
}

#endif
