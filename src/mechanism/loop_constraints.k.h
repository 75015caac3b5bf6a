// What loops demand: closure errors, their Jacobian and their accelerations, from the two frames
// that each loop ties.
//
// Frame A is on the predecessor, frame B on the successor, d leads from A's origin to B's. Every
// kind is some rows of the motion of B against A, both taken at B's origin: with a wrench e_i at
// B's origin (a direction across which the loop holds) the rate of row i is
//     e_i . (v_B - v_A) = J_i qd,   and its rate   e_i . (a_B - a_A) + ... = J_i qdd + bias_i
// Rows that are fixed in A give the derivatives of A's components of d, exactly; those of turning,
// of A's components of the relative angular velocity, which near closure is the rate of the angle
// between A and B. A rod's row is along d, a universal joint's is x_A x y_B. The same e_i, times a
// multiplier, is the wrench of the loop on the successor, and its opposite that on the predecessor.
#ifndef ARNE_MECHANISM_LOOP_CONSTRAINTS_K_H
#define ARNE_MECHANISM_LOOP_CONSTRAINTS_K_H

#include "algo/kinematics.k.h"

// Which of A's axes a kind holds: bits x 1, y 2, z 4.
ARNE_FN int loop_holds_moving(arne_loop_kind kind)
{
    if (kind >= ARNE_LOOP_ROD) return 0;
    return kind == ARNE_LOOP_PRISMATIC || kind == ARNE_LOOP_PLANAR_POINT ? 3 : 7;
}
ARNE_FN int loop_holds_turning(arne_loop_kind kind)
{
    if (kind == ARNE_LOOP_FIXED || kind == ARNE_LOOP_PRISMATIC) return 7;
    return kind == ARNE_LOOP_REVOLUTE ? 3 : 0;
}

// The rows of a kind that are lengths, which come first; of a wheel and a knife edge all.
ARNE_FN int loop_length_rows(arne_loop_kind kind)
{
    const int moving = loop_holds_moving(kind);
    if (kind >= ARNE_LOOP_ROLLING) return kind == ARNE_LOOP_ROLLING ? 2 : 1;
    return kind == ARNE_LOOP_ROD ? 1 : (moving & 1) + (moving >> 1 & 1) + (moving >> 2);
}

// How the frame of one end turns and accelerates at its origin, in the world's axes.
typedef struct loop_end {
    vec3   turn;
    motion a;
} loop_end;

ARNE_FN pose loop_end_pose(const work *w, const loop_record *l, int end)
{
    const pose at = pose_lift(l->at[end]);
    return pose_mul(&w->X_w[l->body[end]], &at);
}

// Angular velocities must be in the workspace; accelerations too where `accelerated`, else they
// count as zero.
ARNE_FN loop_end loop_end_motion(const work *w, const loop_record *l, int end, int accelerated)
{
    loop_end     e;
    const int    i = l->body[end];
    const pose  *X = &w->X_w[i];
    const vec3   p = lift(l->at[end].p), turn = w->v[i].ang;
    const vec3   inward = cross(turn, cross(turn, p));
    const motion a = w->a[i];
    e.turn = out_of(X, turn);
    e.a = accelerated ? mo(out_of(X, add(add(a.lin, cross(a.ang, p)), inward)), out_of(X, a.ang))
                      : mo(out_of(X, inward), v3_zero());
    return e;
}

ARNE_FN vec3 column_of(const mat3 *R, int i) { return i == 0 ? R->x : i == 1 ? R->y : R->z; }

ARNE_FN real loop_distance(vec3 d) { return r_sqrt(dot(d, d)); }

// From the centre of a disc that rolls to where it touches, -r u, with u = m / |m|, m = n - (n . a)
// a for the normal n and the disc's axis a. With `turn`, that of B against A, also the rate of it
// as A sees it.
ARNE_FN vec3 rolling_arm(const loop_record *l, const pose *A, const pose *B, const vec3 *turn,
                         vec3 *rate)
{
    const vec3 n = A->R.z, a = B->R.z, m = sub_scaled(n, a, dot(n, a));
    const real length = loop_distance(m), radius = r_num(-l->info.length);
    const vec3 u = scale(m, r_div(r_num(1), length));
    if (turn) {
        const vec3 swing = cross(*turn, a);
        const vec3 m_rate = sub_scaled(scale(a, r_neg(dot(n, swing))), swing, dot(n, a));
        const vec3 u_rate = scale(sub_scaled(m_rate, u, dot(u, m_rate)), r_div(r_num(1), length));
        *rate = scale(u_rate, radius);
    }
    return scale(u, radius);
}

