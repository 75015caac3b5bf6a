// Computed torque of a robot that stands: arne/simulate.h has the law.
//
// A force is f = E x with x >= 0 and the four edges n + mu t of a pyramid inside its friction cone.
// Rows that nothing drives are to have no torque, h - B x = 0 with h = M a + bias and B = J^T E.
// Rows with a limit have a torque u of their own, h - B x = u, |u| <= limit; all others take what
// is left. One quadratic program with bounds finds x and u, each row divided by the square root of
// M_ii, so that what is left counts as an acceleration whatever the units of the coordinate.
#include "simulate/controllers/controller.h"

#include "base/error.h"
#include "math/box_qp.h"
#include "simulate/plant.h"
#include "world/world.h"
#include <arne/dynamics.h>
#include <arne/kinematics.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 64, EDGES = 4 };

typedef struct whole_body {
    arne_world    *world;
    double         weight;    // of x
    double        *M, *J, *B; // B by columns: v_count for each edge
    double        *H, *g, *lower, *upper, *x, *room;
    unsigned char *inside;
} whole_body;

// The columns of B of one touch. In the world's axes a wrench at the origin is (f, p x f).
static void whole_body_edges(arne_controller *c, const double *q, const arne_touch *t, double *B)
{
    const whole_body *o = c->own;
    const int         n = c->size.v_count;
    const double      mu = world_friction(o->world, t);
    arne_vec3         side[2];
    vec_across(t->normal, &side[0], &side[1]);
    arne_jacobian(c->robot, c->work, q, world_link(o->world, t->contact), ARNE_AXES_WORLD, o->J);
    for (int e = 0; e < EDGES; e++) {
        const arne_vec3 f = vec_add(t->normal, side[e / 2], e % 2 ? -mu : mu);
        const arne_vec3 m = vec_cross(t->point, f);
        const double    wrench[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
        for (int i = 0; i < n; i++) {
            B[e * n + i] = 0;
            for (int k = 0; k < 6; k++)
                B[e * n + i] += o->J[k * n + i] * wrench[k];
        }
    }
}

// The columns of all touches of surfaces; returns their number.
static int whole_body_columns(arne_controller *c, const double *q)
{
    whole_body *o = c->own;
    int         edges = 0;
    arne_kinematics(c->robot, c->work, q, NULL, NULL);
    const int count = arne_world_find(o->world, c->work, 1e-3 * c->robot->length);
    for (int i = 0; i < count && edges < EDGES * MOST_POINTS; i++) {
        const arne_touch t = arne_world_touch(o->world, i);
        if (t.other >= 0) continue;
        whole_body_edges(c, q, &t, o->B + (size_t)edges * (size_t)c->size.v_count);
        edges += EDGES;
    }
    return edges;
}

static int whole_body_bounded(const arne_controller *c, int i)
{
    return c->place[i] >= 0 && isfinite(c->torque[i]);
}

// H and g of the program with this many edges and, behind them, torques.
static void whole_body_program(const arne_controller *c, int edges, int count, const double *h)
{
    whole_body  *o = c->own;
    const int    n = c->size.v_count;
    const double least = o->weight / arne_total_mass(c->robot);
    memset(o->H, 0, sizeof *o->H * (size_t)count * (size_t)count);
    memset(o->x, 0, sizeof *o->x * (size_t)count);
    memset(o->g, 0, sizeof *o->g * (size_t)count);
    for (int k = 0; k < edges; k++) {
        o->lower[k] = 0;
        o->upper[k] = INFINITY;
        o->H[k * count + k] = least;
    }
    for (int i = 0, at = edges; i < n; i++) {
        const double w = 1 / o->M[i * (n + 1)], *row = o->B + i;
        const int    bounded = whole_body_bounded(c, i);
        if (c->place[i] >= 0 && !bounded) continue;
        for (int k = 0; k < edges; k++) {
            o->g[k] -= w * row[k * n] * h[i];
            for (int l = 0; l < edges; l++)
                o->H[k * count + l] += w * row[k * n] * row[l * n];
            if (bounded) o->H[k * count + at] = o->H[at * count + k] = w * row[k * n];
        }
        if (!bounded) continue;
        o->H[at * count + at] = w;
        o->g[at] = -w * h[i];
        o->lower[at] = -c->torque[i];
        o->upper[at++] = c->torque[i];
    }
}

static arne_status whole_body_torques(arne_controller *c, const arne_control_input *in, double *tau,
                                      arne_error *error)
{
    whole_body *o = c->own;
    const int   n = c->size.v_count, edges = whole_body_columns(c, in->q);
    int         count = edges;
    double     *a = c->acceleration;
    controller_accelerations(c, in, a);
    if (!edges)
        return arne_base_acceleration(c->robot, c->work, in->q, in->qd, NULL, a, tau, error);
    arne_mass_matrix(c->robot, c->work, in->q, o->M);
    arne_inverse_dynamics(c->robot, c->work, in->q, in->qd, a, NULL, tau);
    for (int i = 0; i < n; i++)
        count += whole_body_bounded(c, i);
    whole_body_program(c, edges, count, tau);
    if (!box_qp(count, o->H, o->g, o->lower, o->upper, o->x, o->inside, o->room))
        return arne_fail(error, ARNE_SINGULAR, NULL, 0,
                         "whole_body: forces of contacts are not unique: raise force_weight");
    for (int k = 0; k < edges; k++)
        for (int i = 0; i < n; i++)
            tau[i] -= o->B[k * n + i] * o->x[k];
    return ARNE_OK;
}

static void whole_body_release(arne_controller *c)
{
    whole_body *o = c->own;
    if (!o) return;
    arne_world_free(o->world);
    free(o->M);
    free(o->inside);
    free(o);
}

static arne_status whole_body_check(const arne_controller *c, double weight, arne_error *error)
{
    const char *why = NULL, *name = arne_robot_name(c->robot);
    arne_status code = ARNE_VALUE;
    if (!c->base_v)
        why = "has no free base: take computed_torque";
    else if (c->size.loop_count)
        code = ARNE_UNSUPPORTED, why = "has loops";
    else if (!controller_is_direct(c))
        code = ARNE_UNSUPPORTED, why = "has elastic joints or joints without a motor";
    else if (!c->size.contact_count)
        why = "has no contacts to stand on";
    for (int i = 0; i < c->size.contact_count && !why; i++)
        if (arne_robot_contact(c->robot, i).tyre[0] > 0)
            code = ARNE_UNSUPPORTED, why = "has tyres, whose forces follow from their slip";
    if (why) return arne_fail(error, code, NULL, 0, "whole_body: robot '%s' %s", name, why);
    if (!(weight > 0) || isinf(weight))
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "whole_body: force_weight: %g, which must be above 0", weight);
    return ARNE_OK;
}

