// The interface of CasADi's external functions, as its user guide describes it ("Function
// operations on external code"): for a function f
//     int f(const double **arg, double **res, casadi_int *iw, double *w, int mem)
// and its facts: f_n_in, f_n_out, f_name_in, f_name_out, f_sparsity_in, f_sparsity_out, f_work,
// f_incref, f_decref, f_checkout, f_release. An arg that is NULL is zero, a res that is NULL is not
// wanted. Matrices are stored by columns without their structural zeros; a sparsity is {rows,
// columns, where each column begins, the row of each entry}.
//
// The Jacobian of f : (x, y) -> (r, s) is
//     jac_f : (x, y, out_r, out_s) -> (jac_r_x, jac_r_y, jac_s_x, jac_s_y)
// with the entries of a matrix counted by columns. out_r, out_s are not used: they have no entries.
// A Jacobian is the forward derivative of the recording (tape_derivative.c), so that all functions
// have one, also those of closed mechanisms and elastic joints. That also tells which entries are
// zero. Where the catalogue has the derivatives as an algorithm of its own, and this takes fewer
// operations, it gives the other entries.
#include "codegen/casadi.h"
#include "codegen/emit.h"
#include "codegen/tape_derivative.h"
#include <arne/version.h>
#include <stdlib.h>
#include <string.h>

enum { CASADI_NAME = 160, CASADI_LONGEST_LINE = 90 };

// An input or output.
typedef struct casadi_block {
    char name[CASADI_NAME];
    int  rows, columns;
    int  count, room; // entries that are stored
    // Of an output: where each entry is, row + rows * column, and what it is. Inputs have all of
    // their entries or none.
    int      *at;
    tape_ref *value;
} casadi_block;

typedef struct casadi_function {
    char          name[CASADI_NAME];
    casadi_block *in, *out;
    int           in_count, out_count;
} casadi_function;

static void casadi_function_free(casadi_function *f)
{
    for (int i = 0; i < f->out_count; i++) {
        free(f->out[i].at);
        free(f->out[i].value);
    }
    free(f->in);
    free(f->out);
}

static int block_add(casadi_block *b, int at, tape_ref value)
{
    if (b->count == b->room) {
        const int room = b->room ? 2 * b->room : 16;
        int      *places = realloc(b->at, sizeof *places * (size_t)room);
        if (places) b->at = places;
        tape_ref *values = realloc(b->value, sizeof *values * (size_t)room);
        if (values) b->value = values;
        if (!places || !values) return 0;
        b->room = room;
    }
    b->at[b->count] = at;
    b->value[b->count++] = value;
    return 1;
}

static void casadi_name(char out[CASADI_NAME], const char *first, const char *second,
                        const char *third)
{
    buffer text = {0};
    put(&text, "%s%s%s", first, second, third);
    const size_t size = text.size < CASADI_NAME ? text.size : CASADI_NAME - 1;
    if (text.text) memcpy(out, text.text, size);
    out[size] = 0;
    buffer_free(&text);
}

// ---- functions of the catalogue ----

// An array of several dimensions has the last of them as columns.
static void block_shape(const request *ask, const array_info *a, casadi_block *b)
{
    const arne_array_info *info = arne_catalogue_array(a->array);
    int                    columns = 1, dimensions = 0;
    for (int i = 0; i < ARNE_SHAPE; i++)
        if (info->shape[i] != ARNE_EXTENT_1) {
            columns = (int)arne_extent_size(ask->robot, info->shape[i]);
            dimensions++;
        }
    if (ask->order && a->array == ARNE_ARRAY_M) // of the active joints
        columns = arne_robot_sizes(ask->robot).v_count - ask->dependent;
    if (dimensions < 2 || columns == a->count) columns = 1;
    b->columns = columns;
    b->rows = columns ? a->count / columns : 0;
    memcpy(b->name, a->name, strlen(a->name) + 1);
}

// Rows of the catalogue become columns; constants that are zero are not stored.
static int block_fill(const tape *t, casadi_block *b, const tape_ref *results)
{
    for (int k = 0; k < b->rows * b->columns; k++) {
        const tape_ref   value = results[k % b->rows * b->columns + k / b->rows];
        const tape_node *n = &t->nodes[value / 2];
        if (n->what == OP_CONSTANT && n->value == 0) continue;
        if (!block_add(b, k, value)) return 0;
    }
    return 1;
}

