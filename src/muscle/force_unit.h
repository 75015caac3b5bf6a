// One muscle and its tendon, over double or complex numbers (see force_laws.h).
//
// X is the length of the fibre along the tendon, s = sin(pennation at the optimal length), both as
// parts of the optimal length: l = sqrt(X^2 + s^2), cos = X / l, since the fibres keep their
// height. With N = a f_active(l) f_velocity(v) + f_passive(l) + damping v, equilibrium is
//     G = N cos - f_tendon((L - X fibre_length) / slack_length) = 0.
// Equilibrium solves it for X, a state gives X and solves it for v; derivatives are those of
// implicit functions.
#ifndef ARNE_MUSCLE_FORCE_UNIT_H
#define ARNE_MUSCLE_FORCE_UNIT_H

#include "muscle/force_laws.h"
#include <arne/muscle_force.h>

enum { BY_ACTIVATION, BY_LENGTH, BY_VELOCITY, BY_STATE, BY_COUNT };
static const double COS_LEAST = 0.1;     // pennation stays below acos 0.1
static const double FIBRE_LEAST = 0.01;  // the shortest fibre, along its tendon
static const double TENDON_LEAST = 1e-5; // the least force of a state
static const double SLACK_MOST = 1e-12;  // the most force of a tendon that counts as slack
static const double FAST_MOST = 100;     // the most of a fibre's velocity
static const double STEP_DAMPING = 0.01; // the least of a fibre that is stepped

typedef struct unit_input {
    real activation, length, velocity, state;
} unit_input;

// All normalised; v in parts of max_velocity.
typedef struct unit {
    force_law         law;
    const law_curves *curves;
    int               no_passive;
    double            s, least, damping; // see above; the least X
    unit_input        in;
    // as found
    real           X, l, cos, v, N, tendon; // tendon: its length
    curve          active, passive, pull;   // pull: of the tendon
    velocity_curve speed;
    real           force, rate, force_by[BY_COUNT], rate_by[BY_COUNT];
    real           X_by[BY_COUNT], v_by[BY_COUNT]; // of the fibre
} unit;

ARNE_FN void unit_start(unit *u, const arne_muscle_law *law, const double *bezier, int no_passive)
{
    u->law.p = law;
    u->law.bezier = bezier;
    u->curves = &muscle_laws[law->kind];
    u->no_passive = no_passive || law->no_passive;
    u->damping = no_passive ? 0 : law->damping;
    u->s = sin(law->pennation);
    u->least = fmax(FIBRE_LEAST, u->s * COS_LEAST / sqrt(1 - COS_LEAST * COS_LEAST));
    u->rate = 0;
    for (int i = 0; i < BY_COUNT; i++)
        u->force_by[i] = u->rate_by[i] = u->X_by[i] = u->v_by[i] = 0;
}

// Everything that depends on X.
ARNE_TEXT void unit_place(unit *u, real X)
{
    const curve none = {0, 0, 0};
    u->X = X;
    u->l = r_sqrt(X * X + u->s * u->s);
    u->cos = X / u->l;
    u->active = u->curves->active(&u->law, u->l);
    u->passive = u->no_passive ? none : u->curves->passive(&u->law, u->l);
}

ARNE_FN void unit_stretch(unit *u)
{
    const arne_muscle_law *p = u->law.p;
    u->tendon = (u->in.length - u->X * p->fibre_length) / p->slack_length;
    u->pull = u->curves->tendon(&u->law, u->tendon);
}

ARNE_FN void unit_move(unit *u, real v)
{
    const real a = u->in.activation;
    u->v = v;
    u->speed = u->curves->velocity(&u->law, v, a);
    u->N = a * u->active.y * u->speed.y + u->passive.y + u->damping * v;
}

// dN/dv, dN/da, and d(N cos)/dX without what v contributes.
ARNE_FN real unit_by_v(const unit *u)
{
    return u->in.activation * u->active.y * u->speed.d + u->damping;
}
ARNE_FN real unit_by_a(const unit *u)
{
    return u->active.y * (u->speed.y + u->in.activation * u->speed.by_activation);
}
ARNE_FN real unit_dcos(const unit *u) { return u->s * u->s / (u->l * u->l * u->l); }
ARNE_FN real unit_by_X(const unit *u)
{
    const real slope = u->in.activation * u->active.d * u->speed.y + u->passive.d;
    return slope * u->cos * u->cos + u->N * unit_dcos(u);
}

// ---- equilibrium ----

// v and its derivatives by X, a, L and the velocity of the path.
typedef struct unit_share {
    real v, X, a, L, speed;
} unit_share;

