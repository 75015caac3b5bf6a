// Bytes as choices: the structure and the numbers of a robot. If it can be built, the laws hold:
// forward dynamics undoes inverse, the matrix form agrees with the recursion, a batch with one
// state, and the robot's own text reads back to the same torques, bit by bit; or a status says why
// not. Laws are checked where sizes are within what rounding leaves of them.
#include <arne/batch.h>
#include <arne/builder.h>
#include <arne/configuration.h>
#include <arne/dynamics.h>
#include <arne/integrate.h>
#include <arne/io.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_JOINTS = 9, MOST = 8 * MOST_JOINTS, STATES = 5, NAME = 16 };

typedef struct choices {
    const uint8_t *at, *end;
    double         small, large; // sizes that were chosen
} choices;

static unsigned pick(choices *c, unsigned count) { return c->at < c->end ? *c->at++ % count : 0; }

// Mostly of the size of things, now and then beyond all bounds.
static double number(choices *c)
{
    static const double odd[] = {0, 1e-12, 1e-6, 1e6, 1e12, 1e-300, 1e300, -1};
    const unsigned      first = pick(c, 256);
    if (first < 4) return odd[pick(c, 8)];
    return ((double)first - 130) / 64 + (double)pick(c, 256) / 1000;
}

static double size_of(choices *c)
{
    const double x = fabs(number(c));
    if (x > 0) {
        c->small = fmin(c->small, x);
        c->large = fmax(c->large, x);
    }
    return x;
}

static double signed_size(choices *c)
{
    const double x = number(c);
    c->large = fmax(c->large, fabs(x));
    return x;
}

static arne_vec3 vector(choices *c)
{
    const double x = number(c), y = number(c), z = number(c);
    c->large = fmax(c->large, fabs(x) + fabs(y) + fabs(z));
    return (arne_vec3){x, y, z};
}

// A turn about one axis: any number of them make any rotation along a chain.
static arne_pose pose(choices *c)
{
    const double    a = number(c), s = sin(a), k = cos(a);
    const arne_vec3 p = vector(c);
    const arne_mat3 turns[3] = {{{1, 0, 0}, {0, k, s}, {0, -s, k}},
                                {{k, 0, -s}, {0, 1, 0}, {s, 0, k}},
                                {{k, s, 0}, {-s, k, 0}, {0, 0, 1}}};
    return (arne_pose){turns[pick(c, 3)], p};
}

static const arne_pose IDENTITY = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static arne_status add(arne_builder *b, choices *c, int i, char names[][NAME])
{
    static const arne_joint_kind kinds[] = {
        ARNE_JOINT_REVOLUTE, ARNE_JOINT_PRISMATIC, ARNE_JOINT_CONTINUOUS,
        ARNE_JOINT_BALL,     ARNE_JOINT_UNIVERSAL, ARNE_JOINT_PLANAR,
        ARNE_JOINT_HELICAL,  ARNE_JOINT_FIXED,     ARNE_JOINT_FREE};
    arne_error   error;
    char         joint[NAME];
    const double s[3] = {size_of(c), size_of(c), size_of(c)};
    snprintf(names[i], sizeof names[i], "b%d", i);
    snprintf(joint, sizeof joint, "j%d", i);
    const arne_body_spec body = {.name = names[i],
                                 .mass = size_of(c),
                                 .com = vector(c),
                                 .inertia = {s[1] + s[2], s[0] + s[2], s[0] + s[1], 0, 0, 0}};
    arne_status          status = arne_builder_add_body(b, &body, &error);
    if (status || i == 0) return status;
    arne_joint_spec spec = {.name = joint,
                            .parent = names[pick(c, (unsigned)i)],
                            .child = names[i],
                            .kind = kinds[pick(c, sizeof kinds / sizeof *kinds)],
                            .origin = pose(c),
                            .tip = IDENTITY,
                            .axis = vector(c),
                            .pitch = signed_size(c),
                            .lower = -INFINITY,
                            .upper = INFINITY,
                            .velocity = INFINITY,
                            .effort = INFINITY,
                            .viscous = size_of(c),
                            .rotor_inertia = pick(c, 2) ? size_of(c) : 0};
    if (pick(c, 4) == 0) spec.coulomb_positive = spec.coulomb_negative = size_of(c);
    return arne_builder_add_joint(b, &spec, &error);
}