static arne_status casadi_of_catalogue(const request *ask, arne_algorithm f, tape **t,
                                       casadi_function *made)
{
    array_info  in[MOST_INPUTS], out[MOST_OUTPUTS];
    tape_ref   *results = NULL;
    arne_status status = record_function(ask, f, t, &results);
    made->in_count = function_inputs(ask, f, in);
    made->out_count = function_outputs(ask, f, out);
    made->in = calloc((size_t)made->in_count + 1, sizeof *made->in);
    made->out = calloc((size_t)made->out_count + 1, sizeof *made->out);
    function_word(f, made->name);
    if (!made->in || !made->out) {
        made->out_count = made->out ? made->out_count : 0;
        status = ARNE_NO_MEMORY;
    }
    for (int i = 0; i < made->in_count && !status; i++) {
        block_shape(ask, &in[i], &made->in[i]);
        made->in[i].count = in[i].count;
    }
    const tape_ref *from = results;
    for (int i = 0; i < made->out_count && !status; from += out[i++].count) {
        block_shape(ask, &out[i], &made->out[i]);
        if (!block_fill(*t, &made->out[i], from)) status = ARNE_NO_MEMORY;
    }
    free(results);
    return status;
}

// ---- Jacobians ----

static arne_status jacobian_shape(const casadi_function *f, casadi_function *made)
{
    made->in = calloc((size_t)(f->in_count + f->out_count) + 1, sizeof *made->in);
    made->out = calloc((size_t)(f->in_count * f->out_count) + 1, sizeof *made->out);
    if (!made->in || !made->out) return ARNE_NO_MEMORY;
    made->in_count = f->in_count + f->out_count;
    made->out_count = f->in_count * f->out_count;
    casadi_name(made->name, "jac_", f->name, "");
    memcpy(made->in, f->in, sizeof *made->in * (size_t)f->in_count);
    for (int o = 0; o < f->out_count; o++) {
        casadi_block *unused = &made->in[f->in_count + o];
        unused->rows = f->out[o].rows;
        unused->columns = f->out[o].columns;
        casadi_name(unused->name, "out_", f->out[o].name, "");
        for (int i = 0; i < f->in_count; i++) {
            casadi_block *b = &made->out[o * f->in_count + i];
            b->rows = f->out[o].rows * f->out[o].columns;
            b->columns = f->in[i].rows * f->in[i].columns;
            casadi_name(b->name, "jac_", f->out[o].name, "_");
            casadi_name(b->name, b->name, f->in[i].name, "");
        }
    }
    return ARNE_OK;
}

// The derivatives d of all outputs by entry `column` of input i.
static arne_status jacobian_column(const casadi_function *f, int i, int column, const tape_ref *d,
                                   casadi_function *made)
{
    for (int o = 0; o < f->out_count; d += f->out[o++].count) {
        casadi_block *to = &made->out[o * f->in_count + i];
        for (int k = 0; k < f->out[o].count; k++)
            if (d[k] != TAPE_ZERO && !block_add(to, f->out[o].at[k] + to->rows * column, d[k]))
                return ARNE_NO_MEMORY;
    }
    return ARNE_OK;
}

// The values of all outputs; NULL where there is no memory.
static tape_ref *casadi_values(const casadi_function *f, int *count)
{
    *count = 0;
    for (int o = 0; o < f->out_count; o++)
        *count += f->out[o].count;
    tape_ref *all = malloc(sizeof *all * ((size_t)*count + 1)), *at = all;
    for (int o = 0; o < f->out_count && all; at += f->out[o++].count)
        if (f->out[o].count) memcpy(at, f->out[o].value, sizeof *at * (size_t)f->out[o].count);
    return all;
}

static arne_status casadi_jacobian(tape *t, const casadi_function *f, casadi_function *made)
{
    int         count;
    tape_ref   *values = casadi_values(f, &count);
    tape_ref   *d = malloc(sizeof *d * ((size_t)count + 1));
    arne_status status = values && d ? jacobian_shape(f, made) : ARNE_NO_MEMORY;
    for (int i = 0, variable = 0; i < f->in_count && !status; i++)
        for (int c = 0; c < f->in[i].count && !status; c++) {
            status = tape_differentiate(t, variable++, values, count, d);
            if (!status) status = jacobian_column(f, i, c, d, made);
        }
    free(values);
    free(d);
    return status;
}