// The fibre takes the part kt / (kt + kf) of the path's velocity. kf is the stiffness of the
// isometric fibre along the tendon; where it is negative (beyond the plateau) it counts as 0.
ARNE_TEXT unit_share unit_split(const unit *u)
{
    const arne_muscle_law *p = u->law.p;
    const real             a = u->in.activation, dcos = unit_dcos(u), c = u->cos;
    const real             N = a * u->active.y + u->passive.y, d = a * u->active.d + u->passive.d;
    const real             dd = a * u->active.dd + u->passive.dd, l = u->l;
    const double           fibre = p->fibre_length, slack = p->slack_length,
                 fastest = p->max_velocity * fibre;
    const real w = u->in.velocity / fastest;
    real       kf = (d * c * c + N * dcos) / fibre,
         kf_a = (u->active.d * c * c + u->active.y * dcos) / fibre;
    real kf_X =
        (dd * c * c * c + 3 * d * c * dcos - 3 * N * u->s * u->s * c / (l * l * l * l)) / fibre;
    const real kt = u->pull.d / slack, kt_L = u->pull.dd / (slack * slack), kt_X = -fibre * kt_L;
    if (l_value(kf) < 0) kf = kf_a = kf_X = 0;
    const real sum = kt + kf, over = l_value(sum) > 0 ? 1 / sum : 0, part = kt * over;
    const real q = over * over;
    unit_share out;
    out.v = w * part * c;
    out.X = w * ((kf * kt_X - kt * kf_X) * q * c + part * dcos);
    out.a = w * (-kt * kf_a * q) * c;
    out.L = w * kf * kt_L * q * c;
    out.speed = part * c / fastest;
    return out;
}

// G at X, and dG/dX.
ARNE_TEXT real unit_balance(unit *u, real X, unit_share *share, real *slope)
{
    unit_place(u, X);
    unit_stretch(u);
    *share = unit_split(u);
    unit_move(u, share->v);
    *slope = unit_by_X(u) + unit_by_v(u) * u->cos * share->X +
             u->pull.d * u->law.p->fibre_length / u->law.p->slack_length;
    return u->N * u->cos - u->pull.y;
}

// No force: the tendon hangs.
ARNE_FN void unit_hang(unit *u, real X, real v)
{
    const arne_muscle_law *p = u->law.p;
    unit_place(u, X);
    unit_move(u, v);
    u->tendon = p->slack_length > 0 ? (u->in.length - X * p->fibre_length) / p->slack_length : 1;
    u->force = 0;
}

// The fibre is as short as it gets, and the tendon stretched to it.
ARNE_FN void unit_shortest(unit *u)
{
    u->force = u->pull.y;
    u->force_by[BY_LENGTH] = u->pull.d / u->law.p->slack_length;
}

ARNE_TEXT void unit_equilibrium(unit *u)
{
    const arne_muscle_law *p = u->law.p;
    const double           length = l_value(u->in.length);
    double                 low = u->least, high = (length - p->slack_length) / p->fibre_length;
    unit_share             share;
    real                   slope;
    if (!(high > low)) {
        unit_hang(u, low, 0);
        return;
    }
    if (!(l_value(unit_balance(u, high, &share, &slope)) > 0)) { // it shortens too fast to pull
        unit_hang(u, high, u->in.velocity * u->cos / (p->max_velocity * p->fibre_length));
        return;
    }
    if (l_value(unit_balance(u, low, &share, &slope)) >= 0) {
        unit_shortest(u);
        return;
    }
    double X =
        fmax(high - 0.5 * p->tendon_strain * p->slack_length / p->fibre_length, 0.5 * (low + high));
    bracket b = {low, high, BRACKET_STEPS};
    real    G;
    do
        G = unit_balance(u, X, &share, &slope);
    while (bracket_step(&b, &X, l_value(G), l_value(slope)));
    // Thelen's tendon has a slope where its force begins, so that G jumps there: below it the fibre
    // shortens too fast to pull, and there is no equilibrium.
    if (!(l_value(u->pull.y) > SLACK_MOST)) {
        unit_hang(u, high, u->in.velocity * u->cos / (p->max_velocity * p->fibre_length));
        return;
    }
    // Once more, for the imaginary part. The real one is found; at a kink G / slope would leave it.
    G = unit_balance(u, X, &share, &slope);
    unit_balance(u, X - (G - l_value(G)) / slope, &share, &slope);
    // dX = -dG / slope
    const real by_v = unit_by_v(u) * u->cos, over = -1 / slope, kt = u->pull.d / p->slack_length;
    const real v_by[3] = {share.a, share.L, share.speed};
    u->force = u->pull.y;
    u->X_by[BY_ACTIVATION] = over * (unit_by_a(u) * u->cos + by_v * share.a);
    u->X_by[BY_LENGTH] = over * (by_v * share.L - kt);
    u->X_by[BY_VELOCITY] = over * by_v * share.speed;
    for (int i = 0; i < 3; i++) {
        u->force_by[i] = -kt * p->fibre_length * u->X_by[i];
        u->v_by[i] = v_by[i] + share.X * u->X_by[i];
    }
    u->force_by[BY_LENGTH] += kt;
}

