// The workspace over any arithmetic: every intermediate result, listed once.
#ifndef ARNE_ROBOT_WORK_K_H
#define ARNE_ROBOT_WORK_K_H

#include "math/articulated.h"
#include "robot/robot.h"
#include <stddef.h>

enum { ARNE_ALIGNMENT = 64 };

// Type, name, number of entries, and what it is. b: bodies, n: velocity coordinates of the tree.
#define ARNE_WORK_FIELDS(FIELD)                                                                    \
    FIELD(real, sine, r->tree_q_count)   /* of every coordinate */                                 \
    FIELD(real, cosine, r->tree_q_count) /* of every coordinate */                                 \
    FIELD(pose, X, b)                    /* of a body in its parent */                             \
    FIELD(mat3, R, b)                    /* of a body in the axes common to a tree */              \
    FIELD(vec3, place, b)     /* of its origin, in the frame of the first moving body */           \
    FIELD(pose, X_w, b)       /* of a body in the world */                                         \
    FIELD(motion, v, b)       /* twist in body axes */                                             \
    FIELD(motion, a, b)       /* classical acceleration less gravity, in body axes */              \
    FIELD(mat3, U, b)         /* [dw] + [w][w]: how acceleration varies over the body */           \
    FIELD(force, f, b)        /* joint wrenches, in body axes */                                   \
    FIELD(articulated, A, b)  /* articulated inertias */                                           \
    FIELD(inertia, I, b)      /* composite inertias */                                             \
    FIELD(motion, bias, b)    /* acceleration that velocity alone causes across a joint */         \
    FIELD(force, U_k, n)      /* articulated inertia times S_k */                                  \
    FIELD(real, D, n)         /* S_k . U_k and rotor */                                            \
    FIELD(real, D_inverse, n) /* 1 / D */                                                          \
    FIELD(real, u, n)         /* torque left to accelerate the joint */                            \
    FIELD(motion, S, n)       /* S_k in the world */                                               \
    FIELD(motion, S_rate, n)  /* and its time derivative */                                        \
    FIELD(coriolis, B, b)     /* composite Coriolis matrices, in the world */                      \
    FIELD(real, zero, n)      /* zeros */                                                          \
    FIELD(real, tree_q,                                                                            \
          r->tree_q_count) /* coordinates of the tree where there are mimic joints */              \
    FIELD(real, tree_qd, n)                                                                        \
    FIELD(real, tree_qdd, n)                                                                       \
    FIELD(real, tree_tau, n)                                                                       \
    FIELD(real, rows, 6 * n)                          /* six rows over the tree */                 \
    FIELD(real, task, 6 * n)                          /* a Jacobian in the user's coordinates */   \
    FIELD(real, matrix, n *n)                         /* a mass matrix */                          \
    FIELD(real, tree_matrix, r->has_mimic ? n *n : 0) /* and that of the tree */                   \
    FIELD(real, scratch, 4 * n + 2 * (size_t)r->tree_q_count)

// The double workspace is the public arne_work; the other arithmetics have their own.
typedef struct arne_work {
#define FIELD(type, name, count) type *name;
    ARNE_WORK_FIELDS(FIELD)
#undef FIELD
    pose   base_pose;     // X_w[0], v[0], a[0] and U[0] are set from these once, not at every call
    motion base_velocity; // twist in base axes
} work;

// One walk that counts and one that assigns.
ARNE_TEXT size_t work_walk(const arne_robot *r, work *w, char *memory)
{
    const size_t b = (size_t)r->body_count, n = (size_t)r->tree_v_count;
    size_t       at = (sizeof(work) + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
#define FIELD(type, name, count)                                                                   \
    if (w) w->name = (type *)(void *)(memory + at);                                                \
    at += ((size_t)(count) * sizeof(type) + ARNE_ALIGNMENT - 1) / ARNE_ALIGNMENT * ARNE_ALIGNMENT;
    ARNE_WORK_FIELDS(FIELD)
#undef FIELD
    return at;
}

// The base: where it is, its twist, and the rate of that twist's numbers. Gravity is an upward acceleration.
ARNE_TEXT void work_set_base(const arne_robot *r, work *w, pose X, motion v, motion rate)
{
    const vec3 up = neg(lift(r->gravity));
    w->base_pose = X;
    w->base_velocity = v;
    w->X[0] = w->X_w[0] = X;
    w->v[0] = v;
    w->a[0] = mo(add(add(rate.lin, cross(v.ang, v.lin)), into(&X, up)), rate.ang);
    w->U[0] = rate_matrix(v.ang, rate.ang);
}

ARNE_TEXT void work_start(const arne_robot *r, work *w)
{
    const real one = r_num(1), o = r_num(0);
    const pose X = pose_from(m3(v3(one, o, o), v3(o, one, o), v3(o, o, one)), v3_zero());
    for (int k = 0; k < r->tree_v_count; k++)
        w->zero[k] = o;
    for (int i = 0; i < r->body_count; i++)
        w->f[i] = force_zero();
    work_set_base(r, w, X, motion_zero(), motion_zero());
}

#endif
