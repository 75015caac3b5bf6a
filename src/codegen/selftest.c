// The self-test: values of the library at random states. Accelerations, their derivatives and M^-1
// are compared as torques, M (qdd - wanted): how exact they can be depends on the mass matrix.
#include "base/error.h"
#include "base/random.h"
#include "codegen/generate.h"
#include <arne/dynamics.h>
#include <arne/integrate.h>
#include <stdlib.h>

enum { STATES = 3 };

static const char helper[] =
    "// 1 where got is not wanted, relative to the largest number.\n"
    "static int differs(int count, const TYPE *got, const TYPE *wanted, TYPE tolerance)\n{\n"
    "    TYPE scale = ONE;\n    int bad = 0;\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        const TYPE size = wanted[i] < 0 ? -wanted[i] : wanted[i];\n"
    "        if (size > scale) scale = size;\n    }\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        const TYPE off = got[i] - wanted[i];\n"
    "        if (!(off <= tolerance * scale && -off <= tolerance * scale)) bad = 1;\n    }\n"
    "    return bad;\n}\n\n";

static const char weigher[] =
    "// M times columns of accelerations.\n"
    "static void weigh(int n, int columns, const TYPE *M, const TYPE *x, TYPE *out)\n{\n"
    "    for (int i = 0; i < n; i++)\n        for (int c = 0; c < columns; c++) {\n"
    "            out[i * columns + c] = 0;\n"
    "            for (int k = 0; k < n; k++) out[i * columns + c] += M[i * n + k] * x[k * columns "
    "+ c];\n"
    "        }\n}\n\n";

static void selftest_put_table(buffer *b, const generation *g, const char *id, const char *what,
                               int count, const double *values)
{
    const int columns = count ? count : 1; // C has no empty arrays
    put(b, "static const %s %s_%s[%d][%d] = {\n", type_name(g), id, what, STATES, columns);
    for (int s = 0; s < STATES; s++) {
        put(b, "    {");
        for (int i = 0; i < columns; i++) {
            put(b, "%s", !i ? "" : i % 4 ? ", " : ",\n     ");
            put_number(b, count ? values[s * count + i] : 0, is_float(g));
        }
        put(b, "},\n");
    }
    put(b, "};\n");
}

// Numbers that the code can be given as they are.
static void random_inputs(const generation *g, uint64_t *seed, int count, double *x)
{
    arne_random_configuration(g->ask.robot, seed, x);
    for (int i = arne_robot_sizes(g->ask.robot).q_count; i < count; i++)
        x[i] = random_between(seed, -1, 1);
}

static void round_inputs(const generation *g, int count, double *x)
{
    for (int i = 0; is_float(g) && i < count; i++)
        x[i] = (double)(float)x[i];
}

// Who knows the values.
typedef struct oracle {
    arne_work      *work;
    arne_loop_work *loop; // of a closed mechanism, else NULL
    double         *step; // v_count
} oracle;

static void oracle_free(oracle *o)
{
    arne_work_free(o->work);
    arne_loop_work_free(o->loop);
    free(o->step);
}

static arne_status oracle_make(const generation *g, oracle *o)
{
    const arne_robot *r = g->ask.robot;
    *o = (oracle){.step = calloc((size_t)arne_robot_sizes(r).v_count + 1, sizeof *o->step)};
    arne_status status = o->step ? arne_work_new(r, &o->work) : ARNE_NO_MEMORY;
    if (!status && g->ask.order) status = arne_loop_work_new(r, &o->loop);
    if (status) oracle_free(o);
    return status;
}