// The wrenches e_i, about B's origin in the world's axes; returns how many.
ARNE_TEXT int loop_rows(const loop_record *l, const pose *A, const pose *B, force *rows)
{
    const arne_loop_kind kind = l->info.kind;
    const int            moving = loop_holds_moving(kind), held = loop_holds_turning(kind);
    int                  count = 0;
    for (int i = 0; i < 3; i++)
        if (moving >> i & 1) rows[count++] = fo(column_of(&A->R, i), v3_zero());
    for (int i = 0; i < 3; i++)
        if (held >> i & 1) rows[count++] = fo(v3_zero(), column_of(&A->R, i));
    if (kind == ARNE_LOOP_UNIVERSAL) rows[count++] = fo(v3_zero(), cross(A->R.x, B->R.y));
    if (kind == ARNE_LOOP_ROD) {
        const vec3 d = sub(B->p, A->p);
        rows[count++] = fo(scale(d, r_div(r_num(1), loop_distance(d))), v3_zero());
    }
    if (kind == ARNE_LOOP_ROLLING) {
        const vec3 arm = rolling_arm(l, A, B, NULL, NULL);
        rows[count++] = fo(A->R.x, cross(arm, A->R.x));
        rows[count++] = fo(A->R.y, cross(arm, A->R.y));
    }
    if (kind == ARNE_LOOP_KNIFE_EDGE) rows[count++] = fo(cross(A->R.z, B->R.x), v3_zero());
    return count;
}

// How far the loop is from closed: metres, and sines of angles.
ARNE_TEXT void loop_error(const loop_record *l, const pose *A, const pose *B, real *out)
{
    const arne_loop_kind kind = l->info.kind;
    const int            moving = loop_holds_moving(kind), held = loop_holds_turning(kind);
    const vec3           d = sub(B->p, A->p), half = v3(r_num(0.5), r_num(0.5), r_num(0.5));
    vec3                 turned = cross(A->R.z, B->R.z);
    int                  count = 0;
    if (held == 7)
        turned = mul3(half, add(turned, add(cross(A->R.x, B->R.x), cross(A->R.y, B->R.y))));
    for (int i = 0; i < 3; i++)
        if (moving >> i & 1) out[count++] = dot(column_of(&A->R, i), d);
    for (int i = 0; i < 3; i++)
        if (held >> i & 1) out[count++] = dot(column_of(&A->R, i), turned);
    if (kind == ARNE_LOOP_UNIVERSAL) out[count++] = r_neg(dot(A->R.x, B->R.y));
    if (kind == ARNE_LOOP_ROD) out[count++] = r_sub(loop_distance(d), r_num(l->info.length));
    while (count < l->info.row_count) // conditions on velocities alone
        out[count++] = r_num(0);
}

// The second derivative of the error, from the relative twist v at B's origin and the accelerations
// of the ends.
ARNE_TEXT void loop_acceleration(const loop_record *l, const pose *X_A, const pose *X_B,
                                 const loop_end *A, const loop_end *B, motion v, const force *rows,
                                 real *out)
{
    const vec3   d = sub(X_B->p, X_A->p), w = A->turn;
    const vec3   carried = add(add(A->a.lin, cross(A->a.ang, d)), cross(w, cross(w, d)));
    const motion a = mo(sub(sub(B->a.lin, carried), scale(cross(w, v.lin), r_num(2))),
                        sub(sub(B->a.ang, A->a.ang), cross(w, v.ang)));
    int          count = l->info.row_count;
    if (l->info.kind == ARNE_LOOP_UNIVERSAL) {
        const vec3 x = X_A->R.x, y = X_B->R.y;
        const vec3 rate = add(cross(cross(w, x), y), cross(x, cross(B->turn, y)));
        count--;
        out[count] = r_add(dot(rows[count].ang, sub(B->a.ang, A->a.ang)), dot(rate, v.ang));
    }
    if (l->info.kind == ARNE_LOOP_ROD) {
        const vec3 u = rows[0].lin, apart = add(v.lin, cross(w, d));
        const real along = dot(u, apart);
        const real bend = r_div(r_sub(dot(apart, apart), r_mul(along, along)), loop_distance(d));
        count = 0;
        out[0] = r_add(dot(u, sub(B->a.lin, A->a.lin)), bend);
    }
    for (int i = 0; i < count; i++)
        out[i] = power(a, rows[i]);
    if (l->info.kind == ARNE_LOOP_ROLLING) {
        vec3 rate;
        rolling_arm(l, X_A, X_B, &v.ang, &rate);
        for (int i = 0; i < 2; i++)
            out[i] = r_add(out[i], dot(rows[i].lin, cross(v.ang, rate)));
    }
    if (l->info.kind == ARNE_LOOP_KNIFE_EDGE)
        out[0] = r_add(out[0], dot(cross(X_A->R.z, cross(v.ang, X_B->R.x)), v.lin));
}

