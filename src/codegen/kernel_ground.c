// What a rollout has besides forward dynamics: ground, masses of each world, joint limits, a
// policy. See kernel_rollout.c for the steps.
#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "robot/robot.h"
#include <math.h>
#include <stdlib.h>

// ---- the functions that are recorded ----

static arne_status kernel_ground_put_function(buffer *b, const kernel_plan *p, ground_function f)
{
    array_info in[MOST_INPUTS], out[MOST_OUTPUTS];
    const int  in_count = ground_inputs(p->ground, f, in),
              out_count = ground_outputs(p->ground, f, out);
    const emission        how = {.prefix = "generated",
                                 .word = ground_word(f),
                                 .in = in,
                                 .out = out,
                                 .in_count = in_count,
                                 .out_count = out_count,
                                 .is_float = p->options->precision == ARNE_PRECISION_FLOAT,
                                 .lanes = 1,
                                 .cuda = 1};
    arne_operation_counts counts = {0};
    tape                 *t = NULL;
    tape_ref             *results = NULL;
    buffer                text = {0};
    for (int i = 0; i < in_count; i++)
        put(b, "typedef const real *in_%s;\n", in[i].name);
    for (int i = 0; i < out_count; i++)
        put(b, "typedef real *out_%s;\n", out[i].name);
    arne_status status = record_ground(p->ground, f, &t, &results);
    if (!status) status = emit_body(&text, b, &how, t, results, &counts);
    kernel_put_definition(b, &how, &text);
    p->out->counts.mul += counts.mul;
    p->out->counts.add += counts.add;
    p->out->counts.div += counts.div;
    p->out->counts.sqrt += counts.sqrt;
    p->out->counts.sincos += counts.sincos;
    p->out->counts.sign += counts.sign;
    free(results);
    tape_free(t);
    return status;
}

arne_status put_ground_functions(buffer *b, const kernel_plan *p)
{
    const int   rigid = p->options->rigid, places = rigid || p->ground->own_planes;
    arne_status status = places ? kernel_ground_put_function(b, p, GROUND_PLACES) : ARNE_OK;
    if (!status && !rigid) status = kernel_ground_put_function(b, p, GROUND_MOTION);
    if (!status && rigid) status = kernel_ground_put_function(b, p, GROUND_ROWS);
    if (!status && rigid) status = kernel_ground_put_function(b, p, GROUND_PUSH);
    return status;
}

// ---- the world of a thread ----

// No limit is one that is never reached.
static double within_reach(double bound)
{
    return isfinite(bound) ? bound : bound > 0 ? 1e30 : -1e30;
}

// A table of numbers of the robot. The last is there so that none is empty.
static void kernel_ground_put_table(buffer *b, const char *type, const char *name, const double *x,
                                    int count)
{
    put(b, "static __device__ const %s %s[] = {", type, name);
    for (int i = 0; i < count; i++) {
        put_shortest(b, within_reach(x[i]));
        put(b, ", ");
    }
    put(b, "0};\n");
}

static void put_point_tables(buffer *b, const ground_request *g)
{
    double radius[GROUND_COORDINATES], friction[GROUND_COORDINATES];
    int    n = 0;
    for (int i = 0; i < g->robot->contact_count; i++) {
        const contact_shape *c = &robot_shapes(g->robot)[i];
        if (!ground_takes(g, i)) continue;
        radius[n] = c->shape == ARNE_SHAPE_SPHERE ? c->size[0] : 0;
        friction[n++] = c->friction;
    }
    kernel_ground_put_table(b, "real", "RADIUS", radius, n);
    kernel_ground_put_table(b, "real", "FRICTION", friction, n);
}