// The algorithm whose outputs are the derivatives of another one by its inputs, in their order.
// They are along velocities: of a tree all of whose joints have one coordinate.
static arne_algorithm derivatives_of(const request *ask, arne_algorithm f)
{
    const arne_sizes n = arne_robot_sizes(ask->robot);
    int              plain = !ask->order && n.q_count == n.v_count && !n.theta_count;
    for (int j = 0; j < n.joint_count; j++)
        plain &= arne_robot_joint(ask->robot, j).v_count <= 1;
    return plain && f == ARNE_ALGORITHM_INVERSE_DYNAMICS
               ? ARNE_ALGORITHM_INVERSE_DYNAMICS_DERIVATIVES
           : plain && f == ARNE_ALGORITHM_FORWARD_DYNAMICS
               ? ARNE_ALGORITHM_FORWARD_DYNAMICS_DERIVATIVES
               : ARNE_ALGORITHM_COUNT;
}

// The entries of a Jacobian by the algorithm that gives derivatives, recorded on *other. NULL:
// there is none, or it is not shorter than what is on t.
static arne_status casadi_by_derivatives(const request *ask, arne_algorithm f,
                                         const casadi_function *jacobian, tape *t, tape **other,
                                         tape_ref **entries)
{
    const arne_algorithm by = derivatives_of(ask, f);
    tape_ref            *results = NULL;
    int                  count, at = 0;
    *other = NULL;
    *entries = NULL;
    if (by == ARNE_ALGORITHM_COUNT) return ARNE_OK;
    arne_status     status = record_function(ask, by, other, &results);
    tape_ref       *own = casadi_values(jacobian, &count);
    tape_ref       *values = malloc(sizeof *values * ((size_t)count + 1));
    const tape_ref *from = results;
    if (!own || !values) status = ARNE_NO_MEMORY;
    for (int o = 0; o < jacobian->out_count && !status; o++) {
        const casadi_block *b = &jacobian->out[o];
        for (int k = 0; k < b->count; k++) // rows of the catalogue become columns
            values[at++] = from[b->at[k] % b->rows * b->columns + b->at[k] / b->rows];
        from += b->rows * b->columns;
    }
    const int shorter =
        !status && recording_cost(*other, values, count) < recording_cost(t, own, count);
    if (!status && (t->failed || (*other)->failed)) status = ARNE_NO_MEMORY;
    if (status || !shorter) {
        tape_free(*other);
        *other = NULL;
        free(values);
        values = NULL;
    }
    *entries = values;
    free(results);
    free(own);
    return status;
}

// ---- writing ----

static void put_sparsity(buffer *b, const char *name, int index, const char *way,
                         const casadi_block *x)
{
    int        length = 0, entry = 0;
    const char dense = x->at == NULL && x->count > 0;
    put(b, "static const casadi_int %s_%s%d[] = {%d, %d", name, way, index, x->rows, x->columns);
#define NEXT put(b, "%s", ++length % 20 ? ", " : ",\n    ")
    for (int c = 0; c <= x->columns; c++) {
        while (!dense && entry < x->count && x->at[entry] < c * x->rows)
            entry++;
        NEXT;
        put(b, "%d", dense ? c * x->rows : entry);
    }
    for (int k = 0; k < x->count; k++) {
        NEXT;
        put(b, "%d", dense ? k % x->rows : x->at[k] % x->rows);
    }
#undef NEXT
    put(b, "};\n");
}

static void casadi_put_table(buffer *b, const casadi_function *f, const char *way, int names)
{
    const int           out = way[0] == 'o', count = out ? f->out_count : f->in_count;
    const casadi_block *x = out ? f->out : f->in;
    put(b, "EXPORT const %s *%s_%s_%s(casadi_int i)\n{\n    switch (i) {\n",
        names ? "char" : "casadi_int", f->name, names ? "name" : "sparsity", way);
    for (int i = 0; i < count; i++)
        if (names)
            put(b, "    case %d:\n        return \"%s\";\n", i, x[i].name);
        else
            put(b, "    case %d:\n        return %s_%s%d;\n", i, f->name, way, i);
    put(b, "    default:\n        return 0;\n    }\n}\n");
}