// ---- rigid tendon ----

ARNE_TEXT void unit_rigid(unit *u)
{
    const arne_muscle_law *p = u->law.p;
    const real             X = (u->in.length - p->slack_length) / p->fibre_length;
    const double           fastest = p->max_velocity * p->fibre_length;
    u->tendon = 1;
    if (!(l_value(X) > u->least)) {
        unit_hang(u, u->least, 0);
        return;
    }
    unit_place(u, X);
    unit_move(u, u->in.velocity * u->cos / fastest);
    u->force = u->N * u->cos;
    u->X_by[BY_LENGTH] = 1 / p->fibre_length;
    u->v_by[BY_LENGTH] = u->in.velocity * unit_dcos(u) / (fastest * p->fibre_length);
    u->v_by[BY_VELOCITY] = u->cos / fastest;
    u->force_by[BY_ACTIVATION] = unit_by_a(u) * u->cos;
    u->force_by[BY_LENGTH] =
        unit_by_X(u) / p->fibre_length + unit_by_v(u) * u->cos * u->v_by[BY_LENGTH];
    u->force_by[BY_VELOCITY] = unit_by_v(u) * u->cos * u->v_by[BY_VELOCITY];
    if (l_value(u->force) > 0) return; // a muscle does not push
    u->force = 0;
    for (int i = 0; i < BY_COUNT; i++)
        u->force_by[i] = 0;
}

// ---- states ----

// The length of the tendon that pulls with this force: Newton within a bracket.
ARNE_TEXT real unit_tendon_of(const unit *u, real force)
{
    const double goal = l_value(force);
    double       high = 1 + u->law.p->tendon_strain;
    while (l_value(u->curves->tendon(&u->law, high).y) < goal && high < 100)
        high = 1 + 2 * (high - 1);
    bracket b = {1, high, BRACKET_STEPS};
    double  x = high;
    curve   c;
    do
        c = u->curves->tendon(&u->law, x);
    while (bracket_step(&b, &x, l_value(c.y) - goal, l_value(c.d)));
    c = u->curves->tendon(&u->law, x); // once more, for the imaginary part
    return x + (force - c.y) / c.d;
}

// Solves G = 0 for v, where the tendon pulls with `pull`.
ARNE_TEXT void unit_solve_velocity(unit *u, real pull)
{
    // without damping Millard's curve is flat beyond the fastest
    const int    flat = u->law.p->kind == ARNE_MUSCLE_MILLARD && u->damping == 0;
    const double most = flat ? 1 : FAST_MOST;
    const real   goal = pull / u->cos;
    bracket      b = {-most, most, BRACKET_STEPS};
    double       v = 0;
    do
        unit_move(u, v);
    while (bracket_step(&b, &v, l_value(u->N - goal), l_value(unit_by_v(u))));
    unit_move(u, v);
    const real slope = unit_by_v(u);
    if (l_value(slope) > 0 && fabs(v) < 0.99 * most)
        unit_move(u, v - (u->N - goal) / slope); // once more, for the imaginary part
}

