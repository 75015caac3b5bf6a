// Arrays that come and go by the buffer protocol.
#ifndef ARNE_PYTHON_ARRAY_H
#define ARNE_PYTHON_ARRAY_H

#include "ext.h"

// An argument seen as numbers. Closed, it holds nothing.
typedef struct view {
    const char *name; // of the argument, for messages
    PyObject   *made; // what had to be made of the argument to see it so; NULL: nothing
    Py_buffer   buffer;
    char        type; // 'd' or 'f', in the byte order of this machine
    char        open;
} view;

// Opens an input. What is not an array yet (lists, integers, another byte order) becomes one of
// doubles by numpy.asarray; tensors of other libraries are seen through DLPack. Sets a TypeError
// where there are no real numbers in it.
int view_open(const module_state *state, PyObject *object, const char *name, view *out);
// Opens an output: a writable array of double or float.
int  view_open_output(PyObject *object, const char *name, view *out);
void view_close(view *v);

// Whether it has this shape and lies in memory as C has it: doubles, one after the other.
int view_is_plain(const view *v, const item *shape);
// Whether the last dimensions are those of an item; sets a ValueError with both shapes where not.
int view_fits(const view *v, const item *shape);
// The number of dimensions before the item's.
static inline int view_leading(const view *v, const item *shape)
{
    return v->buffer.ndim - shape->rank;
}
// The first byte of it and the one behind the last.
void view_range(const view *v, const char **from, const char **to);

// Of doubles: entry i of state s, in the order of `leading` (count states), is at[i * entry + s *
// state]. Returns 0 where no two numbers say where they are.
int view_strides(const view *v, const item *shape, int rank, const Py_ssize_t *leading,
                 ptrdiff_t *entry, ptrdiff_t *state);
// All of it as doubles, state by state, broadcast over `leading`; needs no GIL.
void view_read(const view *v, const item *shape, int rank, const Py_ssize_t *leading, double *to);
// The other way.
void view_write(const view *v, const item *shape, int rank, const Py_ssize_t *leading,
                const double *from);

#endif
