// C for receding horizon control of one robot: the functions of arne_generate, numbers of the
// problem, and the solver of mpc_solver.inc.
#include "base/buffer.h"
#include "base/error.h"
#include "base/options.h"
#include "horizon/horizon.h"
#include "horizon/mpc_text.h"
#include <arne/version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_FILES = 4, SELFTEST_ITERATIONS = 200, SELFTEST_STATES = 2 };

// The terms of a problem added up: squares of the same rows have a common reference.
typedef struct mpc_numbers {
    int     n, nu, knots, frame; // frame: -1: none
    int     gravity;             // torques are weighed from what holds the weight
    double *state, *position;    // references, (knots + 1) x 2n and x 3
    double *weight[2];           // of states, running and at the end: 2n
    double  position_weight[2];
    double *torque_weight, *torque; // nu
} mpc_numbers;

static arne_status mpc_refuse(arne_error *error, const char *what)
{
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "generated control has no %s", what);
}

// ---- what can be generated

static arne_status mpc_check_robot(const arne_horizon *h, arne_error *error)
{
    const int joints = h->size.joint_count;
    if (h->size.loop_count) return mpc_refuse(error, "loops");
    if (h->size.theta_count) return mpc_refuse(error, "elastic joints");
    if (h->stands) return mpc_refuse(error, "contacts");
    if (h->solver.controls) return mpc_refuse(error, "accelerations as controls");
    if (h->solver.integrator != ARNE_OC_EULER) return mpc_refuse(error, "integrator rk4");
    if (arne_robot_base(h->robot) != ARNE_BASE_FIXED) return mpc_refuse(error, "moving base");
    for (int i = 0; i < joints; i++)
        if (arne_robot_joint(h->robot, i).q_count > 1)
            return mpc_refuse(error, "joints with several coordinates");
    return ARNE_OK;
}

static arne_status mpc_check_term(const arne_horizon *h, const arne_oc_term *t, mpc_numbers *p,
                                  arne_error *error)
{
    if (t->lower || t->upper) return mpc_refuse(error, "bounds other than those of torques");
    if (t->first || t->last) return mpc_refuse(error, "terms of a part of the time");
    if (t->quantity == ARNE_OC_CONTROL) {
        const int weight = t->reference == h->gravity && h->gravity;
        if (p->gravity >= 0 && (weight || p->gravity != weight))
            return mpc_refuse(error, "several terms of torque, of which one follows the weight");
        p->gravity = weight;
    }
    if (t->quantity == ARNE_OC_POSITION && p->frame >= 0 && p->frame != t->index)
        return mpc_refuse(error, "positions of several frames");
    if (t->quantity == ARNE_OC_POSITION) p->frame = t->index;
    return t->quantity == ARNE_OC_STATE || t->quantity == ARNE_OC_CONTROL ||
                   t->quantity == ARNE_OC_POSITION
               ? ARNE_OK
               : mpc_refuse(error, "quantities other than position, velocity, torque and "
                                   "frame_position");
}

// ---- numbers

static const double *row_at(const arne_oc_term *t, int k)
{
    return t->reference ? t->reference + t->reference_stride * k : NULL;
}

// A reference as the mean of what was there and a new one.
static void mix(double *reference, double before, double weight, double value)
{
    if (before + weight > 0) *reference += (value - *reference) * weight / (before + weight);
}

static void add_state(const arne_horizon *h, const arne_oc_term *t, mpc_numbers *p)
{
    const int nx = 2 * p->n, first = t->at_end ? p->knots : 0,
              last = t->at_end ? p->knots : p->knots - 1;
    const double scale = (t->at_end ? 1 : h->solver.step) * t->weight;
    for (int i = 0; i < nx; i++) {
        const double weight = scale * (t->weights ? t->weights[i] : 1);
        for (int k = first; k <= last; k++)
            mix(&p->state[k * nx + i], p->weight[t->at_end][i], weight,
                row_at(t, k) ? row_at(t, k)[i] : 0);
        p->weight[t->at_end][i] += weight;
    }
}