// kind: which state u->in.state is.
ARNE_TEXT void unit_state(unit *u, arne_tendon kind)
{
    const arne_muscle_law *p = u->law.p;
    const double           fibre = p->fibre_length, slack = p->slack_length;
    const double           fastest = p->max_velocity * fibre;
    real                   X, X_L, X_s, t_L, t_s, pull;
    if (kind == ARNE_TENDON_FIBRE_STATE) {
        const real l = u->in.state / fibre, square = l * l - u->s * u->s;
        const int  free = l_value(square) > u->least * u->least;
        X = free ? r_sqrt(square) : u->least;
        unit_place(u, X);
        unit_stretch(u);
        pull = u->pull.y;
        X_L = 0;
        X_s = free ? 1 / (u->cos * fibre) : 0;
        t_L = u->pull.d / slack;
        t_s = -t_L * fibre * X_s;
    } else {
        pull = l_value(u->in.state) > TENDON_LEAST ? u->in.state : TENDON_LEAST;
        u->tendon = unit_tendon_of(u, pull);
        u->pull = u->curves->tendon(&u->law, u->tendon);
        X = (u->in.length - u->tendon * slack) / fibre;
        const int free = l_value(X) > u->least;
        if (!free) X = u->least;
        unit_place(u, X);
        X_L = free ? 1 / fibre : 0;
        X_s = free ? -slack / (fibre * u->pull.d) : 0;
        t_L = 0;
        t_s = 1;
    }
    unit_solve_velocity(u, pull);
    // dv = -dG / (dG/dv)
    const real slope = unit_by_v(u), dcos = unit_dcos(u), V = u->v * fastest;
    const real over = l_value(slope) > 0 ? -1 / (slope * u->cos) : 0, X_by = unit_by_X(u);
    u->v_by[BY_ACTIVATION] = over * unit_by_a(u) * u->cos;
    u->v_by[BY_LENGTH] = over * (X_by * X_L - t_L);
    u->v_by[BY_STATE] = over * (X_by * X_s - t_s);
    u->X_by[BY_LENGTH] = X_L;
    u->X_by[BY_STATE] = X_s;
    u->force = pull;
    u->force_by[BY_LENGTH] = t_L;
    u->force_by[BY_STATE] = t_s;
    u->rate = V;
    for (int i = 0; i < BY_COUNT; i++)
        u->rate_by[i] = u->v_by[i] * fastest;
    if (kind == ARNE_TENDON_FIBRE_STATE) return;
    const real stretch = u->in.velocity - V / u->cos, k = u->pull.d / slack;
    for (int i = 0; i < BY_COUNT; i++)
        u->rate_by[i] = k * (-u->rate_by[i] / u->cos + V * dcos * u->X_by[i] / (u->cos * u->cos));
    u->rate_by[BY_VELOCITY] += k;
    u->rate_by[BY_STATE] += u->pull.dd / u->pull.d * stretch / slack;
    u->rate = k * stretch;
}

// A fibre that has become X after a step h from the length in.state: G at X, and dG/dX.
ARNE_TEXT real unit_step_balance(unit *u, real X, double h, real *slope)
{
    const arne_muscle_law *p = u->law.p;
    const double           over = 1 / (h * p->max_velocity * p->fibre_length);
    unit_place(u, X);
    unit_stretch(u);
    unit_move(u, (u->l * p->fibre_length - u->in.state) * over);
    *slope = unit_by_X(u) + unit_by_v(u) * u->cos * u->cos * p->fibre_length * over +
             u->pull.d * p->fibre_length / p->slack_length;
    return u->N * u->cos - u->pull.y;
}

// Solves G = 0 for X, with v the way over the step; the tendon may be slack.
ARNE_TEXT void unit_step(unit *u, double h)
{
    const arne_muscle_law *p = u->law.p;
    const double           most = l_value(u->in.length) / p->fibre_length;
    const double           before = l_value(u->in.state) / p->fibre_length;
    double                 X = before, high = fmax(fmax(most, before), 2 * u->least);
    real                   slope;
    u->damping = fmax(u->damping, STEP_DAMPING);
    bracket b = {u->least, high, BRACKET_STEPS};
    real    G = unit_step_balance(u, u->least, h, &slope);
    if (l_value(G) >= 0) {
        unit_shortest(u);
        return;
    }
    X = fmin(fmax(X, u->least), high);
    do
        G = unit_step_balance(u, X, h, &slope);
    while (bracket_step(&b, &X, l_value(G), l_value(slope)));
    G = unit_step_balance(u, X, h, &slope); // once more, for the imaginary part
    unit_step_balance(u, X - G / slope, h, &slope);
    const double fastest = p->max_velocity * p->fibre_length;
    const real   by_v = unit_by_v(u) * u->cos, kt = u->pull.d / p->slack_length;
    u->X_by[BY_ACTIVATION] = -unit_by_a(u) * u->cos / slope;
    u->X_by[BY_LENGTH] = kt / slope;
    u->X_by[BY_STATE] = by_v / (h * fastest) / slope;
    u->force = u->pull.y;
    u->rate = u->v * fastest;
    for (int i = 0; i < BY_COUNT; i++) {
        u->force_by[i] = -kt * p->fibre_length * u->X_by[i];
        u->v_by[i] = u->cos * p->fibre_length * u->X_by[i] / (h * fastest);
    }
    u->force_by[BY_LENGTH] += kt;
    u->v_by[BY_STATE] -= 1 / (h * fastest);
    for (int i = 0; i < BY_COUNT; i++)
        u->rate_by[i] = u->v_by[i] * fastest;
}

// As the input says; forces are parts of max_force.
ARNE_TEXT void unit_solve(unit *u, arne_tendon kind, double step)
{
    if (kind == ARNE_TENDON_RIGID || u->law.p->rigid_tendon)
        unit_rigid(u);
    else if (kind == ARNE_TENDON_EQUILIBRIUM)
        unit_equilibrium(u);
    else if (step > 0)
        unit_step(u, step);
    else
        unit_state(u, kind);
}

#endif
