// Generated code: the texts are run over a tape, see recording.c, and the tape is written as C, see
// emit.c.
#include "codegen/generate.h"
#include "base/error.h"
#include "base/options.h"
#include "codegen/casadi.h"
#include "codegen/emit.h"
#include "codegen/names.h"
#include "codegen/screw_form.h"
#include <arne/builder.h>
#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/identify.h>
#include <arne/integrate.h>
#include <arne/version.h>
#include <stdlib.h>
#include <string.h>

// ---- what is asked ----

// FUNCTION_COUNT where there is none that can be generated.
static arne_algorithm find_function(const char *name)
{
    int f = 0;
    while (f < FUNCTION_COUNT &&
           (!name || strcmp(function_info((arne_algorithm)f)->name, name) != 0))
        f++;
    const int fine =
        f < FUNCTION_COUNT && function_info((arne_algorithm)f)->has & ARNE_HAS_GENERATED;
    return (arne_algorithm)(fine ? f : (int)FUNCTION_COUNT);
}

// One frame and no more.
static int needs_frame(arne_algorithm f)
{
    const arne_algorithm_info *info = function_info(f);
    return info->takes & ARNE_TAKES_FRAME &&
           arne_catalogue_array(info->outputs[0].array)->shape[0] != ARNE_EXTENT_FRAME;
}

static arne_status read_functions(const arne_generate_options *o, arne_algorithm *out,
                                  arne_error *error)
{
    for (int i = 0; i < o->function_count; i++) {
        const arne_algorithm f = find_function(o->functions[i]);
        if ((int)f == FUNCTION_COUNT)
            return arne_fail(error, ARNE_NOT_FOUND, NULL, 0,
                             "there is no function '%s' to generate",
                             o->functions[i] ? o->functions[i] : "");
        for (int k = 0; k < i; k++)
            if (out[k] == f)
                return arne_fail(error, ARNE_VALUE, NULL, 0, "the function '%s' is listed twice",
                                 o->functions[i]);
        if (needs_frame(f) && o->frame < 0)
            return arne_fail(error, ARNE_VALUE, NULL, 0, "the function '%s' needs a frame",
                             o->functions[i]);
        out[i] = f;
        if (o->base_parameters && !(function_info(f)->has & ARNE_HAS_BASE_FORM))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "the function '%s' has no meaning in base parameters, which keep the "
                             "torques only",
                             o->functions[i]);
    }
    return ARNE_OK;
}

static arne_status generate_check_options(const arne_robot *robot, const arne_generate_options *o,
                                          arne_error *error)
{
    if (!robot || !o || (o->function_count > 0 && !o->functions))
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (o->function_count < 1 || o->function_count > FUNCTION_COUNT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d functions are asked for; 1 to %d can be",
                         o->function_count, (int)FUNCTION_COUNT);
    if (o->frame < -1 || o->frame >= arne_robot_sizes(robot).frame_count)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no frame %d", o->frame);
    if (arne_robot_base(robot) == ARNE_BASE_PRESCRIBED)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "code for a prescribed base is not supported; fixed and free ones are");
    if (o->lanes != 0 && o->lanes != 1 && o->lanes != 2 && o->lanes != 4 && o->lanes != 8)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d lanes are asked for; 1, 2, 4 or 8 can be",
                         o->lanes);
    if ((unsigned)o->target > ARNE_TARGET_CASADI || o->derivatives < 0 || o->derivatives > 2)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there is no target %d with %d derivatives",
                         (int)o->target, o->derivatives);
    if (o->target == ARNE_TARGET_C && o->derivatives)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "derivatives are for CasADi; the functions have functions of their own");
    if (o->target == ARNE_TARGET_CASADI && (o->lanes > 1 || o->precision != ARNE_PRECISION_DOUBLE))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "CasADi calls functions of one state in double precision");
    if (o->prefix && !is_prefix(o->prefix, ARNE_GENERATED_PREFIX))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "'%s' is no prefix: a letter, then letters, digits and '_', at most %d, "
                         "and not a word of C",
                         o->prefix, ARNE_GENERATED_PREFIX - 1);
    return generate_check_functions(robot, error);
}

