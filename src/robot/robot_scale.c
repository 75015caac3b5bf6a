// Scales of a robot: the inertia below which a sum is rounding, and the length that tolerances are
// relative to.
#include "robot/robot.h"
#include <math.h>

// Relative rounding of a sum of a few products: some dozen units in the last place.
static const double ROUNDING = 4e-15;

// The length of the chain of joint offsets from the root to a body; extended slides not counted.
static double way_to(const arne_robot *r, int i)
{
    const body *bodies = robot_bodies(r);
    double      way = 0;
    for (; i && bodies[i].parent; i = bodies[i].parent) {
        const constant3 *p = &bodies[i].placement.p;
        way += sqrt(p->x * p->x + p->y * p->y + p->z * p->z);
    }
    return way;
}

static void add_least(const arne_robot *r, double *least, int k, double amount)
{
    if (!r->shares_coordinates) {
        least[k] += amount;
        return;
    }
    const source *s = &robot_v_sources(r)[k];
    least[s->from] += s->ratio * s->ratio * amount;
    for (int i = 0; i < r->term_count; i++) {
        const term *t = &robot_terms(r)[i];
        if (t->v == k) least[t->from_v] += t->ratio * t->ratio * amount;
    }
}

void robot_find_least(arne_robot *r)
{
    double    *least = ROBOT_ARRAY(r, double, least);
    const dof *dofs = robot_dofs(r);
    for (int k = 0; k < r->v_count; k++)
        least[k] = 0;
    for (int i = 1; i < r->body_count; i++) {
        const body             *b = &robot_bodies(r)[i];
        const constant_inertia *I = &b->inertia;
        const double            way = way_to(r, i), mass = fabs(I->m);
        const double            moment = fabs(I->J.x.x) + fabs(I->J.y.y) + fabs(I->J.z.z) +
                              2 * way * (fabs(I->h.x) + fabs(I->h.y) + fabs(I->h.z)) +
                              way * way * mass;
        for (int k = b->v_start + b->v_count - 1; b->v_count && k >= 0; k = dofs[k].above) {
            const int turns = dofs[k].axis >= AXIS_AX;
            if (dofs[k].axis != AXIS_SPIN)
                add_least(r, least, k, ROUNDING * (turns ? moment : mass));
        }
    }
}

static double least_length_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// The longest way to where a body has its mass (its radius of gyration about the joint), a shape
// that touches or the end of a loop; 1 where none is away from the base.
void robot_find_length(arne_robot *r)
{
    double longest = 0;
    for (int i = 1; i < r->body_count; i++) {
        const constant_inertia *I = &robot_bodies(r)[i].inertia;
        const double            moment = fabs(I->J.x.x) + fabs(I->J.y.y) + fabs(I->J.z.z);
        longest = fmax(longest, way_to(r, i) + (I->m > 0 ? sqrt(moment / (2 * I->m)) : 0));
    }
    for (int i = 0; i < r->contact_count; i++) {
        const contact_shape *c = &robot_shapes(r)[i];
        longest = fmax(longest,
                       way_to(r, c->body) + least_length_of(&c->at.p.x) + least_length_of(c->size));
    }
    for (int i = 0; i < r->loop_count; i++)
        for (int end = 0; end < 2; end++) {
            const loop_record *l = &robot_loops(r)[i];
            longest = fmax(longest, way_to(r, l->body[end]) + least_length_of(&l->at[end].p.x));
        }
    r->length = longest > 0 ? fmin(1, 10 * longest) : 1;
}
