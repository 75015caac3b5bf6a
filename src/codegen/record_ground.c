// Rollouts on ground over a tape: from the texts of ground_dynamics and forward_dynamics.
//
// Rows of the rigid model: J M^-1 J^T from the inward pass of forward dynamics, without weight and
// velocities, under a force of one along each row. What depends on q alone is recorded once for all
// of them, and forces of zero leave no operations.
#define ARNE_RECORD
#include "algo/ground_dynamics.k.h"
#include "base/error.h"
#include "codegen/ground_functions.h"
#include <arne/integrate.h>
#include <stdlib.h>
#include <string.h>

// ---- what goes in and comes out ----

int ground_takes(const ground_request *g, int shape)
{
    const int stands = robot_shapes(g->robot)[shape].body == 0; // on the world
    return !stands && !(shape < 64 && g->left_out >> shape & 1);
}

// Joints of one coordinate that have a limit or dry friction.
static void ground_start_coordinates(ground_request *g)
{
    const arne_robot *r = g->robot;
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        if (j.q_count != 1 || j.v_count != 1 || g->coordinate_count >= GROUND_COORDINATES) continue;
        const dof   *d = &robot_dofs(r)[j.v_start];
        const double dry[2] = {d->coulomb + d->coulomb_skew, d->coulomb - d->coulomb_skew};
        if (!isfinite(j.lower) && !isfinite(j.upper) && !(dry[0] > 0) && !(dry[1] > 0)) continue;
        g->coordinates[g->coordinate_count++] =
            (ground_coordinate){j.q_start, j.v_start, j.lower, j.upper, dry[0], dry[1]};
    }
}

void ground_start(ground_request *g)
{
    for (int i = 0; i < g->robot->contact_count; i++)
        if (ground_takes(g, i)) g->point_count += shape_points(robot_shapes(g->robot)[i].shape);
    ground_start_coordinates(g);
    g->row_count = 3 * g->point_count + g->coordinate_count;
}

arne_status ground_check(const ground_request *g, const arne_kernel_options *o, arne_error *error)
{
    const arne_robot *r = g->robot;
    const char       *why = NULL;
    if (o->ground && g->point_count == 0)
        why = "the robot has no contact shapes that could touch the ground";
    else if ((o->mass || o->rigid) && r->shares_coordinates)
        why = "factors of masses and rigid ground are not for robots with coupled joints";
    else if (o->rigid && (!o->ground || o->method != ARNE_METHOD_EULER))
        why = "rigid rollouts need ground, and step by ARNE_METHOD_EULER";
    else if (o->rigid && r->spring_count)
        why = "rigid rollouts are not for robots with springs";
    else if (o->rigid && (g->row_count > GROUND_COORDINATES || o->limits))
        why = o->limits ? "rigid rollouts hold limits without a stiffness"
                        : "rigid rollouts have at most 128 rows";
    if (why) return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "%s", why);
    for (int i = 0; i < r->contact_count && o->rigid; i++) {
        const arne_contact_info c = arne_robot_contact(r, i);
        if (ground_takes(g, i) && c.shape != ARNE_SHAPE_POINT && c.shape != ARNE_SHAPE_SPHERE)
            return arne_fail(
                error, ARNE_UNSUPPORTED, NULL, 0,
                "rigid rollouts have points and spheres, and '%s' is a %s: leave it out", c.name,
                arne_shape_name(c.shape));
    }
    return ARNE_OK;
}

const char *ground_word(ground_function f)
{
    static const char *const words[] = {"places", "motion", "rows", "push"};
    return words[f];
}

static array_info named(const char *name, int count)
{
    const array_info a = {.name = name, .count = count};
    return a;
}

int ground_inputs(const ground_request *g, ground_function f, array_info out[MOST_INPUTS])
{
    const int p = g->point_count;
    int       n = 0;
    out[n++] = named("q", g->robot->q_count);
    if (f == GROUND_PLACES) return n;
    out[n++] = named("qd", g->robot->v_count);
    out[n++] = named("tau", g->robot->v_count);
    if (f == GROUND_MOTION && g->on_ground) out[n++] = named("ground", 10);
    if (f == GROUND_MOTION ? g->own_planes : 1) out[n++] = named("planes", 6 * p);
    if (f == GROUND_PUSH) out[n++] = named("forces", 3 * p);
    if (g->has_mass) out[n++] = named("mass_factor", g->robot->body_count);
    return n;
}

int ground_outputs(const ground_request *g, ground_function f, array_info out[MOST_OUTPUTS])
{
    const int m = g->row_count;
    if (f == GROUND_PLACES)
        out[0] = named("places", 3 * g->point_count);
    else if (f == GROUND_ROWS) {
        out[0] = named("speed", m);
        out[1] = named("rate", m);
        out[2] = named("K", m * (m + 1) / 2);
        return 3;
    } else
        out[0] = named("qdd", g->robot->v_count);
    return 1;
}