// A joint follows one or two of those before it, whose speeds may cancel.
static arne_status couple(arne_builder *b, choices *c, int i)
{
    char            own[NAME], with[2][NAME];
    arne_joint_spec spec;
    arne_error      error;
    snprintf(own, sizeof own, "j%d", i);
    for (int k = 0; k < 2; k++)
        snprintf(with[k], sizeof with[k], "j%d", 1 + (int)pick(c, (unsigned)i - 1));
    if (arne_builder_get_joint(b, own, &spec) != ARNE_OK) abort();
    spec.mimic = with[0];
    spec.mimic_ratio = size_of(c);
    spec.mimic_offset = signed_size(c);
    arne_status status = arne_builder_set_joint(b, &spec, &error);
    if (status || pick(c, 2) == 0) return status;
    const arne_coupling_spec more = {.joint = own, .with = with[1], .ratio = -size_of(c)};
    return arne_builder_add_coupling(b, &more, &error);
}

static double largest(const double *x, int count)
{
    double out = 0;
    for (int i = 0; i < count; i++)
        out = fmax(out, fabs(x[i]));
    return out;
}

static void must_agree(const char *law, const double *a, const double *b, int count, double scale)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= scale)) {
            fprintf(stderr, "%s: %.17g and %.17g, allowed %.3g\n", law, a[i], b[i], scale);
            abort();
        }
}

typedef struct motion {
    double q[MOST], qd[MOST], qdd[MOST], tau[MOST];
} motion;

// M qdd + bias, and how large the sums are that it is made of.
static double matrix_form(const arne_robot *r, arne_work *w, const motion *m, const double *qdd,
                          double *out)
{
    static double M[MOST * MOST]; // one thread
    const int     n = arne_robot_sizes(r).v_count;
    double        scale = 0;
    arne_mass_matrix(r, w, m->q, M);
    arne_bias(r, w, m->q, m->qd, NULL, out);
    for (int i = 0; i < n; i++) {
        double sum = fabs(out[i]);
        for (int k = 0; k < n; k++) {
            out[i] += M[i * n + k] * qdd[k];
            sum += fabs(M[i * n + k] * qdd[k]);
        }
        scale = fmax(scale, sum);
    }
    return scale;
}

static void check_laws(const arne_robot *r, arne_work *w, const motion *m, double trust)
{
    const int  n = arne_robot_sizes(r).v_count;
    double     again[MOST], qdd[MOST];
    arne_error error;
    double     scale = matrix_form(r, w, m, m->qdd, again) + largest(m->tau, n);
    // What cancels, of a mass on the axis say, is rounding of what it cancels from.
    const double size = 1e-12 * trust * trust * trust, speed = largest(m->qd, n);
    const double rest = size * (10 + largest(m->qdd, n) + speed * speed);
    must_agree("matrix and recursion", again, m->tau, n, trust * 1e-10 * scale + rest);
    if (arne_forward_dynamics(r, w, m->q, m->qd, m->tau, NULL, qdd, &error) != ARNE_OK) {
        if (!error.text[0]) abort();
        return;
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(qdd[i])) abort();
    scale = fmax(scale, matrix_form(r, w, m, qdd, again));
    must_agree("forward undoes inverse", again, m->tau, n,
               trust * 1e-7 * scale + rest + size * largest(qdd, n));
}

static void check_batch(const arne_robot *r, const motion *m, double trust)
{
    const arne_sizes         size = arne_robot_sizes(r);
    const arne_batch_options options = {.threads = 1};
    static double            rows[4][MOST * STATES]; // one thread
    const double            *from[3] = {m->q, m->qd, m->qdd};
    arne_batch              *batch = NULL;
    arne_error               error;
    if (arne_batch_new(r, &options, &batch, &error) != ARNE_OK) return;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < (k ? size.v_count : size.q_count); i++)
            for (int s = 0; s < STATES; s++)
                rows[k][i * STATES + s] = from[k][i];
    const arne_batch_inputs  in = {.q = rows[0], .qd = rows[1], .qdd = rows[2]};
    const arne_batch_outputs out = {.tau = rows[3]};
    if (arne_batch_run(batch, ARNE_ALGORITHM_INVERSE_DYNAMICS, &in, &out, STATES, &error) !=
        ARNE_OK)
        abort();
    for (int s = 0; s < STATES; s++) {
        double tau[MOST];
        for (int i = 0; i < size.v_count; i++)
            tau[i] = rows[3][i * STATES + s];
        must_agree("batch and one state", tau, m->tau, size.v_count, trust);
    }
    arne_batch_free(batch);
}

