// xacro, the macro language of ROS robots, as far as robot packages use it:
// http://wiki.ros.org/xacro.
//
// A file becomes a tree in which properties, macros, conditions and includes are worked out: that
// of the URDF which `xacro` would print. Every node keeps the place it comes from.
#ifndef ARNE_IO_FORMATS_XACRO_H
#define ARNE_IO_FORMATS_XACRO_H

#include "io/formats/xacro_value.h"
#include "io/xml_tree.h"

// Far above any robot, far below any harm.
enum {
    XACRO_MAX_TEXT = 1 << 20,    // bytes of a text
    XACRO_MAX_BYTES = 256 << 20, // of all memory
    XACRO_MAX_STEPS = 20000000,  // nodes and parts of expressions that are worked out
    XACRO_MAX_DEPTH = 300,       // of elements, macros and includes within each other
    XACRO_MAX_EXPRESSION = 200,  // depth of an expression
    XACRO_MAX_LIST = 100000,     // items
    XACRO_MAX_MISTAKES = 20
};

// A property or macro. A property is worked out when it is first used, in the scope that has it.
typedef struct xacro_entry {
    const char *name;
    unsigned    hash;
    enum { XACRO_READY, XACRO_LAZY, XACRO_BUSY, XACRO_BROKEN } state;
    const xacro_value  *value; // while lazy: its text
    struct xacro_entry *next;
} xacro_entry;

typedef struct xacro_scope {
    struct xacro_scope *parent; // NULL: the globals follow
    int                 is_space;
    xacro_entry        *bucket[32];
} xacro_scope;

struct xacro {
    reader         *reader;
    xml_tree        tree;      // memory of everything, and the result
    const char     *file;      // that is being processed: names of files are relative to it
    const char     *arguments; // "NAME:=VALUE NAME:=VALUE" of the caller; may be NULL
    xacro_scope     given;     // values of $(arg)
    size_t          taken;
    long            steps;
    int             depth, texts; // texts: within each other
    int             mistakes;
    const xml_node *caller;   // the innermost call of a macro; NULL: none
    arne_status     status;   // of the first mistake
    int             ended;    // by one after which nothing goes on
    char            why[400]; // the mistake of the expression at hand; "" where it was told before
};

// Works the text of r->file out. xacro_tree_free is needed also after a failure.
ARNE_CHECKED arne_status xacro_expand(reader *r, const char *text, size_t size,
                                      const char *arguments, xml_tree *out);