static void add_term(const arne_horizon *h, const arne_oc_term *t, mpc_numbers *p)
{
    const double scale = (t->at_end ? 1 : h->solver.step) * t->weight;
    if (t->quantity == ARNE_OC_STATE) add_state(h, t, p);
    for (int i = 0; i < p->nu && t->quantity == ARNE_OC_CONTROL; i++) {
        const double weight = scale * (t->weights ? t->weights[i] : 1);
        mix(&p->torque[i], p->torque_weight[i], weight, t->reference ? t->reference[i] : 0);
        p->torque_weight[i] += weight;
    }
    if (t->quantity != ARNE_OC_POSITION) return;
    const int first = t->at_end ? p->knots : 0, last = t->at_end ? p->knots : p->knots - 1;
    for (int k = first; k <= last; k++)
        for (int i = 0; i < 3; i++)
            mix(&p->position[3 * k + i], p->position_weight[t->at_end], scale,
                row_at(t, k) ? row_at(t, k)[9 + i] : 0);
    p->position_weight[t->at_end] += scale;
}

static arne_status find_numbers(arne_horizon *h, mpc_numbers *p, arne_error *error)
{
    const arne_oc_problem problem = arne_horizon_problem(h, 1);
    *p = (mpc_numbers){.n = h->size.v_count,
                       .nu = h->control_count,
                       .knots = problem.knots,
                       .frame = -1,
                       .gravity = -1};
    const size_t nx = 2 * (size_t)p->n, rows = (size_t)p->knots + 1;
    double      *room = calloc(rows * (nx + 3) + 2 * nx + 2 * (size_t)p->nu, sizeof *room);
    if (!room) return arne_fail_memory(error);
    p->state = room;
    p->position = p->state + rows * nx;
    p->weight[0] = p->position + rows * 3;
    p->weight[1] = p->weight[0] + nx;
    p->torque_weight = p->weight[1] + nx;
    p->torque = p->torque_weight + p->nu;
    arne_status status = mpc_check_robot(h, error);
    for (int i = 0; i < problem.term_count && !status; i++) {
        status = mpc_check_term(h, &problem.terms[i], p, error);
        if (!status) add_term(h, &problem.terms[i], p);
    }
    for (int i = 0; i < p->nu && !status; i++)
        if (!(p->torque_weight[i] > 0)) status = mpc_refuse(error, "torques without a weight");
    return status;
}

// ---- texts

static void put_row(buffer *b, const double *x, int count, int is_float)
{
    put(b, "{");
    for (int i = 0; i < count; i++) {
        if (i) put(b, ", ");
        put_number(b, x[i], is_float);
    }
    put(b, "}");
}

static void put_list(buffer *b, const char *type, const char *name, const double *x, int count,
                     int is_float)
{
    put(b, "static const %s %s[%d] = ", type, name, count);
    put_row(b, x, count, is_float);
    put(b, ";\n");
}

static void put_rows(buffer *b, const char *type, const char *name, const double *x, int rows,
                     int count, int is_float)
{
    put(b, "static const %s %s[%d][%d] = {\n", type, name, rows, count);
    for (int k = 0; k < rows; k++) {
        put(b, "    ");
        put_row(b, x + k * count, count, is_float);
        put(b, ",\n");
    }
    put(b, "};\n");
}