// ---- the texts ----

// Memory of one recording.
typedef struct ground_tape {
    const ground_request *g;
    work                 *w;
    const real           *q, *qd, *tau, *ground, *planes, *forces;
    real                 *out, *rows, *own; // rows: v_count numbers of each, see put_row_inward
} ground_tape;

static void record_ground_put_places(const ground_tape *t)
{
    const arne_robot *r = t->g->robot;
    const vec3        up = v3(r_num(0), r_num(0), r_num(1));
    real             *to = t->out;
    kinematics(r, t->w, t->q, NULL, NULL);
    for (int i = 0; i < r->contact_count; i++)
        for (int k = 0; ground_takes(t->g, i) && k < shape_points(robot_shapes(r)[i].shape); k++) {
            put_vec3(to, place_of_point(r, t->w, i, k, up));
            to += 3;
        }
}

static void ground_clear(const ground_tape *t)
{
    for (int i = 0; i < t->g->robot->body_count; i++)
        t->w->pressed[i] = load_lower(force_zero());
}

static void put_motion_of(const ground_tape *t)
{
    const arne_robot *r = t->g->robot;
    const real       *planes = t->planes;
    ground_clear(t);
    if (t->g->on_ground) {
        const ground_plane g = ground_from(t->ground);
        kinematics(r, t->w, t->q, t->qd, NULL);
        for (int i = 0; i < r->contact_count; i++) {
            if (!ground_takes(t->g, i)) continue;
            press_shape(r, t->w, &g, planes, i);
            if (planes) planes += 6 * shape_points(robot_shapes(r)[i].shape);
        }
    }
    forward_dynamics(r, t->w, t->q, t->qd, t->tau, t->w->pressed, t->out);
}

// Three axes at a contact point: along the normal and two across.
static vec3 row_axis(const real *plane, int k)
{
    const vec3 n = v3(plane[0], plane[1], plane[2]), a = v3(plane[3], plane[4], plane[5]);
    return k == 0 ? n : k == 1 ? a : cross(n, a);
}

static double radius_of(const contact_shape *c)
{
    return c->shape == ARNE_SHAPE_SPHERE ? c->size[0] : 0;
}

// The contact point of a shape, in its body's axes.
static vec3 point_in_body(const ground_tape *t, const contact_shape *c, const real *plane)
{
    const pose *B = &t->w->X_w[c->body], in_body = pose_lift(c->at);
    return into(
        B,
        sub(add_scaled(pose_mul(B, &in_body).p, row_axis(plane, 0), r_num(-radius_of(c))), B->p));
}

// A force at the contact point of a shape: on its body.
static void push_shape(const ground_tape *t, int shape, const real *plane, vec3 f)
{
    const contact_shape *c = &robot_shapes(t->g->robot)[shape];
    const vec3           at = point_in_body(t, c, plane), f_b = into(&t->w->X_w[c->body], f);
    t->w->pressed[c->body] =
        load_lower(force_add(load_lift(&t->w->pressed[c->body]), fo(f_b, cross(at, f_b))));
}

static void record_ground_put_push(const ground_tape *t)
{
    const arne_robot *r = t->g->robot;
    const real       *plane = t->planes, *f = t->forces;
    ground_clear(t);
    kinematics(r, t->w, t->q, NULL, NULL);
    for (int i = 0; i < r->contact_count; i++) {
        if (!ground_takes(t->g, i)) continue;
        push_shape(t, i, plane, v3(f[0], f[1], f[2]));
        plane += 6;
        f += 3;
    }
    forward_dynamics(r, t->w, t->q, t->qd, t->tau, t->w->pressed, t->out);
}

// J v: how the rows move where the robot moves with v.
static void put_row_motion(const ground_tape *t, const real *v, real *out)
{
    const arne_robot *r = t->g->robot;
    const real       *plane = t->planes;
    kinematics(r, t->w, t->q, v, NULL);
    for (int i = 0; i < r->contact_count; i++) {
        const contact_shape *c = &robot_shapes(r)[i];
        if (!ground_takes(t->g, i)) continue;
        const motion b = t->w->v[c->body];
        const vec3   moves =
            out_of(&t->w->X_w[c->body], add(b.lin, cross(b.ang, point_in_body(t, c, plane))));
        for (int k = 0; k < 3; k++)
            *out++ = dot(row_axis(plane, k), moves);
        plane += 6;
    }
    for (int i = 0; i < t->g->coordinate_count; i++)
        *out++ = v[t->g->coordinates[i].v];
}