static void casadi_put_facts(buffer *b, const casadi_function *f)
{
    const char *n = f->name;
    int         room = 0;
    for (int i = 0; i < f->in_count; i++) {
        put_sparsity(b, n, i, "in", &f->in[i]);
        room += f->in[i].count;
    }
    for (int i = 0; i < f->out_count; i++) {
        put_sparsity(b, n, i, "out", &f->out[i]);
        room += f->out[i].count;
    }
    casadi_put_table(b, f, "in", 0);
    casadi_put_table(b, f, "out", 0);
    casadi_put_table(b, f, "in", 1);
    casadi_put_table(b, f, "out", 1);
    put(b, "EXPORT casadi_int %s_n_in(void) { return %d; }\n", n, f->in_count);
    put(b, "EXPORT casadi_int %s_n_out(void) { return %d; }\n", n, f->out_count);
    put(b,
        "EXPORT int %s_work(casadi_int *arg, casadi_int *res, casadi_int *iw, casadi_int *w)\n{\n"
        "    if (arg) *arg = %d;\n    if (res) *res = %d;\n    if (iw) *iw = 0;\n"
        "    if (w) *w = %d;\n    return 0;\n}\n",
        n, f->in_count, f->out_count, room);
    put(b, "EXPORT void %s_incref(void) {}\nEXPORT void %s_decref(void) {}\n", n, n);
    put(b, "EXPORT int %s_checkout(void) { return 0; }\n", n);
    put(b, "EXPORT void %s_release(int mem) { (void)mem; }\n\n", n);
}

static void put_arguments(buffer *b, const casadi_function *f)
{
    const char *comma = "";
    for (int i = 0; i < f->in_count; i++) {
        if (!f->in[i].count) continue;
        put(b, "%sarg[%d] ? arg[%d] : room(&w, %d)", comma, i, i, f->in[i].count);
        comma = ",\n        ";
    }
    for (int i = 0; i < f->out_count; i++) {
        put(b, "%sres[%d] ? res[%d] : room(&w, %d)", comma, i, i, f->out[i].count);
        comma = ",\n        ";
    }
}

// The straight-line code, and the function that CasADi calls.
static arne_status put_code(buffer *b, const generation *g, const casadi_function *f, const tape *t,
                            arne_operation_counts *counts)
{
    array_info *arrays = calloc((size_t)(f->in_count + f->out_count) + 1, sizeof *arrays);
    array_info *in = arrays;
    int         in_count = 0, total;
    if (!arrays) return ARNE_NO_MEMORY;
    for (int i = 0; i < f->in_count; i++)
        if (f->in[i].count)
            in[in_count++] = (array_info){.name = f->in[i].name, .count = f->in[i].count};
    array_info *out = arrays + in_count;
    for (int i = 0; i < f->out_count; i++)
        out[i] = (array_info){.name = f->out[i].name, .count = f->out[i].count};
    tape_ref      *results = casadi_values(f, &total);
    const emission how = {.prefix = g->prefix,
                          .word = f->name,
                          .in = in,
                          .out = out,
                          .in_count = in_count,
                          .out_count = f->out_count,
                          .polynomial = g->ask.options->sincos == ARNE_SINCOS_POLYNOMIAL,
                          .lanes = 1};
    buffer         body = {0};
    arne_status status = results ? emit_body(&body, b, &how, t, results, counts) : ARNE_NO_MEMORY;
    put(b, "static void %s_%s(", g->prefix, f->name);
    for (int i = 0; i < in_count; i++)
        put(b, "const double *%s, ", in[i].name);
    for (int i = 0; i < f->out_count; i++)
        put(b, "%sdouble *%s", i ? ", " : "", out[i].name);
    put(b, ")");
    emit_braces(b, &body);
    put(b,
        "EXPORT int %s(const double **arg, double **res, casadi_int *iw, double *w, int mem)\n{\n"
        "    (void)iw;\n    (void)mem;\n    %s_%s(\n        ",
        f->name, g->prefix, f->name);
    put_arguments(b, f);
    put(b, ");\n    return 0;\n}\n\n");
    free(results);
    free(arrays);
    return status;
}

static arne_status put_casadi_function(buffer *b, const generation *g, const casadi_function *f,
                                       const tape *t, arne_operation_counts *counts)
{
    const arne_status status = put_code(b, g, f, t, counts);
    if (!status) casadi_put_facts(b, f);
    return status;
}

