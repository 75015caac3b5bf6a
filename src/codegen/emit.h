// A recording as the body of a function in C.
#ifndef ARNE_CODEGEN_EMIT_H
#define ARNE_CODEGEN_EMIT_H

#include "base/buffer.h"
#include "codegen/functions.h"

typedef struct emission {
    const char       *prefix, *word; // of the function PREFIX_WORD
    const array_info *in, *out;
    int               in_count, out_count;
    int               is_float, polynomial;
    int               lanes; // states side by side; 1: one
    int               cuda;  // for kernel.c: arrays are of types in_NAME and out_NAME, see there
} emission;

// Everything between the braces. Inputs are read before anything is written, so that arrays may
// overlap. What is long goes into functions of its own, to stand before: compilers take more than
// linear time for a function, and keep its numbers in memory.
arne_status emit_body(buffer *b, buffer *before, const emission *how, const tape *t,
                      const tape_ref *results, arne_operation_counts *counts);

// Records a function and writes its body. After its signature, emit_braces puts the body between
// braces and frees it.
ARNE_CHECKED arne_status emit_recorded(const request *ask, arne_algorithm function,
                                       const emission *how, buffer *before, buffer *body,
                                       arne_operation_counts *counts);
void                     emit_braces(buffer *b, buffer *body);

// The type PREFIX_real of several states side by side, and what it needs.
void emit_lanes(buffer *b, const char *prefix, int is_float, int lanes, int roots, int signs,
                int angles);

// Sine and cosine of several angles, as a static function PREFIX_sincos.
void emit_sincos(buffer *b, const char *prefix, int is_float);

#endif
