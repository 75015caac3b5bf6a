// Steps of the rigid model: conditions on velocities, and the impulses that make them hold.
#ifndef ARNE_WORLD_RIGID_H
#define ARNE_WORLD_RIGID_H

#include "algo/contact_mobility.h"
#include "world/world.h"
#include <arne/loop.h>

typedef enum row_kind {
    ROW_CONTACT, // three rows: along the normal and two across
    ROW_LIMIT,   // a joint at a limit
    ROW_DRY,     // Coulomb friction of a joint
    ROW_HELD     // three rows that are zero whatever it takes
} row_kind;

typedef struct row_block {
    row_kind     kind;
    contact_rows rows;
    int          touch; // of a contact; which limit or friction of the others
    double       gap, mu, restitution;
    int          open;      // a contact that may have opened by no more than its arm turns
    int          row;       // its first among all rows
    double       K[9];      // J M^-1 J^T of its own rows
    double       soft[3];   // of tyres: velocity against the impulse, v = -soft p
    double       p[3];      // impulse
    double       bias[3];   // what its velocity has besides J v
    double       curve[3];  // of that, how its velocity changes to the end of the step as J does
    double       least;     // of the normal impulse
    double       low, high; // bounds of the impulse of joint friction
} row_block;

// A joint with friction.
typedef struct dry_row {
    int    v;
    double positive, negative;
} dry_row;
// A joint with a limit; side 1: lower, -1: upper.
typedef struct limit_row {
    int    q, v, side;
    double bound, force;
} limit_row;

// What is remembered of a contact to start from next time: the force along its rows, and in space.
typedef struct kept_force {
    int        key[4];
    double     force[3];
    arne_touch touch;
} kept_force;

enum { RIGID_FEW_ROWS = 96 };

typedef struct rigid {
    row_block      *blocks;
    contact_rows   *rows;                        // theirs, side by side
    double         *squeezed, *least, *approach; // of each block in an impact
    int             block_count, block_room;
    double         *J, *Y;   // Y = M^-1 J^T; or with `factors`, what contact_mobility left inward
    arne_work      *factors; // whose; NULL: Y is whole
    double          acting;  // how long torques act whose row is inward, too
    int             few;  // whether the last part of a step had factors: then torques are asked for
    size_t          room; // of numbers in J, and in Y
    int            *root_first, *root_end, *root_body, *root_body_end; // by the first moving body
    dry_row        *dry;
    int             dry_count;
    double         *dry_force;
    limit_row      *limits;
    int             limit_count;
    arne_touch     *felt; // contacts of all parts of a step, with impulses in place of forces
    int             felt_count, felt_last;
    kept_force     *kept;
    int             kept_count;
    unsigned       *held;
    double         *dense;   // of rigid_dense.c: two matrices and nine vectors
    double         *scratch; // 12 numbers a block, and velocities
    double         *applied; // torques of a step that is given them
    double         *torques; // that the plant gives, and what they do to the rows
    double         *rates;
    double         *v_free, *v_next, *v_start, *v_middle, *q_middle, *q_next, *qdd, *block;
    arne_loop_work *loop;               // NULL where there are no loops
    double         *mobility;           // M^-1 with the loops closed, where there are
    double         *slope;              // how velocities changed in the last part of a step
    int             has_slope, has_dry; // has_dry: the friction of the robot is among the rows
    double          residual, residual_largest; // of the last solution, of all
    long            sweeps, solutions, impacts;
    double          deepest; // penetration
} rigid;

// Who finds accelerations without contact, joint limits and dry friction.
typedef struct rigid_plant {
    void *context;
    arne_status (*accelerate)(void *context, const double *q, const double *qd, double *qdd,
                              arne_error *error);
    // The torques that cause them, M qdd; NULL where they are not known.
    arne_status (*torques)(void *context, const double *q, const double *qd, double *torques,
                           arne_error *error);
    // From now on forces, and a base that is prescribed, are those of a time after the step began;
    // NULL: they are the same throughout the step.
    void (*at)(void *context, double since);
    // What all but impulses do in a time t in which velocities change from one to the other, with
    // the loads of the contacts on bodies; t is 0 in an impact, and the loads are impulses. NULL:
    // nobody asks.
    double (*work)(void *context, double t, const double *q, const double *from, const double *to,
                   const arne_touch *loads, int count);
    // An impact that ended, with the impulses of contacts as their forces; NULL: nobody asks.
    void (*impact)(void *context, double since, const arne_touch *touches, int count);
} rigid_plant;