static void casadi_set_values(casadi_function *f, const tape_ref *values)
{
    for (int o = 0; o < f->out_count; values += f->out[o++].count)
        if (f->out[o].count)
            memcpy(f->out[o].value, values, sizeof *values * (size_t)f->out[o].count);
}

// A first Jacobian in its shortest form. What is on t stays: its derivatives are shorter.
static arne_status put_first_jacobian(buffer *b, const generation *g, int index, casadi_function *f,
                                      tape *t)
{
    arne_operation_counts counts;
    tape                 *other;
    tape_ref             *entries;
    int                   count;
    arne_status           status =
        casadi_by_derivatives(&g->ask, g->functions[index], f, t, &other, &entries);
    tape_ref *own = casadi_values(f, &count);
    if (!status && !own) status = ARNE_NO_MEMORY;
    if (!status && entries) casadi_set_values(f, entries);
    if (!status) status = put_casadi_function(b, g, f, entries ? other : t, &counts);
    if (own) casadi_set_values(f, own);
    tape_free(other);
    free(entries);
    free(own);
    return status;
}

static arne_status put_with_derivatives(buffer *b, generation *g, int index)
{
    casadi_function       order[3] = {0};
    arne_operation_counts counts;
    tape                 *t = NULL;
    const int             derivatives = g->ask.options->derivatives;
    arne_status           status = casadi_of_catalogue(&g->ask, g->functions[index], &t, &order[0]);
    if (!status) status = put_casadi_function(b, g, &order[0], t, &g->counts[index]);
    for (int k = 1; k <= derivatives && !status; k++) {
        status = casadi_jacobian(t, &order[k - 1], &order[k]);
        if (!status)
            status = k == 1 ? put_first_jacobian(b, g, index, &order[1], t)
                            : put_casadi_function(b, g, &order[k], t, &counts);
    }
    for (int k = 0; k < 3; k++)
        casadi_function_free(&order[k]);
    tape_free(t);
    return status;
}

arne_status write_casadi(buffer *b, generation *g)
{
    arne_status status = ARNE_OK;
    put(b,
        "// Functions for CasADi, made by Arne %s: casadi.external(\"%s\", \"./%s.so\").\n"
        "// Compile: cc -O3 -fPIC -shared %s.c -o %s.so -lm\n"
        "#include <math.h>\n\n"
        "#ifndef casadi_int\n#define casadi_int long long int\n#endif\n"
        "#if defined _WIN32\n#define EXPORT __declspec(dllexport)\n"
        "#elif defined __GNUC__\n#define EXPORT __attribute__((visibility(\"default\")))\n"
        "#else\n#define EXPORT\n#endif\n\n"
        "// Zeros in the work vector, for an argument that is NULL or a result that is not "
        "wanted.\n"
        "static double *room(double **w, int count)\n{\n    double *x = *w;\n"
        "    for (int i = 0; i < count; i++)\n        x[i] = 0;\n    *w += count;\n    return "
        "x;\n}\n\n",
        arne_version(), g->functions ? function_info(g->functions[0])->name : "", g->prefix,
        g->prefix, g->prefix);
    if (g->ask.options->sincos == ARNE_SINCOS_POLYNOMIAL) emit_sincos(b, g->prefix, 0);
    for (int i = 0; i < g->function_count && !status; i++)
        status = put_with_derivatives(b, g, i);
    if (b->size) b->text[--b->size] = 0; // the last empty line
    return status;
}

void write_casadi_cmake(buffer *b, const generation *g)
{
    const char *p = g->prefix;
    put(b, "# Made by Arne %s: functions for CasADi in %s.so.\n", arne_version(), p);
    put(b, "cmake_minimum_required(VERSION 3.16)\nproject(%s LANGUAGES C)\n\n", p);
    put(b, "if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)\n"
           "    set(CMAKE_BUILD_TYPE Release)\nendif()\n");
    put(b, "set(CMAKE_C_STANDARD 99)\n\nadd_library(%s MODULE %s.c)\n", p, p);
    put(b, "set_target_properties(%s PROPERTIES PREFIX \"\")\n", p);
    put(b, "if(UNIX)\n    target_link_libraries(%s PRIVATE m)\nendif()\n", p);
}
