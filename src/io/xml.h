// XML by a table: which tags may stand where, which attributes they have, and who takes them.
//
// The walker knows nothing about robots. It keeps the limits, refuses entities, finds tags that are
// unknown or come twice, and gives everything else to the handlers of the table. Formats that must
// see a file as a whole use a tree instead: xml_tree.h.
#ifndef ARNE_IO_XML_H
#define ARNE_IO_XML_H

#include "io/reader.h"

typedef struct xml xml;
typedef arne_status (*xml_handler)(xml *x);

typedef struct xml_element {
    const char *inside; // the tag around it; "" for the root
    const char *tag;
    const char
        *attributes;  // " name value ", spaces at both ends; NULL: passed over with all it contains
    int  once;        // a second one in the same place is passed over, with a warning
    xml_handler open; // may be NULL
    xml_handler close; // called with the line of the opening tag; may be NULL
} xml_element;

typedef struct xml_grammar {
    const xml_element *elements;
    int                count;
    xml_handler        inspect; // sees every tag first, also those that are passed over
} xml_grammar;

// What the parser calls for every tag and every piece of text; the limits were checked before.
typedef struct xml_sink {
    xml_handler open, close;
    arne_status (*text)(xml *x, const char *text, int size);
} xml_sink;

// The place of the walker. Handlers read tag, line and attributes, and set owner.
struct xml {
    reader            *reader;
    const xml_sink    *sink;
    const xml_grammar *grammar; // of arne_xml_walk
    void              *context;
    const char        *tag;
    const char       **attributes; // name, value, name, value, ..., NULL
    int                line, column;
    char               owner[160]; // "link 'arm'", for messages; "" between links and joints

    const char              *text; // all of it
    size_t                   size;
    struct XML_ParserStruct *parser;
    arne_status              status;  // of the first mistake
    int                      stopped; // by one that ends everything
    int                      count, depth;
    int passing; // the depth at which an element is passed over; 0: none is. Handlers may set it
    int quiet;   // the depth of an element in which unknown things are not told; 0: none
    unsigned char *seen; // per level and element of the table: it occurred there
    struct xml_level {
        const xml_element *element;
        int                line, has_text, has_unknown;
        char               tag[32];   // for messages
    } level[ARNE_READ_MAX_DEPTH + 1]; // level 0 is the file
};

ARNE_CHECKED arne_status arne_xml_walk(reader *r, const xml_grammar *grammar, void *context,
                                       const char *text, size_t size);
// The same over a tree. Messages and places name the file of each node.
struct xml_node;
ARNE_CHECKED arne_status arne_xml_walk_tree(reader *r, const xml_grammar *grammar, void *context,
                                            const struct xml_node *root);
// The same as arne_xml_walk with a sink of the caller's.
ARNE_CHECKED arne_status arne_xml_parse(reader *r, const xml_sink *sink, void *context,
                                        const char *text, size_t size);

// A failure at the line of the tag; the text begins with the owner.
arne_status arne_xml_fail(xml *x, arne_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Whether the element being closed contained this tag of the table.
int arne_xml_contains(const xml *x, const char *tag);

// Whether the tag being inspected has a place in the table and is not passed over.
int arne_xml_is_read(const xml *x);

// The text of an attribute; NULL where it is not given.
const char *arne_xml_attribute(const xml *x, const char *name);

// The text of an attribute that must be given.
ARNE_CHECKED arne_status arne_xml_text(xml *x, const char *name, const char **out);

// Exactly `count` numbers. Where the attribute is not given, out stays as it is.
ARNE_CHECKED arne_status arne_xml_numbers(xml *x, const char *name, int count, double *out);
ARNE_CHECKED arne_status arne_xml_required_numbers(xml *x, const char *name, int count,
                                                   double *out);

#endif
