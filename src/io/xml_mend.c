// The text is copied mark by mark: comments, declarations, tags with their attributes, and what is
// between them. What a strict parser would stop at is written as it is meant. A text that ends
// within a mark is not mended: the parser says best where it went wrong.
#include "io/xml_mend.h"

#include "base/error.h"
#include "base/plain.h"
#include <string.h>

typedef enum mistake {
    DECLARATION,
    ENCODING,
    BYTES,
    COMMENT,
    AMPERSAND,
    LESS_THAN,
    QUOTES,
    SPACE,
    REST,
    MISTAKES
} mistake;

static const char *const messages[MISTAKES] = {
    [DECLARATION] = "the XML declaration (<?xml ...?>) is misplaced or incomplete; it is ignored",
    [ENCODING] = "the encoding of this file is not known; letters beyond ASCII may look different",
    [BYTES] = "there are letters that are not UTF-8; they are taken as Latin-1",
    [COMMENT] = "a comment contains '--', which XML forbids",
    [AMPERSAND] = "a '&' should be written '&amp;'",
    [LESS_THAN] = "a '<' in an attribute should be written '&lt;'",
    [QUOTES] = "the value of an attribute has no quotes",
    [SPACE] = "there is no space between two attributes",
    [REST] = "what follows the end tag of the first element is ignored",
};

enum { LONG_COMMENT = ARNE_READ_MAX_TAG / 4 };

typedef struct mender {
    const char *at, *end;
    buffer     *out;
    int         line, depth;
    int         found[MISTAKES]; // the line of the first; 0: there is none
    int         changed;         // without a mistake, for the parser's sake
} mender;

static void note(mender *m, mistake what)
{
    if (!m->found[what]) m->found[what] = m->line;
}

static int starts(const mender *m, const char *with)
{
    const size_t size = strlen(with);
    return (size_t)(m->end - m->at) >= size && memcmp(m->at, with, size) == 0;
}

// The place behind the next `mark`, or NULL.
static const char *find_end(const mender *m, size_t skip, const char *mark)
{
    const size_t size = strlen(mark);
    if ((size_t)(m->end - m->at) < skip) return NULL;
    for (const char *p = m->at + skip; (size_t)(m->end - p) >= size; p++) {
        p = memchr(p, mark[0], (size_t)(m->end - p) - size + 1);
        if (!p) return NULL;
        if (memcmp(p, mark, size) == 0) return p + size;
    }
    return NULL;
}

// How many bytes the character at p has, 0 where it is no UTF-8.
static int character(const unsigned char *p, const char *end)
{
    const int length = p[0] < 0x80   ? 1
                       : p[0] < 0xc2 ? 0
                       : p[0] < 0xe0 ? 2
                       : p[0] < 0xf0 ? 3
                       : p[0] < 0xf5 ? 4
                                     : 0;
    if (length > end - (const char *)p) return 0;
    for (int i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    const int bad = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                    (p[0] == 0xef && p[1] == 0xbf && p[2] > 0xbd) ||
                    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f);
    return bad ? 0 : length;
}

static void take(mender *m)
{
    const unsigned char *p = (const unsigned char *)m->at;
    const int            length = character(p, m->end);
    if (*p == '\n') m->line++;
    if (length) {
        put_bytes(m->out, m->at, (size_t)length);
    } else {
        const char latin[2] = {(char)(0xc0 | p[0] >> 6), (char)(0x80 | (p[0] & 0x3f))};
        note(m, BYTES);
        put_bytes(m->out, latin, 2);
    }
    m->at += length ? length : 1;
}

static void take_to(mender *m, const char *to)
{
    while (m->at < to)
        take(m);
}

// Only its lines stay.
static void leave_out(mender *m, const char *to)
{
    for (; m->at < to; m->at++) {
        if (*m->at == '\n') m->line++;
        put_bytes(m->out, *m->at == '\n' ? "\n" : " ", 1);
    }
}

static int take_comment(mender *m)
{
    const char *end = find_end(m, 4, "-->");
    if (!end) return 0;
    const mender inside = {.at = m->at + 4, .end = end - 2};
    const int    bad = find_end(&inside, 0, "--") != NULL;
    if (bad) note(m, COMMENT);
    m->changed |= end - m->at > LONG_COMMENT;
    if (bad || end - m->at > LONG_COMMENT)
        leave_out(m, end);
    else
        take_to(m, end);
    return 1;
}