// ---- closed mechanisms ----

// The passive coordinates first: they must follow from the active ones, each of which is free.
static arne_status order_coordinates(const arne_robot *robot, int *order, int *dependent)
{
    const int      n = arne_robot_sizes(robot).v_count;
    unsigned char *active = malloc((size_t)n + 1);
    int            at = 0;
    if (!active) return ARNE_NO_MEMORY;
    *dependent = n - arne_active(robot, active);
    for (int turn = 0; turn < 2; turn++)
        for (int k = 0; k < n; k++)
            if (active[k] == turn) order[at++] = k;
    free(active);
    return ARNE_OK;
}

static arne_status generate_check_actuation(const arne_robot *robot, const arne_loop_report *found,
                                            arne_error *error)
{
    if (found->undetermined == 0 && found->active == found->mobility) return ARNE_OK;
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                     "code for the loops of '%s' needs as many active coordinates as mobility: "
                     "there are %d for %d",
                     arne_robot_name(robot), found->active, found->mobility);
}

// At the assembly of the start configuration, as a matter of the mechanism.
static arne_status check_mechanism(const arne_robot *robot, arne_error *error)
{
    arne_work       *work = NULL;
    arne_loop_work  *loop = NULL;
    arne_loop_report found;
    double          *q = malloc(((size_t)arne_robot_sizes(robot).q_count + 1) * sizeof *q);
    arne_status      status = arne_work_new(robot, &work);
    if (!status) status = arne_loop_work_new(robot, &loop);
    if (status || !q)
        status = arne_fail_memory(error);
    else {
        arne_start_configuration(robot, q);
        status = arne_assemble(robot, work, loop, NULL, q, NULL, error);
        if (!status) status = arne_loop_analyse(robot, work, loop, q, &found, NULL, error);
        if (!status) status = generate_check_actuation(robot, &found, error);
    }
    arne_loop_work_free(loop);
    arne_work_free(work);
    free(q);
    return status;
}

static arne_status generate_check_closed(const arne_robot *robot, const arne_generate_options *o,
                                         const arne_algorithm *functions, arne_error *error)
{
    for (int i = 0; i < o->function_count; i++)
        if (!(function_info(functions[i])->has & ARNE_HAS_CLOSED))
            return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                             "the function '%s' cannot be generated for a robot with loops, only "
                             "for the tree that is cut at them (open)",
                             o->functions[i]);
    return check_mechanism(robot, error);
}

// ---- the source ----

static arne_status generate_put_function(buffer *b, generation *g, int index)
{
    const arne_algorithm f = g->functions[index];
    array_info           in[MOST_INPUTS], out[MOST_OUTPUTS];
    char                 word[FUNCTION_WORD];
    const emission       how = {g->prefix,
                                function_word(f, word),
                                in,
                                out,
                                function_inputs(&g->ask, f, in),
                                function_outputs(&g->ask, f, out),
                                is_float(g),
                                g->ask.options->sincos == ARNE_SINCOS_POLYNOMIAL,
                                lanes_of(g),
                                0};
    buffer               body = {0};
    const arne_status    status = emit_recorded(&g->ask, f, &how, b, &body, &g->counts[index]);
    put_signature(b, g, f);
    emit_braces(b, &body);
    return status;
}