// A closed state near the assembly of the start configuration: nearer and nearer until there is
// one.
static arne_status closed_inputs(const generation *g, arne_algorithm f, const oracle *o,
                                 uint64_t *seed, double *x, arne_error *error)
{
    const arne_robot *r = g->ask.robot;
    const arne_sizes  size = arne_robot_sizes(r);
    const unsigned    needs = function_info(f)->needs;
    const int         moves = needs >> ARNE_INPUT_qd & 1;
    double *qd = x + size.q_count, *qdd = needs >> ARNE_INPUT_qdd & 1 ? qd + size.v_count : NULL;
    arne_status status = ARNE_NOT_CONVERGED;
    for (double far = 0.3; status && far > 1e-3; far *= 0.5) {
        arne_start_configuration(r, x);
        status = arne_assemble(r, o->work, o->loop, NULL, x, NULL, error);
        for (int i = g->ask.dependent; i < size.v_count; i++)
            o->step[g->ask.order[i]] = random_between(seed, -far, far);
        if (!status) arne_integrate(r, x, o->step, x);
        if (!status) status = arne_assemble(r, o->work, o->loop, NULL, x, NULL, error);
        if (!status && moves) status = arne_loop_complete(r, o->work, o->loop, x, qd, qdd, error);
    }
    return status;
}

// With wanted accelerations goes the mass matrix that weighs them.
static arne_status make_values(const generation *g, arne_algorithm f, const oracle *o, double *x,
                               int in_count, double *y, int out_count, double *M, arne_error *error)
{
    const int   n = arne_robot_sizes(g->ask.robot).v_count;
    arne_status status = ARNE_OK;
    uint64_t    seed = 1;
    for (int s = 0; s < STATES && !status; s++) {
        double *in = x + s * in_count, *out = y + s * out_count;
        random_inputs(g, &seed, in_count, in);
        if (o->loop) status = closed_inputs(g, f, o, &seed, in, error);
        round_inputs(g, in_count, in);
        if (status) continue;
        status = o->loop ? check_closed_function(&g->ask, f, o->work, o->loop, in, out, error)
                         : check_function(&g->ask, f, in, out, error);
        if (gives_accelerations(f)) arne_mass_matrix(g->ask.robot, o->work, in, M + s * n * n);
    }
    return status;
}

// Whether the outputs of state s are right.
static void put_comparison(buffer *b, const generation *g, arne_algorithm f)
{
    char       word[FUNCTION_WORD];
    array_info out[MOST_OUTPUTS];
    const int  out_count = function_outputs(&g->ask, f, out), total = total_count(out, out_count),
              n = arne_robot_sizes(g->ask.robot).v_count;
    function_word(f, word);
    put(b, "static int compare_%s(int s, const %s *got)\n{\n", word, type_name(g));
    if (gives_accelerations(f) && total)
        put(b, "    %s weighed[%d], wanted[%d];\n", type_name(g), total, total);
    put(b, "    int bad = 0;\n");
    for (int i = 0, at = 0; i < out_count; at += out[i++].count) {
        const int columns = n ? out[i].count / n : 0;
        const int of_joints = arne_catalogue_array(out[i].array)->shape[0] == ARNE_EXTENT_V;
        if (!gives_accelerations(f) || !of_joints || !total) {
            put(b, "    bad += differs(%d, got + %d, %s_out[s] + %d, TOLERANCE);\n", out[i].count,
                at, word, at);
            continue;
        }
        put(b, "    weigh(%d, %d, %s_M[s], got + %d, weighed + %d);\n", n, columns, word, at, at);
        put(b, "    weigh(%d, %d, %s_M[s], %s_out[s] + %d, wanted + %d);\n", n, columns, word, word,
            at, at);
        put(b, "    bad += differs(%d, weighed + %d, wanted + %d, %sTOLERANCE);\n", out[i].count,
            at, at, columns > 1 ? "100 * " : "");
    }
    put(b, "    return bad != 0;\n}\n\n");
}