// ---- memory, limits and mistakes: xacro_scope.c. Each returns NULL.
void *xacro_take(xacro *x, size_t size); // zeros
char *xacro_copy(xacro *x, const char *text, size_t size);
void *xacro_too_large(xacro *x, const char *what); // ends it all
void *xacro_why(xacro *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *xacro_no_memory(xacro *x); // likewise
int   xacro_step(xacro *x);      // 0: there were too many
// A text of what was written, which is freed; NULL where memory or its length ends it all.
const char *xacro_written(xacro *x, buffer *out);

// ---- the processor: xacro.c
// Where elements are worked out, and where the result goes.
typedef struct xacro_place {
    xacro_scope    *symbols, *macros;
    xml_node       *out;
    const xml_node *of; // the element whose result `out` is; NULL within macros and conditions
} xacro_place;

void xacro_process_children(xacro *x, const xml_node *in, const xacro_place *at);
// An attribute that must be there, as it is written or worked out; NULL with x->why.
const char *xacro_required(xacro *x, const xml_node *in, const char *name);
const char *xacro_eval_required(xacro *x, const xml_node *in, const char *name,
                                xacro_scope *symbols);
// Tells attributes that are not among " a b ".
void xacro_warn_unknown(xacro *x, const xml_node *in, const char *known);

// ---- macros: xacro_macro.c. 0: x->why says what is wrong.
int xacro_take_macro(xacro *x, const xml_node *in, const xacro_place *at);
int xacro_call_macro(xacro *x, const xml_node *in, const char *name, const xacro_place *at);
int xacro_call_by_name(xacro *x, const xml_node *in, const xacro_place *at);
const xml_node *xacro_next_element(const xml_node *node);
xml_node       *xacro_new_node(xacro *x, const char *tag, const xml_node *place);

// ---- names: xacro_scope.c
xacro_scope *xacro_scope_new(xacro *x, xacro_scope *parent, int is_space);
// The entry in this scope, or in those around it; *holder gets which one. NULL: there is none.
xacro_entry *xacro_scope_find(xacro_scope *scope, const char *name, xacro_scope **holder);
// RAW: a text stays as it is. NOW: it becomes what it says. LAZY: it is worked out when it is used.
typedef enum xacro_when { XACRO_SET_RAW, XACRO_SET_NOW, XACRO_SET_LAZY } xacro_when;
int xacro_scope_set(xacro *x, xacro_scope *scope, const char *name, const xacro_value *v,
                    xacro_when when);
int xacro_scope_remove(xacro_scope *scope, const char *name);
// The value of a property; NULL with x->why where there is none or it cannot be worked out.
const xacro_value *xacro_scope_value(xacro *x, xacro_scope *scope, const char *name);

// ---- texts with ${} and $(): xacro_text.c
const xacro_value *xacro_eval_text(xacro *x, const char *text, xacro_scope *scope);
int                xacro_condition(const xacro_value *v, int *truth); // 0: it is none

// ---- expressions: xacro_expression.c evaluates what xacro_parse.c made of a text
typedef enum xacro_operation {
    XACRO_CONSTANT,
    XACRO_NAME,
    XACRO_ATTRIBUTE,  // a . name
    XACRO_INDEX,      // a [b]
    XACRO_SLICE,      // a [b : c]
    XACRO_CALL,       // a (list)
    XACRO_ITEMS_LIST, // [list]
    XACRO_ITEMS_TUPLE,
    XACRO_EACH, // [a for name in b if c]
    XACRO_IF,   // a if b else c
    XACRO_AND,
    XACRO_OR,
    XACRO_NOT,
    XACRO_COMPARE, // a, then list of what it is compared with
    XACRO_NEGATE,
    XACRO_PLUS,
    XACRO_ADD,
    XACRO_SUBTRACT,
    XACRO_MULTIPLY,
    XACRO_DIVIDE,
    XACRO_FLOOR,
    XACRO_MODULO,
    XACRO_POWER
} xacro_operation;

typedef struct xacro_node {
    xacro_operation    operation;
    int                depth;
    const char        *name;  // of a name, attribute, keyword of a call, or comparison
    const xacro_value *value; // of a constant
    struct xacro_node *a, *b, *c;
    struct xacro_node *list, *next; // next: in the list it stands in
} xacro_node;

const xacro_node  *xacro_parse(xacro *x, const char *text); // NULL with x->why
const xacro_value *xacro_eval(xacro *x, const char *text, xacro_scope *scope);

// ---- functions: xacro_functions.c and xacro_methods.c
typedef struct xacro_call {
    const xacro_value  *self; // of a method
    const xacro_value **arguments;
    int                 count;
    const xacro_value  *keywords; // a dict
} xacro_call;

typedef const xacro_value *(*xacro_function)(xacro *x, const xacro_call *c);

// What a name means to everybody (module NULL) or in a module; NULL: nothing.
const xacro_value *xacro_builtin(xacro *x, const char *module, const char *name);
const xacro_value *xacro_function_call(xacro *x, const xacro_value *function,
                                       const xacro_call *call);
const xacro_value *xacro_method_call(xacro *x, const char *name, const xacro_call *call);

// ---- files: xacro_files.c. Only .xacro, .urdf, .xml and .yaml files are opened.
const xacro_value *xacro_load_yaml(xacro *x, const char *name);
const char        *xacro_absolute(xacro *x, const char *name);           // relative to x->file
char              *xacro_load(xacro *x, const char *path, size_t *size); // to be freed
const xacro_value *xacro_find_package(xacro *x, const char *name);
xml_node          *xacro_parse_file(xacro *x, const char *path, const char *text, size_t size);

// ---- printing: the text that `xacro` prints, but for its comments.
void xacro_print(buffer *out, const xml_node *root);

#endif