static arne_status write_source(buffer *b, generation *g)
{
    buffer      bodies = {0};
    int         angles = 0, roots = 0, signs = 0;
    arne_status status = ARNE_OK;
    for (int i = 0; i < g->function_count && !status; i++) {
        status = generate_put_function(&bodies, g, i);
        angles += g->counts[i].sincos;
        roots += g->counts[i].sqrt;
        signs += g->counts[i].sign;
    }
    const int polynomial = g->ask.options->sincos == ARNE_SINCOS_POLYNOMIAL;
    put(b, "// Made by Arne %s; see %s.h.\n#include \"%s.h\"\n", arne_version(), g->prefix,
        g->prefix);
    put(b, "%s\n", roots || (angles && !polynomial) ? "#include <math.h>\n" : "");
    if (lanes_of(g) > 1)
        emit_lanes(b, g->prefix, is_float(g), lanes_of(g), roots, signs, angles && !polynomial);
    if (angles && polynomial) emit_sincos(b, g->prefix, is_float(g));
    if (bodies.text) put(b, "%s", bodies.text);
    if (bodies.failed) status = ARNE_NO_MEMORY;
    b->not_finite |= bodies.not_finite;
    free(bodies.text);
    if (b->size) b->text[--b->size] = 0; // the last empty line
    return status;
}

// ---- the set of files ----

static arne_status generate_keep(arne_generated_file *file, const char *prefix, const char *rest,
                                 buffer *b)
{
    buffer name = {0};
    put(&name, "%s%s", prefix, rest);
    file->name = name.text;
    file->text = b->text;
    file->size = b->size;
    return name.failed || b->failed || !b->text ? ARNE_NO_MEMORY : ARNE_OK;
}

// Forward dynamics at rest, at the neutral configuration or a step away from it.
static arne_status forward_from(const arne_robot *robot, double step, arne_error *error)
{
    const arne_sizes size = arne_robot_sizes(robot);
    const size_t     n = (size_t)size.v_count;
    arne_work       *work = NULL;
    double          *q = calloc(2 * (size_t)size.q_count + 4 * n, sizeof *q);
    double          *moved = q + size.q_count, *v = moved + size.q_count, *rest = v + n;
    arne_status      status = q ? arne_work_new(robot, &work) : ARNE_NO_MEMORY;
    if (!status) {
        arne_neutral(robot, q);
        for (size_t k = 0; k < n; k++)
            v[k] = step * (1 + 0.37 * (double)(k % 5));
        arne_integrate(robot, q, v, moved);
        status =
            arne_forward_dynamics(robot, work, moved, rest, rest + n, NULL, rest + 2 * n, error);
    }
    arne_work_free(work);
    free(q);
    return status;
}

// A mass matrix may be singular somewhere, at a stretched arm of point masses, say.
arne_status generate_check_regular(const arne_robot *robot, arne_error *error)
{
    const arne_status status = forward_from(robot, 0.41, error);
    return status == ARNE_SINGULAR ? forward_from(robot, -0.83, error) : status;
}

// Constants are folded while code is recorded, so that a mass matrix without an inverse shows as a
// number that is not finite. Forward dynamics says which joint it is.
arne_status generate_fail_singular(const arne_robot *robot, arne_error *error)
{
    const arne_status status = forward_from(robot, 0, error);
    return status ? status
                  : arne_fail(error, ARNE_SINGULAR, NULL, 0,
                              "the code would have numbers that are not finite: is there inertia "
                              "behind every joint?");
}

static arne_status generate_casadi(generation *g, arne_generated *out, arne_error *error)
{
    buffer      source = {0}, cmake = {0};
    arne_status status = write_casadi(&source, g);
    write_casadi_cmake(&cmake, g);
    out->file_count = 2;
    const arne_status kept[] = {generate_keep(&out->file[0], g->prefix, ".c", &source),
                                generate_keep(&out->file[1], "", "CMakeLists.txt", &cmake)};
    if (!status) status = kept[0] ? kept[0] : kept[1];
    if (source.not_finite) status = generate_fail_singular(g->ask.robot, error);
    return status == ARNE_NO_MEMORY ? arne_fail_memory(error) : status;
}