static arne_robot *read_back(const arne_robot *r)
{
    char         *text = NULL;
    size_t        size = 0;
    arne_robot   *again = NULL;
    arne_builder *builder = NULL;
    arne_error    error = {0};
    if (arne_robot_text(r, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, &error) != ARNE_OK) {
        if (!error.text[0]) abort();
        return NULL;
    }
    if (arne_builder_new(&builder) != ARNE_OK) abort();
    if (arne_read_yaml(builder, text, size, "text.yaml", &error) != ARNE_OK ||
        arne_builder_finish(builder, NULL, &again, &error) != ARNE_OK) {
        fprintf(stderr, "the text is not read: %s\n%s", error.text, text);
        abort();
    }
    arne_builder_free(builder);
    free(text);
    return again;
}

static void check_text(const arne_robot *r, const motion *m)
{
    const arne_sizes size = arne_robot_sizes(r);
    arne_robot      *again = read_back(r);
    arne_work       *work = NULL;
    double           tau[MOST];
    if (!again) return;
    if (arne_robot_sizes(again).v_count != size.v_count) abort();
    if (arne_work_new(again, &work) != ARNE_OK) abort();
    arne_inverse_dynamics(again, work, m->q, m->qd, m->qdd, NULL, tau);
    for (int i = 0; i < size.v_count; i++)
        if (!(tau[i] == m->tau[i]) && !(isnan(tau[i]) && isnan(m->tau[i]))) {
            fprintf(stderr, "text and robot: %.17g and %.17g\n", tau[i], m->tau[i]);
            abort();
        }
    arne_work_free(work);
    arne_robot_free(again);
}

static void check_robot(const arne_robot *r, choices *c)
{
    const arne_sizes size = arne_robot_sizes(r);
    arne_work       *work = NULL;
    motion           m;
    double           neutral[MOST], step[MOST];
    if (size.q_count > MOST || arne_work_new(r, &work) != ARNE_OK) return;
    arne_neutral(r, neutral);
    for (int i = 0; i < size.v_count; i++) {
        step[i] = number(c);
        m.qd[i] = number(c);
        m.qdd[i] = number(c);
    }
    arne_integrate(r, neutral, step, m.q);
    arne_inverse_dynamics(r, work, m.q, m.qd, m.qdd, NULL, m.tau);
    const double moves = fmax(largest(step, size.v_count),
                              fmax(largest(m.qd, size.v_count), largest(m.qdd, size.v_count)));
    // Sums of a recursion are of products of these; what is lost grows with how far they lie apart.
    const double apart = fmax(c->large, 1) / fmin(c->small, 1);
    if (apart < 1e4 && moves < 1e3) {
        double scratch[MOST];
        check_laws(r, work, &m, apart);
        const double scale =
            matrix_form(r, work, &m, m.qdd, scratch) + largest(m.tau, size.v_count);
        check_batch(r, &m, 1e-10 * apart * (scale + 1));
    }
    check_text(r, &m);
    arne_work_free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices       c = {data, data + size, INFINITY, 0};
    char          names[MOST_JOINTS + 1][NAME];
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    if (arne_builder_new(&builder) != ARNE_OK) return 0;
    const int                count = 1 + (int)pick(&c, MOST_JOINTS);
    const arne_build_options options = {.base =
                                            pick(&c, 4) == 0 ? ARNE_BASE_FREE : ARNE_BASE_FIXED};
    arne_status              status = ARNE_OK;
    for (int i = 0; i <= count && !status; i++)
        status = add(builder, &c, i, names);
    for (int i = 2; i <= count && !status; i++)
        if (pick(&c, 4) == 1) status = couple(builder, &c, i);
    if (!status) {
        status = arne_builder_finish(builder, &options, &robot, &error);
        if (status && !error.text[0]) abort();
    }
    if (!status) check_robot(robot, &c);
    arne_robot_free(robot);
    arne_builder_free(builder);
    return 0;
}