// What a row of forces and torques leaves at each joint on its way inward, without weight and
// velocities: u in articulate_body. Then J M^-1 J^T is the sum of u_i u_j / D over the joints.
static void put_row_inward(const ground_tape *t, const real *tau, real *u)
{
    const arne_robot *r = t->g->robot;
    tree_articulate(r, t->w, tree_q(r, t->w, t->q), t->w->zero, tau, t->w->pressed);
    for (int k = 0; k < r->v_count; k++)
        u[k] = t->w->u[k];
}

static void put_rows_inward(const ground_tape *t)
{
    const arne_robot *r = t->g->robot;
    const int         n = r->v_count;
    const motion      weight = t->w->a[0];
    const real       *plane = t->planes;
    real             *u = t->rows, *tau = t->own;
    t->w->a[0] = motion_zero();
    for (int k = 0; k < n; k++)
        tau[k] = r_num(0);
    for (int i = 0; i < r->contact_count; i++) {
        if (!ground_takes(t->g, i)) continue;
        for (int k = 0; k < 3; k++, u += n) {
            ground_clear(t);
            kinematics(r, t->w, t->q, NULL, NULL);
            push_shape(t, i, plane, row_axis(plane, k));
            put_row_inward(t, tau, u);
        }
        plane += 6;
    }
    ground_clear(t);
    for (int i = 0; i < t->g->coordinate_count; i++, u += n) {
        const int v = t->g->coordinates[i].v;
        tau[v] = r_num(1);
        put_row_inward(t, tau, u);
        tau[v] = r_num(0);
    }
    t->w->a[0] = weight;
}

static void record_ground_put_rows(const ground_tape *t)
{
    const int n = t->g->robot->v_count, m = t->g->row_count;
    real     *K = t->out + 2 * m, *qdd = t->own + n;
    put_row_motion(t, t->qd, t->out);
    forward_dynamics(t->g->robot, t->w, t->q, t->qd, t->tau, NULL, qdd);
    put_row_motion(t, qdd, t->out + m);
    put_rows_inward(t);
    for (int j = 0; j < m; j++)
        for (int i = j; i < m; i++) {
            real sum = r_num(0);
            for (int k = 0; k < n; k++)
                sum = r_add_mul(sum, t->rows[i * n + k],
                                r_mul(t->rows[j * n + k], t->w->D_inverse[k]));
            K[i * (i + 1) / 2 + j] = sum;
        }
}

// ---- recording ----

static const real *take_input(tape *t, int count, real **at)
{
    const real *start = *at;
    for (int i = 0; i < count; i++)
        *(*at)++ = tape_variable(t, 0.5);
    return start;
}

static void take_inputs(tape *t, const array_info *in, int count, real *at, ground_tape *to)
{
    for (int i = 0; i < count; i++) {
        const char *name = in[i].name;
        const real *x = take_input(t, in[i].count, &at);
        if (strcmp(name, "q") == 0) to->q = x;
        if (strcmp(name, "qd") == 0) to->qd = x;
        if (strcmp(name, "tau") == 0) to->tau = x;
        if (strcmp(name, "ground") == 0) to->ground = x;
        if (strcmp(name, "planes") == 0) to->planes = x;
        if (strcmp(name, "forces") == 0) to->forces = x;
        if (strcmp(name, "mass_factor") == 0) to->w->mass_factor = x;
    }
}

static void ground_run(const ground_tape *t, ground_function f)
{
    switch (f) {
    case GROUND_PLACES:
        record_ground_put_places(t);
        break;
    case GROUND_MOTION:
        put_motion_of(t);
        break;
    case GROUND_ROWS:
        record_ground_put_rows(t);
        break;
    case GROUND_PUSH:
        record_ground_put_push(t);
        break;
    }
}

arne_status record_ground(const ground_request *g, ground_function f, tape **out,
                          tape_ref **results)
{
    array_info   in[MOST_INPUTS], made[MOST_OUTPUTS];
    const int    in_count = ground_inputs(g, f, in), out_count = ground_outputs(g, f, made);
    const size_t n = (size_t)g->robot->v_count, m = (size_t)g->row_count,
                 ins = (size_t)total_count(in, in_count),
                 outs = (size_t)total_count(made, out_count);
    tape       *t = *out = tape_new();
    real       *x = calloc(ins + outs + m * n + 2 * n + 1, sizeof *x);
    ground_tape own = {.g = g, .w = record_work(g->robot)};
    *results = malloc(sizeof **results * (outs + 1));
    const int fine = t && x && own.w && *results;
    if (fine) {
        own.out = x + ins;
        own.rows = own.out + outs;
        own.own = own.rows + m * n;
        take_inputs(t, in, in_count, x, &own);
        ground_run(&own, f);
        for (size_t i = 0; i < outs; i++)
            (*results)[i] = tape_reference(t, own.out[i]);
    }
    free(own.w);
    free(x);
    return fine && !t->failed ? ARNE_OK : ARNE_NO_MEMORY;
}