// Lane l has state s + l.
static void selftest_put_call(buffer *b, const generation *g, arne_algorithm f)
{
    char       word[FUNCTION_WORD];
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    const int  in_count = function_inputs(&g->ask, f, in),
              out_count = function_outputs(&g->ask, f, out), inputs = total_count(in, in_count),
              total = total_count(out, out_count), lanes = lanes_of(g);
    put_comparison(b, g, f);
    function_word(f, word);
    put(b, "static int check_%s(int s)\n{\n    %s in[%d], got[%d], one[%d];\n    int bad = 0;\n",
        word, type_name(g), inputs ? inputs * lanes : 1, total ? total * lanes : 1,
        total ? total : 1);
    put(b,
        "    for (int i = 0; i < %d; i++)\n        for (int l = 0; l < %d; l++) in[%d * i + l] = "
        "%s_in[(s + l) %% %d][i];\n",
        inputs, lanes, lanes, word, STATES);
    put(b, "    %s_%s(", g->prefix, word);
    for (int i = 0, at = 0; i < in_count; at += in[i++].count)
        put(b, "in + %d, ", at * lanes);
    for (int i = 0, at = 0; i < out_count; at += out[i++].count)
        put(b, "%sgot + %d", i ? ", " : "", at * lanes);
    put(b, ");\n    for (int l = 0; l < %d; l++) {\n", lanes);
    put(b, "        for (int i = 0; i < %d; i++) one[i] = got[%d * i + l];\n", total, lanes);
    put(b, "        bad += compare_%s((s + l) %% %d, one);\n    }\n    return bad;\n}\n\n", word,
        STATES);
}

static arne_status put_check(buffer *b, const generation *g, arne_algorithm f, const oracle *o,
                             arne_error *error)
{
    char       word[FUNCTION_WORD];
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    const int  in_count = total_count(in, function_inputs(&g->ask, f, in)),
              out_count = total_count(out, function_outputs(&g->ask, f, out)),
              n = arne_robot_sizes(g->ask.robot).v_count;
    const size_t room = STATES * (size_t)(in_count + out_count + n * n) + 1;
    double      *x = calloc(room, sizeof *x);
    if (!x) return arne_fail_memory(error);
    double           *y = x + STATES * in_count, *M = y + STATES * out_count;
    const arne_status status = make_values(g, f, o, x, in_count, y, out_count, M, error);
    selftest_put_table(b, g, function_word(f, word), "in", in_count, x);
    selftest_put_table(b, g, word, "out", out_count, y);
    if (gives_accelerations(f) && n) selftest_put_table(b, g, word, "M", n * n, M);
    selftest_put_call(b, g, f);
    free(x);
    return status;
}

arne_status write_selftest(buffer *b, const generation *g, arne_error *error)
{
    // Base parameters are found numerically.
    const int single = is_float(g), base = g->ask.options->base_parameters;
    const int loops = g->ask.order != NULL; // how exact they are depends on the constraints
    char      word[FUNCTION_WORD];
    oracle    o;
    if (oracle_make(g, &o)) return arne_fail_memory(error);
    arne_status status = ARNE_OK;
    put(b,
        "// Compares %s with values that Arne computed. Returns the number of functions and states "
        "that differ.\n#include \"%s.h\"\n\n",
        g->prefix, g->prefix);
    put(b, "typedef %s TYPE;\n#define ONE %s\n#define TOLERANCE %s\n\n", type_name(g),
        single ? "1.0f" : "1.0",
        single && loops ? "1e-3f"
        : single        ? "1e-4f"
        : loops         ? "1e-9"
        : base          ? "1e-10"
                        : "1e-12");
    put(b, "%s", helper);
    int weighs = 0;
    for (int i = 0; i < g->function_count; i++)
        weighs |= gives_accelerations(g->functions[i]);
    if (weighs && arne_robot_sizes(g->ask.robot).v_count) put(b, "%s", weigher);
    for (int i = 0; i < g->function_count && !status; i++)
        status = put_check(b, g, g->functions[i], &o, error);
    put(b, "int main(void)\n{\n    int failures = 0;\n    for (int s = 0; s < %d; s++) {\n",
        STATES);
    for (int i = 0; i < g->function_count; i++)
        put(b, "        failures += check_%s(s);\n", function_word(g->functions[i], word));
    put(b, "    }\n    return failures;\n}\n");
    oracle_free(&o);
    return status;
}