static arne_status whole_body_prepare(arne_controller *c, const arne_surrounding *surroundings,
                                      int count, double weight, arne_error *error)
{
    const arne_simulation_spec sim = {
        .robot = c->robot, .surroundings = surroundings, .surrounding_count = count};
    arne_status status = whole_body_check(c, weight, error);
    if (status) return status;
    whole_body *o = c->own = calloc(1, sizeof *o);
    if (!o) return arne_fail_memory(error);
    o->weight = weight;
    status = surroundings_world(&sim, &o->world, error);
    if (status) return status;
    if (!o->world)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "whole_body needs a ground or height_field among the surroundings");
    const size_t n = (size_t)c->size.v_count, room = (size_t)o->world->touch_room,
                 edges = EDGES * (room < MOST_POINTS ? room : MOST_POINTS), m = edges + n;
    o->M = calloc(n * (n + 6 + edges) + m * (2 * m + 7), sizeof *o->M);
    o->inside = calloc(m, 1);
    if (!o->M || !o->inside) return arne_fail_memory(error);
    o->J = o->M + n * n;
    o->B = o->J + 6 * n;
    o->H = o->B + n * edges;
    o->g = o->H + m * m;
    o->lower = o->g + m;
    o->upper = o->lower + m;
    o->x = o->upper + m;
    o->room = o->x + m;
    return ARNE_OK;
}

arne_status arne_controller_whole_body(const arne_robot       *robot,
                                       const arne_surrounding *surroundings, int count,
                                       const double *kp, const double *kd, double force_weight,
                                       arne_controller **out, arne_error *error)
{
    static const controller_law law = {
        .name = "whole_body", .torques = whole_body_torques, .release = whole_body_release};
    if (!robot || !out || (count > 0 && !surroundings)) return arne_fail_null(error);
    arne_status status = controller_with_gains(robot, &law, kp, kd, out, error);
    if (status) return status;
    status = whole_body_prepare(*out, surroundings, count, force_weight, error);
    if (status) {
        arne_controller_free(*out);
        *out = NULL;
    }
    return status;
}