static void put_coordinate_tables(buffer *b, const ground_request *g)
{
    static const char *const names[] = {"AT_Q", "AT_V", "LOWER", "UPPER", "POSITIVE", "NEGATIVE"};
    for (int k = 0; k < 6; k++) {
        double x[GROUND_COORDINATES];
        for (int i = 0; i < g->coordinate_count; i++) {
            const ground_coordinate *c = &g->coordinates[i];
            const double all[] = {c->q, c->v, c->lower, c->upper, c->positive, c->negative};
            x[i] = all[k];
        }
        kernel_ground_put_table(b, k < 2 ? "int" : "real", names[k], x, g->coordinate_count);
    }
}

static void put_world_struct(buffer *b, const kernel_plan *p)
{
    const arne_kernel_options *o = p->options;
    put(b, "struct world {\n%s%s%s};\n", o->ground ? "    real ground[10];\n" : "",
        o->ground == ARNE_GROUND_FIELD ? "    height_field terrain;\n" : "",
        o->mass ? "    real mass[NB];\n" : "");
}

static void put_planes(buffer *b, const kernel_plan *p)
{
    put(b,
        "static __device__ __forceinline__ void plane_under(const world &w, const real *at, real "
        "*plane)\n{\n    (void)at;\n    %s;\n}\n",
        p->options->ground == ARNE_GROUND_FIELD ? "field_plane(w.terrain, at, plane)"
                                                : "ground_plane(w.ground, plane)");
}

static void put_rigid(buffer *b, const kernel_plan *p)
{
    const char *mass = p->options->mass ? "w.mass, " : "";
    put_point_tables(b, p->ground);
    put_coordinate_tables(b, p->ground);
    put(b,
        "static __device__ __forceinline__ void rows_of(const world &w, const real *q, const real "
        "*qd, const real *tau, const real *planes, real *u, real *rate, real *K)\n"
        "{\n    (void)w;\n    generated_rows(q, qd, tau, planes, %su, rate, K);\n}\n",
        mass);
    put(b,
        "static __device__ __forceinline__ void push_by(const world &w, const real *q, const real "
        "*qd, const real *tau, const real *planes, const real *forces, real *a)\n"
        "{\n    (void)w;\n    generated_push(q, qd, tau, planes, forces, %sa);\n}\n",
        mass);
    put(b, "%s\n", kernel_rigid);
}

static void put_accelerate(buffer *b, const kernel_plan *p)
{
    const ground_request *g = p->ground;
    put(b, "static __device__ __forceinline__ void accelerate(const world &w, const real *q, const "
           "real *qd, const real *tau, real *a)\n{\n    (void)w;\n");
    if (!g) {
        put(b, "    generated_forward_dynamics(q, qd, tau, a);\n}\n");
        return;
    }
    if (g->own_planes)
        put(b, "    real places[3 * NP], planes[6 * NP];\n    generated_places(q, places);\n"
               "    EACH(i, NP) plane_under(w, places + 3 * i, planes + 6 * i);\n");
    put(b, "    generated_motion(q, qd, tau, %s%s%sa);\n}\n", g->on_ground ? "w.ground, " : "",
        g->own_planes ? "planes, " : "", g->has_mass ? "w.mass, " : "");
}

void put_world(buffer *b, const kernel_plan *p)
{
    const ground_request *g = p->ground;
    if (g)
        put(b, "enum { NB = %d, NP = %d, NC = %d, NR = %d };\n",
            arne_robot_sizes(p->ask.robot).body_count, g->point_count, g->coordinate_count,
            g->row_count);
    if (p->options->ground) put(b, "%s\n", kernel_ground);
    put_world_struct(b, p);
    if (p->options->ground) put_planes(b, p);
    if (p->options->rigid)
        put_rigid(b, p);
    else
        put_accelerate(b, p);
}

