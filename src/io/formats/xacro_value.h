// The values of xacro's expressions, which are those of Python: what they are, how they compare and
// how they print. All memory lasts as long as the processor (xacro.h).
#ifndef ARNE_IO_FORMATS_XACRO_VALUE_H
#define ARNE_IO_FORMATS_XACRO_VALUE_H

#include "base/buffer.h"
#include <stddef.h>

typedef enum xacro_kind {
    XACRO_NONE,
    XACRO_BOOL,
    XACRO_INT,
    XACRO_FLOAT,
    XACRO_TEXT,
    XACRO_LIST,
    XACRO_TUPLE,
    XACRO_DICT,
    XACRO_SPACE,    // properties, or macros, of an include with ns
    XACRO_MODULE,   // math, xacro
    XACRO_FUNCTION, // a row of the functions
    XACRO_BLOCK,    // elements of a macro's call, or of a property
    XACRO_MACRO
} xacro_kind;

typedef struct xacro_value xacro_value;
struct xacro_value {
    xacro_kind          kind;
    int                 count; // of items; in a dict, of pairs
    long long           i;     // also of a bool
    double              f;
    const char         *text;  // also the name of a module
    const xacro_value **items; // in a dict: key, value, key, value, ...
    const void         *thing; // scope, row of a function, node or macro
};

typedef struct xacro xacro;

// Constructors return NULL where memory or a limit ends it all; the processor knows why.
const xacro_value *xacro_none(xacro *x);
const xacro_value *xacro_bool(xacro *x, int truth);
const xacro_value *xacro_int(xacro *x, long long i);
const xacro_value *xacro_float(xacro *x, double f);
const xacro_value *xacro_text(xacro *x, const char *text, size_t size);
const xacro_value *xacro_word(xacro *x, const char *text);
const xacro_value *xacro_thing(xacro *x, xacro_kind kind, const void *thing);
// Room for so many items (pairs of a dict), to be filled.
xacro_value *xacro_items(xacro *x, xacro_kind kind, int count);

int    xacro_is_number(const xacro_value *v); // bools are
double xacro_number(const xacro_value *v);
int    xacro_truth(const xacro_value *v);
int    xacro_equal(const xacro_value *a, const xacro_value *b);
// The value under a key; NULL where there is none.
const xacro_value *xacro_dict_find(const xacro_value *dict, const xacro_value *key);
const char        *xacro_kind_name(xacro_kind kind); // as Python's messages have it

// Python's str().
void        xacro_put(buffer *out, const xacro_value *v);
const char *xacro_string(xacro *x, const xacro_value *v); // NULL as above

// Python's int() and float() of a text; 0 where it is none.
int xacro_parse_int(const char *text, long long *out);
int xacro_parse_float(const char *text, double *out);
// A text as a value: an int, a float, true or false; 'quoted' texts lose their quotes. Others, and
// all with `_`, stay texts.
const xacro_value *xacro_literal(xacro *x, const xacro_value *v);

#endif