// The value of a pseudo-attribute in quotes, or NULL.
static const char *find_value(const char *from, const char *to, const char *name, size_t *size)
{
    const mender inside = {.at = from, .end = to};
    const char  *p = find_end(&inside, 0, name);
    while (p && p < to && (plain_is_space(*p) || *p == '='))
        p++;
    if (!p || p == to || (*p != '"' && *p != '\'')) return NULL;
    const char *end = memchr(p + 1, *p, (size_t)(to - p) - 1);
    *size = end ? (size_t)(end - p) - 1 : 0;
    return end ? p + 1 : NULL;
}

static int same_word(const char *a, size_t size, const char *b)
{
    size_t i = 0;
    while (i < size && b[i] && plain_lower(a[i]) == b[i])
        i++;
    return i == size && !b[i];
}

// Those that the parser knows, and "utf8", which is always meant as UTF-8.
static int known_encoding(const char *name, size_t size, int *is_utf8)
{
    static const char *const words[] = {"utf-8",  "us-ascii", "iso-8859-1",
                                        "utf-16", "utf-16le", "utf-16be"};
    *is_utf8 = same_word(name, size, "utf8");
    int known = *is_utf8;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        known |= same_word(name, size, words[i]);
    return known;
}

static int take_instruction(mender *m, int is_first)
{
    const char *end = find_end(m, 2, "?>");
    size_t      size = 0;
    int         is_utf8 = 0;
    if (!end) return 0;
    if (!starts(m, "<?xml") || (!plain_is_space(m->at[5]) && m->at[5] != '?')) {
        take_to(m, end);
        return 1;
    }
    const char *encoding = find_value(m->at, end, "encoding", &size);
    const int   known = !encoding || known_encoding(encoding, size, &is_utf8);
    const char *version = find_value(m->at, end, "version", &size);
    if (!known) note(m, ENCODING);
    if (!is_first || !version) note(m, DECLARATION);
    m->changed |= is_utf8;
    if (!known || is_utf8 || !is_first || !version) {
        leave_out(m, end);
    } else {
        take_to(m, end);
    }
    return 1;
}

// A document type, with what it declares between brackets.
static int take_type(mender *m)
{
    const char *bracket = find_end(m, 0, "["), *end = find_end(m, 0, ">");
    if (bracket && end && bracket < end) end = find_end(m, 0, "]>");
    if (end) take_to(m, end);
    return end != NULL;
}

static int is_reference(const mender *m)
{
    const char *p = m->at + 1;
    while (p < m->end && (plain_is_name(*p) || *p == '#' || *p == '_'))
        p++;
    return p < m->end && *p == ';' && p > m->at + 1;
}

static void take_text(mender *m)
{
    if (*m->at == '&' && !is_reference(m)) {
        note(m, AMPERSAND);
        put_bytes(m->out, "&amp;", 5);
        m->at++;
    } else {
        take(m);
    }
}

static void take_spaces(mender *m)
{
    while (m->at < m->end && plain_is_space(*m->at))
        take(m);
}

// A value over several lines that contains a tag is one whose end was forgotten.
static int is_forgotten(const mender *m)
{
    const char *end = memchr(m->at + 1, *m->at, (size_t)(m->end - m->at) - 1);
    return !end || (memchr(m->at, '<', (size_t)(end - m->at)) &&
                    memchr(m->at, '\n', (size_t)(end - m->at)));
}

static int take_quoted(mender *m)
{
    const char quote = *m->at;
    if (is_forgotten(m)) return 0;
    take(m);
    while (m->at < m->end && *m->at != quote) {
        if (*m->at == '<') {
            note(m, LESS_THAN);
            put_bytes(m->out, "&lt;", 4);
            m->at++;
        } else {
            take_text(m);
        }
    }
    take(m);
    if (m->at < m->end && !plain_is_space(*m->at) && !strchr("/>?", *m->at)) {
        note(m, SPACE);
        put_bytes(m->out, " ", 1);
    }
    return 1;
}

static int ends_tag(const mender *m) { return *m->at == '>' || starts(m, "/>"); }

