// The parts of a generated set of files.
#ifndef ARNE_CODEGEN_GENERATE_H
#define ARNE_CODEGEN_GENERATE_H

#include "base/buffer.h"
#include "codegen/functions.h"

typedef struct generation {
    request                ask;
    const char            *prefix;
    const arne_algorithm  *functions;
    int                    function_count;
    arne_operation_counts *counts;
} generation;

static inline int is_float(const generation *g)
{
    return g->ask.options->precision == ARNE_PRECISION_FLOAT;
}
static inline int lanes_of(const generation *g)
{
    return g->ask.options->lanes > 1 ? g->ask.options->lanes : 1;
}
static inline const char *type_name(const generation *g)
{
    return is_float(g) ? "float" : "double";
}

// "void PREFIX_gravity(const double *q, double *tau)"
void put_signature(buffer *b, const generation *g, arne_algorithm f);

// ARNE_SINGULAR, in the words of forward dynamics, where a robot's mass matrix has no inverse.
arne_status generate_check_regular(const arne_robot *robot, arne_error *error);

// What forward dynamics says of a robot whose code has numbers that are not finite.
arne_status generate_fail_singular(const arne_robot *robot, arne_error *error);

void        write_header(buffer *b, const generation *g);
arne_status write_selftest(buffer *b, const generation *g, arne_error *error);
void        write_cmake(buffer *b, const generation *g);

#endif