void put_world_start(buffer *b, const kernel_plan *p)
{
    const arne_kernel_options *o = p->options;
    put(b, "    world w;\n    (void)w;\n");
    if (o->ground) put(b, "    EACH(i, 10) w.ground[i] = rows_in(ground_, s)[i];\n");
    if (o->ground == ARNE_GROUND_FIELD)
        put(b, "    w.terrain.heights = heights;\n    w.terrain.rows = rows;\n"
               "    w.terrain.columns = columns;\n    w.terrain.corner[0] = corner_x;\n"
               "    w.terrain.corner[1] = corner_y;\n    w.terrain.spacing[0] = spacing_x;\n"
               "    w.terrain.spacing[1] = spacing_y;\n");
    if (o->mass) put(b, "    EACH(i, NB) w.mass[i] = rows_in(mass_factor_, s)[i];\n");
    if (o->rigid)
        put(b, "    impulses felt;\n    EACH(i, NR) felt.p[i] = 0;\n"
               "    EACH(i, NC + 1) felt.stop[i] = felt.dry[i] = 0;\n");
}

// ---- joints at their limits, where contact is compliant ----

void put_limits(buffer *b, const kernel_plan *p)
{
    put(b, "static __device__ __forceinline__ void stop(real q, real qd, real low, real high, "
           "real k, real d, real *tau)\n{\n"
           "    const real below = k * (low - q) - d * qd, above = k * (q - high) + d * qd;\n"
           "    if (q < low && below > 0) *tau += below;\n"
           "    if (q > high && above > 0) *tau -= above;\n}\n"
           "static __device__ __forceinline__ void stops(const real *q, const real *qd, real k, "
           "real d, real *tau)\n{\n");
    for (int i = 0; i < arne_robot_sizes(p->ask.robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(p->ask.robot, i);
        if (j.q_count != 1 || (!isfinite(j.lower) && !isfinite(j.upper))) continue;
        put(b, "    stop(q[%d], qd[%d], (real)", j.q_start, j.v_start);
        put_shortest(b, within_reach(j.lower));
        put(b, ", (real)");
        put_shortest(b, within_reach(j.upper));
        put(b, ", k, d, tau + %d);\n", j.v_start);
    }
    put(b, "}\n");
}

// ---- a policy ----

// y = W2 tanh(W1 e + b1) + b2 of the error e, or y = W e + b without hidden units; one torque for
// each velocity, within its limit.
void put_policy(buffer *b, const kernel_plan *p)
{
    const int hidden = p->options->hidden;
    put(b,
        "enum { HIDDEN = %d };\n"
        "static __device__ __forceinline__ void policy(const rows_in &w, const controller &c, "
        "const real *q, const real *qd, real *act)\n{\n"
        "    real e[2 * NV], to[NQ];\n    EACH(i, NQ) to[i] = c.q_ref[i];\n"
        "    between(q, to, e);\n"
        "    EACH(i, NV) e[NV + i] = (c.qd_ref.at ? c.qd_ref[i] : 0) - qd[i];\n",
        hidden);
    if (hidden)
        put(b,
            "    const int bias = HIDDEN * 2 * NV, out = bias + HIDDEN, last = out + NV * "
            "HIDDEN;\n"
            "    EACH(i, NV) act[i] = c.f->most[i] > 0 ? w[last + i] : 0;\n"
            "    _Pragma(\"unroll 1\") for (int j = 0; j < HIDDEN; j++) {\n"
            "        real sum = w[bias + j];\n"
            "        EACH(i, 2 * NV) sum += w[j * 2 * NV + i] * e[i];\n"
            "        sum = real_tanh(sum);\n"
            "        EACH(i, NV) if (c.f->most[i] > 0) act[i] += w[out + i * HIDDEN + j] * sum;\n"
            "    }\n");
    else
        put(b,
            "    EACH(i, NV) {\n        act[i] = 0;\n        if (!(c.f->most[i] > 0)) continue;\n"
            "        real sum = w[NV * 2 * NV + i];\n"
            "        EACH(j, 2 * NV) sum += w[i * 2 * NV + j] * e[j];\n"
            "        act[i] = sum;\n    }\n");
    put(b, "    EACH(i, NV) {\n        const real most = c.f->most[i];\n"
           "        act[i] = act[i] > most ? most : act[i] < -most ? -most : act[i];\n    }\n}\n");
}