static void take_bare(mender *m)
{
    note(m, QUOTES);
    put_bytes(m->out, "\"", 1);
    while (m->at < m->end && !plain_is_space(*m->at) && !ends_tag(m))
        take_text(m);
    put_bytes(m->out, "\"", 1);
}

static int take_attribute(mender *m)
{
    const char *start = m->at;
    while (m->at < m->end && !plain_is_space(*m->at) && *m->at != '=' && !ends_tag(m))
        take(m);
    take_spaces(m);
    if (m->at == m->end || m->at == start) return 0;
    if (*m->at != '=') return 1;
    take(m);
    take_spaces(m);
    if (m->at == m->end || ends_tag(m)) return 0;
    if (*m->at == '"' || *m->at == '\'') return take_quoted(m);
    take_bare(m);
    return 1;
}

// What may follow the root: nothing that counts.
static void end_root(mender *m)
{
    int fine = 1;
    while (fine && m->at < m->end) {
        take_spaces(m);
        const char *end = starts(m, "<?") ? find_end(m, 2, "?>") : NULL;
        if (end)
            leave_out(m, end);
        else
            fine = starts(m, "<!--") && take_comment(m);
    }
    if (m->at < m->end) note(m, REST);
    m->at = m->end;
}

static int take_tag(mender *m)
{
    const int closes = starts(m, "</");
    take_to(m, m->at + 1 + closes);
    while (m->at < m->end && !plain_is_space(*m->at) && !ends_tag(m))
        take(m);
    take_spaces(m);
    while (m->at < m->end && !ends_tag(m)) {
        if (!take_attribute(m)) return 0;
        take_spaces(m);
    }
    if (m->at == m->end) return 0;
    m->depth += closes ? -1 : *m->at == '>';
    take_to(m, m->at + (*m->at == '>' ? 1 : 2));
    if (m->depth == 0) end_root(m);
    return m->depth >= 0;
}

static int take_cdata(mender *m)
{
    const char *end = find_end(m, 9, "]]>");
    if (end) take_to(m, end);
    return end != NULL;
}

// Returns 0 where the text ends within a mark, or before its tags do.
static int copy(mender *m)
{
    const char *first = m->at;
    int         fine = 1;
    while (fine && m->at < m->end) {
        if (starts(m, "<!--"))
            fine = take_comment(m);
        else if (starts(m, "<![CDATA["))
            fine = take_cdata(m);
        else if (starts(m, "<!"))
            fine = take_type(m);
        else if (starts(m, "<?"))
            fine = take_instruction(m, m->at == first);
        else if (*m->at == '<')
            fine = take_tag(m);
        else
            take_text(m);
    }
    return fine && m->depth == 0;
}

// The parser knows UTF-16 by its first bytes. Latin-1 and the like it knows by name: their letters
// are no mistake.
static int is_mendable(const char *text, size_t size)
{
    const unsigned char *p = (const unsigned char *)text;
    const mender         head = {.at = text, .end = text + (size < 200 ? size : 200)};
    const char          *end = starts(&head, "<?xml") ? find_end(&head, 0, "?>") : NULL;
    size_t               length = 0;
    const char          *encoding = end ? find_value(text, end, "encoding", &length) : NULL;
    if (size < 4 || p[0] == 0xfe || p[0] == 0xff || !p[0] || !p[1]) return 0;
    return !encoding ||
           (!same_word(encoding, length, "iso-8859-1") && !same_word(encoding, length, "utf-16"));
}

arne_status arne_xml_mend(reader *r, const char *text, size_t size, buffer *out)
{
    mender      m = {.at = text, .end = text + size, .out = out, .line = 1};
    arne_status status = ARNE_OK;
    if (!is_mendable(text, size)) return ARNE_OK;
    if (starts(&m, "\xef\xbb\xbf")) m.at += 3;
    const int fine = copy(&m);
    int       any = m.changed;
    for (int i = 0; i < MISTAKES; i++)
        any |= m.found[i] != 0;
    if (out->failed) status = arne_fail_memory(r->error);
    if (status || !fine || !any) {
        buffer_free(out);
        *out = (buffer){0};
        return status;
    }
    for (int i = 0; i < MISTAKES && !status; i++)
        if (m.found[i]) status = arne_reader_warn(r, "xml", m.found[i], "%s", messages[i]);
    return status;
}