// With room for so many blocks besides.
ARNE_CHECKED arne_status rigid_new(arne_world *w, int more, arne_error *error);
void                     rigid_free(rigid *r);
// Memory for all rows that there can be, so that no step allocates.
ARNE_CHECKED arne_status rigid_reserve(arne_world *w, arne_error *error);
// Adds joint friction that sticks.
void rigid_add_dry(arne_world *w, int v, double positive, double negative);
// Forward dynamics has C sign(qd), which the rows of joint friction stand for: takes it back.
void rigid_without_dry(const rigid *r, const double *qd, double *tau);

// One step from q, qd. *done: the work of all impulses, and what plant->work says.
ARNE_CHECKED arne_status rigid_step(arne_world *w, arne_work *work, const rigid_plant *plant,
                                    double h, double *q, double *qd, double *done,
                                    arne_error *error);

// ---- rigid_rows.c: which conditions there are ----

// Rows of touches whose gap a time `before` was no more than TOUCH, and of limits and joint
// friction. h: 0 for an impact.
void rigid_collect(arne_world *w, arne_work *work, const double *q, const double *qd, double h,
                   double before);
// J and what is solved with: Y where that is wanted or there are many rows, else J M^-1 J^T in
// `dense`, and what torques (NULL: none) do to the rows.
ARNE_CHECKED arne_status rigid_columns(arne_world *w, arne_work *work, const double *q, int wants_Y,
                                       const double *torques, arne_error *error);
// How fast a point of a contact's link moves, at the state of the work's kinematics; and how fast a
// gap opens.
arne_vec3  touch_velocity(const arne_world *w, const arne_work *work, int contact, arne_vec3 p);
double     touch_rate(const arne_world *w, const arne_work *work, const arne_touch *t);
row_block *rigid_add_block(rigid *r, row_kind kind, int which);
void       rigid_span(const arne_world *w, int i, contact_rows *rows);
// Where there are loops: q and v (NULL: none) as they let it be.
ARNE_CHECKED arne_status rigid_close(const arne_world *w, arne_work *work, double *q, double *v,
                                     arne_error *error);
// Impulses to start from, and what is remembered of those that were found.
void rigid_recall(arne_world *w, double h);
void rigid_keep(arne_world *w, double h);
// Adds impulses to those that contacts have felt in this step: `part` of the force of each.
void rigid_feel(arne_world *w, const arne_touch *t, double part);

// ---- rigid_solve.c ----

// v becomes the velocity that obeys all conditions, from v without their impulses. Returns the
// residual, m/s.
double rigid_solve(const arne_world *w, double *v);
// The impulse of a block whose rows move with u, with all others as they are; returns how much its
// velocity changes.
double block_solve(row_block *b, const double u[3]);
// Whether a block may have an impulse.
int block_may(const row_block *b, const double p[3]);
// Whether every block is of the kind (open, sticking, sliding) that it was; writes the kinds down.
int blocks_same(const rigid *r, unsigned *held);
// q moves out of penetration, along M^-1 J^T; velocities stay. `later`: how far gaps have moved
// since they were found.
void rigid_push_out(arne_world *w, const double *v, double later, double *q);
// J v of the block's first row, and all three.
double block_velocity(const rigid *r, const row_block *b, const double *v);
void   block_velocities(const rigid *r, const row_block *b, const double *v, double out[3]);
void   block_add(const rigid *r, const row_block *b, const double dp[3], double *v);

// ---- rigid_dense.c: where there are few rows ----

int    rigid_is_small(const rigid *r);
double rigid_solve_small(const arne_world *w, double *v, double tolerance, int most);
// v += M^-1 (J^T p + acting torques), a number of p for each row with room for contact_stride.
void rigid_add_small(const arne_world *w, double *p, double acting, double *v);

// Sums of products, four at a time.
typedef double       row_four __attribute__((vector_size(32), aligned(8), may_alias));
static inline double row_dot(const double *a, const double *b, int count)
{
    row_four four = {0, 0, 0, 0};
    double   rest = 0;
    int      i = 0;
    for (; i + 4 <= count; i += 4)
        four += *(const row_four *)(const void *)(a + i) * *(const row_four *)(const void *)(b + i);
    for (; i < count; i++)
        rest += a[i] * b[i];
    return (four[0] + four[1]) + (four[2] + four[3]) + rest;
}
// y += s x
static inline void row_add(double *y, const double *x, double s, int count)
{
    int i = 0;
    for (; i + 4 <= count; i += 4)
        *(row_four *)(void *)(y + i) += s * *(const row_four *)(const void *)(x + i);
    for (; i < count; i++)
        y[i] += s * x[i];
}

// What is nearer touches: m, and rad or m of joints at their limits.
static inline double rigid_touch(const arne_world *w) { return 1e-6 * w->robot->length; }

#endif