static arne_status generate_files(generation *g, arne_generated *out, arne_error *error)
{
    buffer source = {0}, header = {0}, test = {0}, cmake = {0};
    if (g->ask.options->target == ARNE_TARGET_CASADI) return generate_casadi(g, out, error);
    arne_status status = write_source(&source, g);
    if (!status) status = write_selftest(&test, g, error);
    write_header(&header, g);
    write_cmake(&cmake, g);
    const arne_status kept[] = {generate_keep(&out->file[0], g->prefix, ".h", &header),
                                generate_keep(&out->file[1], g->prefix, ".c", &source),
                                generate_keep(&out->file[2], g->prefix, "_selftest.c", &test),
                                generate_keep(&out->file[3], "", "CMakeLists.txt", &cmake)};
    out->file_count = (int)(sizeof kept / sizeof *kept);
    for (int i = 0; i < out->file_count && !status; i++)
        status = kept[i];
    if (source.not_finite || test.not_finite) status = generate_fail_singular(g->ask.robot, error);
    return status == ARNE_NO_MEMORY ? arne_fail_memory(error) : status;
}

// With base parameters, what is recorded is another robot; the self-test has the values of this
// one.
static arne_status generate_form(generation *g, arne_generated *out, arne_error *error)
{
    const int   base = g->ask.options->base_parameters;
    arne_robot *form = NULL, *screws = NULL, *both = NULL;
    arne_status status = screw_form(g->ask.robot, &screws);
    if (status) return arne_fail_memory(error);
    if (base) status = arne_robot_base_form(g->ask.robot, &form, error);
    if (base && !status && screws) status = arne_robot_base_form(screws, &both, error);
    if (base) g->ask.form = form;
    g->ask.screws = base ? both : screws;
    if (!status) status = generate_files(g, out, error);
    arne_robot_free(form);
    arne_robot_free(screws);
    arne_robot_free(both);
    return status;
}

void arne_generated_free(arne_generated *generated)
{
    if (!generated) return;
    for (int i = 0; i < ARNE_GENERATED_FILES; i++) {
        free(generated->file[i].name);
        free(generated->file[i].text);
    }
    free(generated->counts);
    free(generated);
}

arne_status arne_generate(const arne_robot *robot, const arne_generate_options *options,
                          arne_generated **out, arne_error *error)
{
    arne_generate_options own_options;
    if (out) *out = NULL;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_generate_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    arne_algorithm functions[FUNCTION_COUNT];
    arne_error_clear(error);
    if (!out) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "out is NULL");
    *out = NULL;
    arne_status status = generate_check_options(robot, options, error);
    if (!status) status = read_functions(options, functions, error);
    const int is_closed = !status && arne_robot_sizes(robot).loop_count > 0 && !options->open;
    if (is_closed) status = generate_check_closed(robot, options, functions, error);
    if (status) return status;

    arne_generated *made = calloc(1, sizeof *made);
    if (made) made->counts = calloc((size_t)options->function_count, sizeof *made->counts);
    if (!made || !made->counts) {
        arne_generated_free(made);
        return arne_fail_memory(error);
    }
    if (options->prefix)
        memcpy(made->prefix, options->prefix, strlen(options->prefix));
    else
        make_prefix(arne_robot_name(robot), made->prefix, sizeof made->prefix);
    made->function_count = options->function_count;
    generation g = {{.robot = robot, .options = options, .form = robot},
                    made->prefix,
                    functions,
                    made->function_count,
                    made->counts};
    int       *order = malloc(((size_t)arne_robot_sizes(robot).v_count + 1) * sizeof *order);
    if (!order) status = arne_fail_memory(error);
    if (!status && is_closed) {
        status = order_coordinates(robot, order, &g.ask.dependent);
        g.ask.order = order;
        if (status) status = arne_fail_memory(error);
    }
    if (!status) status = generate_form(&g, made, error);
    free(order);
    if (status)
        arne_generated_free(made);
    else
        *out = made;
    return status;
}