static void put_header(buffer *b, const arne_horizon *h, const mpc_numbers *p, const char *prefix,
                       const char *type)
{
    put(b,
        "// Made by Arne %s: receding horizon control, %d knots of %g s.\n"
        "//\n"
        "// One struct has all memory: nothing is allocated. Write what is wanted to `state`,\n"
        "// `position` and `torque` between two steps.\n"
        "#ifndef ARNE_GENERATED_%s_MPC_H\n#define ARNE_GENERATED_%s_MPC_H\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "typedef struct %s_mpc {\n"
        "    %s state[%d][%d]; // references of q and qd at every knot\n",
        arne_version(), p->knots, h->solver.step, prefix, prefix, prefix, type, p->knots + 1,
        2 * p->n);
    if (p->frame >= 0)
        put(b, "    %s position[%d][3]; // and of the frame's origin [m]\n", type, p->knots + 1);
    put(b,
        "    %s torque[%d]; // of torques%s\n"
        "    // The motion that was found, and its feedback: du = gain dx.\n"
        "    %s x[%d][%d], u[%d][%d], gain[%d][%d][%d], cost;\n"
        "    // Of the search:\n"
        "    %s step[%d][%d], trial_x[%d][%d], trial_u[%d][%d], regularisation;\n"
        "} %s_mpc;\n\n",
        type, p->nu, p->gravity == 1 ? ": those that hold the weight, set by every step" : "", type,
        p->knots + 1, 2 * p->n, p->knots, p->nu, p->knots, p->nu, 2 * p->n, type, p->knots, p->nu,
        p->knots + 1, 2 * p->n, p->knots, p->nu, prefix);
    put(b,
        "// No motion yet, and the references of the problem file.\n"
        "void %s_mpc_init(%s_mpc *m);\n"
        "// One tick from the measured state: the last motion is shifted by `elapsed` seconds (at\n"
        "// most one knot) and improved by so many iterations.\n"
        "//\n"
        "// control  out, %d: the torques of the drives\n"
        "// Returns 0; 1: no iteration improved it; 2: the motion is not finite, and the control "
        "is\n"
        "// the last one.\n"
        "int %s_mpc_step(%s_mpc *m, const %s *q, const %s *qd, %s elapsed, int iterations,\n"
        "    %s *control);\n\n"
        "#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
        prefix, prefix, p->nu, prefix, prefix, type, type, type, type);
}

static void put_source(buffer *b, const arne_horizon *h, const mpc_numbers *p, const char *prefix,
                       const char *type)
{
    const int is_float = strcmp(type, "float") == 0;
    put(b,
        "// Made by Arne %s: see %s_mpc.h.\n#include \"%s_mpc.h\"\n#include \"%s.h\"\n"
        "#include <math.h>\n\n"
        "typedef %s real;\n"
        "#define MPC %s_mpc\n#define MPC_INIT %s_mpc_init\n#define MPC_STEP %s_mpc_step\n"
        "#define FORWARD_DYNAMICS %s_forward_dynamics\n"
        "#define DERIVATIVES %s_forward_dynamics_derivatives\n#define SQRT %s\n",
        arne_version(), prefix, prefix, prefix, type, prefix, prefix, prefix, prefix, prefix,
        is_float ? "sqrtf" : "sqrt");
    if (p->frame >= 0)
        put(b, "#define POSE %s_pose\n#define JACOBIAN %s_jacobian\n", prefix, prefix);
    if (p->gravity == 1) put(b, "#define GRAVITY %s_gravity\n", prefix);
    put(b, "enum { N = %d, NU = %d, KNOTS = %d };\n", p->n, p->nu, p->knots);
    put(b, "static const real STEP = ");
    put_number(b, h->solver.step, is_float);
    put(b, ", ROUNDING = %s;\n", is_float ? "1e-6f" : "1e-14");
    put(b, "static const int drive[%d] = {", p->nu);
    for (int i = 0; i < p->nu; i++)
        put(b, "%s%d", i ? ", " : "", h->drives[i]);
    put(b, "};\n");
    double *bounds = calloc(2 * (size_t)p->nu, sizeof *bounds);
    if (!bounds) b->failed = 1;
    for (int i = 0; i < p->nu && bounds; i++) {
        bounds[i] = isfinite(h->lower[i]) ? h->lower[i] : -1e30;
        bounds[p->nu + i] = isfinite(h->upper[i]) ? h->upper[i] : 1e30;
    }
    if (bounds) put_list(b, "real", "lower", bounds, p->nu, is_float);
    if (bounds) put_list(b, "real", "upper", bounds + p->nu, p->nu, is_float);
    free(bounds);
    put_list(b, "real", "state_weight", p->weight[0], 2 * p->n, is_float);
    put_list(b, "real", "end_weight", p->weight[1], 2 * p->n, is_float);
    put_list(b, "real", "torque_weight", p->torque_weight, p->nu, is_float);
    put_list(b, "real", "torque_reference", p->torque, p->nu, is_float);
    put_rows(b, "real", "state_reference", p->state, p->knots + 1, 2 * p->n, is_float);
    if (p->frame >= 0) {
        put_list(b, "real", "position_weight", p->position_weight, 2, is_float);
        put_rows(b, "real", "position_reference", p->position, p->knots + 1, 3, is_float);
    }
    put(b, "\n");
    put_bytes(b, mpc_solver, strlen(mpc_solver));
}

// The optimal controls of all knots from a state, by the library.
static arne_status solve_at(arne_horizon *h, const double *q, const double *qd, double *control,
                            arne_error *error)
{
    const arne_oc_problem problem = arne_horizon_problem(h, 1);
    arne_oc              *oc = NULL;
    arne_horizon_at(h, 0, q);
    arne_status status = arne_oc_new(&problem, &oc, error);
    if (!status) status = arne_oc_solve(oc, q, qd, NULL, NULL, error);
    if (!status)
        memcpy(control, arne_oc_controls(oc),
               (size_t)(problem.knots * h->control_count) * sizeof *control);
    arne_oc_free(oc);
    return status;
}

static arne_status put_selftest(buffer *b, arne_horizon *h, const mpc_numbers *p,
                                const char *prefix, const char *type, arne_error *error)
{
    const int is_float = strcmp(type, "float") == 0, n = p->n, nu = p->knots * p->nu;
    double   *in = calloc((size_t)(SELFTEST_STATES * (2 * n + nu)), sizeof *in);
    double   *out = in ? in + SELFTEST_STATES * 2 * n : NULL;
    if (!in) return arne_fail_memory(error);
    arne_status status = ARNE_OK;
    for (int s = 0; s < SELFTEST_STATES && !status; s++) {
        double *x = in + s * 2 * n;
        for (int i = 0; i < 2 * n; i++) // the start, and a state beside it
            x[i] = h->start[i] + (s ? (i % 2 ? -0.05 : 0.05) : 0);
        status = solve_at(h, x, x + n, out + s * nu, error);
    }
    arne_horizon_at(h, 0, NULL);
    put(b,
        "// Made by Arne %s: controls of %s_mpc.c against those of the library.\n"
        "#include \"%s_mpc.h\"\n\n",
        arne_version(), prefix, prefix);
    put_rows(b, type, "states", in, SELFTEST_STATES, 2 * n, is_float);
    put_rows(b, type, "controls", out, SELFTEST_STATES, nu, is_float);
    put(b,
        "static %s_mpc mpc;\n\n"
        "int main(void)\n{\n"
        "    int failures = 0;\n"
        "    for (int s = 0; s < %d; s++) {\n"
        "        %s control[%d], size = 1;\n"
        "        %s_mpc_init(&mpc);\n"
        "        (void)%s_mpc_step(&mpc, states[s], states[s] + %d, 0, %d, control);\n"
        "        for (int i = 0; i < %d; i++)\n"
        "            if (size * size < controls[s][i] * controls[s][i])\n"
        "                size = controls[s][i] < 0 ? -controls[s][i] : controls[s][i];\n"
        "        for (int i = 0; i < %d; i++) {\n"
        "            const %s off = mpc.u[i / %d][i %% %d] - controls[s][i];\n"
        "            failures += !(off <= %s * size && -off <= %s * size);\n"
        "        }\n    }\n    return failures;\n}\n",
        prefix, SELFTEST_STATES, type, p->nu, prefix, prefix, n, SELFTEST_ITERATIONS, nu, nu, type,
        p->nu, p->nu, is_float ? "1e-2f" : "1e-5", is_float ? "1e-2f" : "1e-5");
    free(in);
    return status;
}

// ---- files

static arne_status keep_file(arne_generated *made, const char *rest, buffer *b, arne_error *error)
{
    arne_generated_file *file = &made->file[made->file_count];
    const size_t         size = strlen(made->prefix) + strlen(rest) + 1;
    file->name = malloc(size);
    if (!file->name || b->failed) {
        free(file->name);
        file->name = NULL;
        return arne_fail_memory(error);
    }
    snprintf(file->name, size, "%s%s", made->prefix, rest);
    file->text = b->text;
    file->size = b->size;
    *b = (buffer){0};
    made->file_count++;
    return ARNE_OK;
}

// The controller is part of the library that CMakeLists.txt makes, and its self-test a test.
static arne_status extend_cmake(arne_generated *made, arne_error *error)
{
    arne_generated_file *file = &made->file[FIRST_FILES - 1];
    const char          *p = made->prefix;
    buffer               b = {0};
    put_bytes(&b, file->text, file->size);
    put(&b,
        "\ntarget_sources(%s PRIVATE %s_mpc.c %s_mpc.h)\n"
        "add_executable(%s_mpc_selftest %s_mpc_selftest.c)\n"
        "target_link_libraries(%s_mpc_selftest PRIVATE %s)\n"
        "add_test(NAME %s_mpc COMMAND %s_mpc_selftest)\n",
        p, p, p, p, p, p, p, p, p);
    if (b.failed) {
        buffer_free(&b);
        return arne_fail_memory(error);
    }
    free(file->text);
    file->text = b.text;
    file->size = b.size;
    return ARNE_OK;
}

static arne_status add_files(arne_horizon *h, const mpc_numbers *p, const char *type,
                             arne_generated *made, arne_error *error)
{
    static const char *const rests[] = {"_mpc.h", "_mpc.c", "_mpc_selftest.c"};
    arne_status              status = extend_cmake(made, error);
    for (int i = 0; i < 3 && !status; i++) {
        buffer b = {0};
        if (i == 0) put_header(&b, h, p, made->prefix, type);
        if (i == 1) put_source(&b, h, p, made->prefix, type);
        if (i == 2) status = put_selftest(&b, h, p, made->prefix, type, error);
        if (!status && b.not_finite)
            status = arne_fail(error, ARNE_VALUE, NULL, 0, "a number of the problem is not finite");
        if (!status) status = keep_file(made, rests[i], &b, error);
        buffer_free(&b);
    }
    return status;
}

arne_status arne_generate_mpc(arne_horizon *h, const arne_generate_options *options,
                              arne_generated **out, arne_error *error)
{
    const char           *functions[5] = {"forward-dynamics", "forward-dynamics-derivatives"};
    arne_generate_options how = {0};
    mpc_numbers           p;
    if (out) *out = NULL;
    if (!h || !out) return arne_fail_null(error);
    if (options && !options_take(&how, sizeof how, OPTIONS_FIRST(arne_generate_options), options))
        return options_refuse(error);
    arne_horizon_at(h, 0, NULL);
    arne_status status = find_numbers(h, &p, error);
    int         count = 2;
    if (p.frame >= 0) functions[count++] = "pose";
    if (p.frame >= 0) functions[count++] = "jacobian";
    if (p.gravity == 1) functions[count++] = "gravity";
    how = (arne_generate_options){.functions = functions,
                                  .function_count = count,
                                  .prefix = how.prefix,
                                  .frame = p.frame,
                                  .axes = ARNE_AXES_ALIGNED,
                                  .precision = how.precision,
                                  .sincos = how.sincos};
    const char *type = how.precision == ARNE_PRECISION_FLOAT ? "float" : "double";
    if (!status) status = arne_generate(h->robot, &how, out, error);
    if (!status) status = add_files(h, &p, type, *out, error);
    if (status) {
        arne_generated_free(*out);
        *out = NULL;
    }
    free(p.state);
    return status;
}
