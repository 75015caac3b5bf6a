// The workspace over any arithmetic: every intermediate result, listed once.
#ifndef ARNE_ROBOT_WORK_K_H
#define ARNE_ROBOT_WORK_K_H

#include "math/articulated.h"
#include "math/exponential.h"
#include "math/pack.h"
#include "robot/robot.h"
#include <stddef.h>

// Of a body that moves by an exponential: strains at two points, and their exponential.
typedef struct exponent_state {
    motion      strain[2];
    exponential e;
} exponent_state;

enum { ARNE_ALIGNMENT = 64, COLUMN_ROOM = 13, SLOPE_ORDERS = 4 };

// Type, name, number of entries, and what it is. b: bodies, n: velocity coordinates of the tree.
// "Common" is the frame of algo/common.k.h. clang-format off
#define ARNE_WORK_FIELDS(FIELD)                                                                    \
    FIELD(real, sine, r->tree_q_count) /* of every coordinate */                                   \
    FIELD(real, cosine, r->tree_q_count)                                                           \
    FIELD(int, way, b)       /* the last of each run of bodies to one, see kinematics */           \
    FIELD(pose, X, b)        /* of a body in its parent */                                         \
    FIELD(pose, X_w, b)      /* of a body in the world */                                          \
    FIELD(motion, v, b)      /* twist in body axes */                                              \
    FIELD(motion, a, b)      /* classical acceleration less gravity, in body axes */               \
    FIELD(force, f, b)       /* joint wrenches, in body axes */                                    \
    FIELD(motion, bias, b)   /* acceleration that velocity alone causes at a joint */              \
    FIELD(articulated, A, b) /* articulated inertias */                                            \
    FIELD(force, U_k, n)     /* articulated inertia times S_k */                                   \
    FIELD(real, D, n)        /* S_k . U_k and rotor */                                             \
    FIELD(real, D_inverse, n)                                                                      \
    FIELD(real, columns, COLUMN_ROOM *n) /* see articulated_solve.k.h */                           \
    FIELD(real, packs, 6 * PACK * b)     /* of bodies that fork, there */                          \
    FIELD(real, some, PACK *n)           /* columns that do not fill a pack */                     \
    FIELD(int, related, n)               /* to some columns, see forward_dynamics_derivatives.c */ \
    FIELD(force, U_h, r->handle_count)   /* likewise of handles: what moves with each */           \
    FIELD(real, u_h, r->handle_count)                                                              \
    FIELD(real, D_h, r->handle_pairs) /* between the handles of a body */                          \
    FIELD(real, E_h, r->handle_cross) /* between its columns and its handles */                    \
    FIELD(real, u, n)                 /* torque left to accelerate the joint */                    \
    FIELD(mat3, R, b)                 /* of a body in the common frame */                          \
    FIELD(vec3, place, b)             /* of its origin there */                                    \
    FIELD(motion, S, n)               /* S_k there */                                              \
    FIELD(motion, psi, n)             /* v_p x S_k: its rate but for the joint's own speed */      \
    FIELD(motion, drift, n)           /* psi_k + dS_k/dt */                                        \
    FIELD(motion, psi_rate, n)        /* a_p x S_k + v_p x psi_k */                                \
    FIELD(motion, v_c, b)             /* twist in the common frame */                              \
    FIELD(motion, a_c, b)             /* its rate, less gravity */                                 \
    FIELD(inertia, I, b)              /* composite inertias in the common frame */                 \
    FIELD(coriolis, B, b)             /* composite Coriolis matrices there */                      \
    FIELD(force, F, b)                /* composite forces there: joint wrenches */                 \
    FIELD(turning, E, b)              /* composite effect of turning under loads of the world */   \
    FIELD(motion, phi, n)             /* virtual twists across the joints, see directional.k.h */  \
    FIELD(motion, virtual_v, b)                                                                    \
    FIELD(force, virtual_h, b)                                                                     \
    FIELD(vec3, virtual_c, b)                                                                      \
    FIELD(vec3, virtual_e, b)                                                                      \
    FIELD(vec3, virtual_p, r->holds_weight ? b : 0)                                                \
    FIELD(coriolis, virtual_B, b)                                                                  \
    FIELD(motion, jerk, b)  /* classical jerk and rate of dw, in body axes */                      \
    FIELD(force, f_rate, b) /* time derivatives of the joint wrenches */                           \
    FIELD(real, pull, n)    /* of springs and dampers */                                           \
    FIELD(real, spring_slope, SPRING_ORDERS * r->spring_count)                                     \
    FIELD(vec3, up, r->holds_weight ? b : 0) /* against gravity, in body axes */                   \
    FIELD(load, pressed, b)        /* what compliant ground does, with all other wrenches */       \
    FIELD(unsigned char, given, n) /* whose acceleration is given, see mechanism/motor.c */        \
    FIELD(real, zero, n)                                                                           \
    FIELD(real, tree_q, r->tree_q_count) /* coordinates of the tree, where there */                \
    FIELD(real, tree_qd, n)              /* are mimic joints */                                    \
    FIELD(real, tree_qdd, n)                                                                       \
    FIELD(real, tree_qddd, n)                                                                      \
    FIELD(real, tree_tau, n)                                                                       \
    FIELD(real, tree_rate, n)                                                                      \
    FIELD(real, slope,                                                                             \
          SLOPE_ORDERS * r->slope_count)       /* entries of G that vary, see coordinates */       \
    FIELD(real, ratio, r->slope_count ? n : 0) /* of coordinates to the user's, where it varies */ \
    FIELD(real, bent, r->slope_count ? n : 0)  /* what velocities add to accelerations then */     \
    FIELD(real, slope_v, r->slope_count)       /* how the tree's velocities change with q */       \
    FIELD(real, slope_a, r->slope_count)       /* likewise accelerations */                        \
    FIELD(real, slope_l, r->slope_count)       /* and multipliers */                               \
    FIELD(exponent_state, exponent, r->exponent_count)                                             \
    FIELD(motion, G, r->exponent_column_count) /* of exponents: see robot/exponential.k.h */       \
    FIELD(motion, G_rate, r->exponent_column_count)                                                \
    FIELD(motion, G_v, r->exponent_column_count)    /* how their twists change with q */           \
    FIELD(motion, G_a, r->exponent_column_count)    /* likewise the rates of these */              \
    FIELD(motion, G_unit, r->exponent_column_count) /* dG/dt along one coordinate */               \
    FIELD(motion, J, r->exponent_count ? b *(size_t)r->v_count : 0) /* see mass_matrix.k.h */      \
    FIELD(real, along, r->exponent_count ? n : 0)    /* a direction of the user's coordinates */   \
    FIELD(real, curved, r->is_curved ? 4 * n *n : 0) /* rows over the tree, of the user */         \
    FIELD(real, acceleration, n)                                                                   \
    FIELD(real, rows, 6 * (n + 3))        /* six rows over the tree, or by fours */                \
    FIELD(real, task, 6 * n)              /* a Jacobian in the user's coordinates */               \
    FIELD(real, matrix, n *n)             /* a mass matrix */                                      \
    FIELD(real, tree_matrix, 3 * n * n)   /* matrices over the tree */                             \
    FIELD(path_node, nodes, r->path_room) /* of one muscle */                                      \
    FIELD(real, scratch, 4 * n + 2 * (size_t)r->tree_q_count)