// ---- all loops, with world poses (velocities, accelerations) of the bodies in the workspace ----

// Where the frames of a loop stand, and its rows: found once for a configuration.
typedef struct loop_tie {
    pose  A, B;
    force rows[6];
} loop_tie;

ARNE_TEXT void loops_tie(const arne_robot *r, const work *w, loop_tie *ties)
{
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        ties[i].A = loop_end_pose(w, l, 0);
        ties[i].B = loop_end_pose(w, l, 1);
        loop_rows(l, &ties[i].A, &ties[i].B, ties[i].rows);
    }
}

ARNE_TEXT void loops_error(const arne_robot *r, const loop_tie *ties, real *error)
{
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        loop_error(l, &ties[i].A, &ties[i].B, error + l->info.row_start);
    }
}

// One side of a loop's Jacobian: the columns between the body of an end and the body where both
// sides meet.
ARNE_TEXT void loop_side(const arne_robot *r, const work *w, const loop_record *l, int end,
                         const loop_tie *tie, real *J)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    for (int i = l->body[end]; i != l->meet; i = bodies[i].parent)
        for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++) {
            const motion S = axis_at(&dofs[k], w->X_w[i].R, sub(w->X_w[i].p, tie->B.p));
            for (int j = 0; j < l->info.row_count; j++) {
                const real x = power(S, tie->rows[j]);
                J[(l->info.row_start + j) * r->tree_v_count + k] = end ? x : r_neg(x);
            }
        }
}

// J, loop_row_count x tree_v_count.
ARNE_TEXT void loops_jacobian(const arne_robot *r, const work *w, const loop_tie *ties, real *J)
{
    for (int k = 0; k < r->loop_row_count * r->tree_v_count; k++)
        J[k] = r_num(0);
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        loop_side(r, w, l, 0, &ties[i], J);
        loop_side(r, w, l, 1, &ties[i], J);
    }
}

// The twist of B against A at B's origin, in the world's axes, from the velocities of the joints
// between them.
ARNE_TEXT motion loop_velocity(const arne_robot *r, const work *w, const loop_record *l, vec3 at,
                               const real *tree_qd)
{
    const body *bodies = robot_bodies(r);
    const dof  *dofs = robot_dofs(r);
    motion      v = motion_zero();
    for (int end = 0; end < 2; end++)
        for (int i = l->body[end]; i != l->meet; i = bodies[i].parent)
            for (int k = bodies[i].v_start; k < bodies[i].v_start + bodies[i].v_count; k++) {
                const motion S = axis_at(&dofs[k], w->X_w[i].R, sub(w->X_w[i].p, at));
                v = motion_add_scaled(v, S, end ? tree_qd[k] : r_neg(tree_qd[k]));
            }
    return v;
}

// The rates of the rows (NULL: not wanted) and the rates of those, or (not `accelerated`) what
// velocities alone contribute to the latter. With accelerations of qdd = 0 they are the bias.
ARNE_TEXT void loops_motion(const arne_robot *r, const work *w, const loop_tie *ties,
                            const real *tree_qd, int accelerated, real *velocity,
                            real *acceleration)
{
    for (int i = 0; i < r->loop_count; i++) {
        const loop_record *l = robot_loops(r) + i;
        const loop_tie    *tie = ties + i;
        const loop_end     A = loop_end_motion(w, l, 0, accelerated);
        const loop_end     B = loop_end_motion(w, l, 1, accelerated);
        const motion       v = loop_velocity(r, w, l, tie->B.p, tree_qd);
        loop_acceleration(l, &tie->A, &tie->B, &A, &B, v, tie->rows,
                          acceleration + l->info.row_start);
        for (int j = 0; velocity && j < l->info.row_count; j++)
            velocity[l->info.row_start + j] = power(v, tie->rows[j]);
    }
}

// The wrench of multipliers on the successor, about B's origin in the world's axes.
ARNE_TEXT force loop_wrench(const loop_record *l, const force *rows, const real *lambda)
{
    force sum = force_zero();
    for (int j = 0; j < l->info.row_count; j++)
        sum = force_add_scaled(sum, rows[j], lambda[l->info.row_start + j]);
    return sum;
}

// A wrench about a point of the world, in the world's axes, as one about a body's origin in its
// axes.
ARNE_FN force wrench_on_body(const pose *X, vec3 point, force f)
{
    return fo(into(X, f.lin), into(X, add(f.ang, cross(sub(point, X->p), f.lin))));
}

#endif