// clang-format on

// The double workspace of the kernels (robot/kernel.h) is the public arne_work; the other
// arithmetics, and doubles elsewhere, have their own.
#if defined ARNE_ISAS && !defined ARNE_ISA
#define ARNE_WORK_TAG own_work
#else
#define ARNE_WORK_TAG arne_work
#endif
typedef struct ARNE_WORK_TAG {
    uint64_t layout; // the robot's; first, so that it is found whatever the rest is: see
                     // robot/work_layout.h
#define FIELD(type, name, count) type *name;
    ARNE_WORK_FIELDS(FIELD)
#undef FIELD
    pose   base_pose;      // X_w[0], v[0] and a[0] are set from these once, not at every call
    motion base_velocity;  // twist in base axes
    motion base_rate;      // the rate of its numbers
    int    keeps_wrenches; // w->f is wanted when torques and accelerations are found
    int    has_loads;      // E is of use: set by common_parts
    int    has_columns;    // G is that of the configuration
    int    by_handles;     // forward dynamics was last found with handles; -1: by the matrix
#ifdef ARNE_RECORD
    const real *mass_factor; // of each body's inertia in forward dynamics; NULL: 1
#endif
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

// The rate of the numbers of the base's acceleration: its jerk, and how jerk varies over it.
ARNE_TEXT void work_set_base_jerk(work *w, motion second)
{
    const motion v = w->base_velocity, rate = w->base_rate;
    const vec3   turned = add_scaled(cross(v.ang, v.lin), rate.lin, r_num(2));
    w->jerk[0] = mo(add(add(second.lin, cross(rate.ang, v.lin)), cross(v.ang, turned)),
                    add(second.ang, cross(v.ang, rate.ang)));
}

// The base: where it is, its twist, and the rate of that twist's numbers. Gravity is an upward
// acceleration.
ARNE_TEXT void work_set_base(const arne_robot *r, work *w, pose X, motion v, motion rate)
{
    const vec3 up = neg(lift(r->gravity));
    w->base_pose = X;
    w->base_velocity = v;
    w->base_rate = rate;
    w->X[0] = w->X_w[0] = X;
    w->v[0] = v;
    w->a[0] = mo(add(add(rate.lin, cross(v.ang, v.lin)), into(&X, up)), rate.ang);
    work_set_base_jerk(w, motion_zero());
}

ARNE_TEXT void work_start(const arne_robot *r, work *w)
{
    const real one = r_num(1), o = r_num(0);
    const pose X = pose_from(m3(v3(one, o, o), v3(o, one, o), v3(o, o, one)), v3_zero());
    for (int k = 0; k < r->tree_v_count; k++)
        w->zero[k] = o;
    for (int i = 0; i < r->body_count; i++)
        w->f[i] = force_zero();
    for (int i = 1; i < r->body_count; i++) { // what of these varies joint_poses will set
        const constant_pose *at = &robot_bodies(r)[i].placement;
        w->X[i] = pose_from(m3(lift4(&at->x), lift4(&at->y), lift4(&at->z)), lift4(&at->p));
    }
    w->layout = r->layout;
    w->by_handles = 0;
    w->keeps_wrenches = 1;
#ifdef ARNE_RECORD
    w->mass_factor = NULL;
#endif
    work_set_base(r, w, X, motion_zero(), motion_zero());
}

#endif
