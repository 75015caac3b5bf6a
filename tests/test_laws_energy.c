// Energy and momentum: what goes in is what changes.
//
// Rates come from differences of eighth order along the motion (rates.h), so they know nothing of
// the recursion that made the forces; 1e-8 leaves room for their truncation and rounding.
#include "testing.h"

#include "losses.h"

static void energy_on_path(const arne_robot *robot, arne_work *work, const double *q,
                           const double *qd, const void *context, double *out)
{
    double kinetic, potential;
    (void)context;
    arne_energy(robot, work, q, qd, &kinetic, &potential);
    out[0] = kinetic + potential;
}

static double power(arne_wrench f, arne_motion v)
{
    return v3_dot(f.lin, v.lin) + v3_dot(f.ang, v.ang);
}

// What the environment does per second through the wrenches on the links.
static double power_of_wrenches(const state *s, arne_work *work)
{
    double sum = 0;
    arne_kinematics(s->robot, work, s->q, s->qd, NULL);
    for (int i = 0; i < s->size.link_count; i++)
        sum += power(s->wrench[i], arne_frame_velocity(s->robot, work, i, ARNE_AXES_BODY));
    return sum;
}

// d(kinetic + potential)/dt = power of torques - friction and dampers + wrenches + what moves a
// prescribed base. Motors and springs are in all of these.
static void energy_rate_is_power(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int n = s.size.v_count;
            double    tau[MAX_V], friction[MAX_V], damping[MAX_V], rate;

            arne_inverse_dynamics(robot, work, s.q, s.qd, s.qdd, s.f_ext, tau);
            const double base = power(arne_base_wrench(robot, work), s.base_velocity);
            friction_torque(robot, s.qd, friction);
            spring_torque(robot, NULL, s.qd, damping);
            const double sum = dot(tau, s.qd, n) - dot(friction, s.qd, n) - dot(damping, s.qd, n) +
                               power_of_wrenches(&s, work) + base;

            rate_along(&s, work, energy_on_path, NULL, 1, &rate);
            assert_same(&s, "energy rate", rate, sum, 1e-8);
        }
}

static void kinetic_energy_is_half_qd_M_qd(void **unused)
{
    (void)unused;
    double M[MAX_V * MAX_V];
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double product[MAX_V], kinetic;

            state_stop_base(&s, work);
            arne_mass_matrix(robot, work, s.q, M);
            multiply(M, s.qd, s.size.v_count, s.size.v_count, product);
            const double half = dot(product, s.qd, s.size.v_count) / 2;
            arne_energy(robot, work, s.q, s.qd, &kinetic, NULL);
            assert_same(&s, "kinetic energy", kinetic, half, 1e-10);
        }
}

static void potential_on_path(const arne_robot *robot, arne_work *work, const double *q,
                              const double *qd, const void *context, double *out)
{
    (void)qd;
    (void)context;
    arne_energy(robot, work, q, NULL, NULL, out);
}

// Gravity torques are the gradient of potential energy, coordinate by coordinate.
static void gravity_is_the_gradient_of_potential(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double gravity[MAX_V], gradient[MAX_V];

            state_stop_base(&s, work);
            arne_gravity(robot, work, s.q, gravity);
            for (int i = 0; i < s.size.v_count; i++) {
                memset(s.qd, 0, sizeof s.qd);
                s.qd[i] = 1;
                rate_along(&s, work, potential_on_path, NULL, 1, &gradient[i]);
            }
            assert_close(&s, "gravity", gravity, gradient, s.size.v_count, 1e-8);
        }
}

static void momentum_on_path(const arne_robot *robot, arne_work *work, const double *q,
                             const double *qd, const void *context, double *out)
{
    arne_wrench momentum;
    (void)context;
    arne_momentum(robot, work, q, qd, &momentum);
    memcpy(out, &momentum, sizeof momentum);
}

// A wrench at a frame's origin, in its axes, as a wrench about another point in the world's axes.
static arne_wrench moved_to(arne_wrench f, arne_pose X, arne_vec3 point)
{
    arne_wrench out;
    out.lin = m3_apply(X.R, f.lin);
    out.ang = v3_add(m3_apply(X.R, f.ang), v3_cross(v3_sub(X.p, point), out.lin));
    return out;
}

static void add_to(arne_wrench *sum, arne_wrench f)
{
    sum->lin = v3_add(sum->lin, f.lin);
    sum->ang = v3_add(sum->ang, f.ang);
}

static int root_link(const arne_robot *robot)
{
    for (int i = 0; i < arne_robot_sizes(robot).link_count; i++)
        if (arne_robot_frame(robot, i).parent < 0) return i;
    fail_msg("%s has no root", arne_robot_name(robot));
    return -1;
}

// All that acts on the robot from outside, about its centre of mass: what holds or moves its base
// (for a free base the wrench across its joint), wrenches on links, and weight.
static arne_wrench external_wrench(const state *s, arne_work *work)
{
    const arne_robot *robot = s->robot;
    const int         is_free = arne_robot_base(robot) == ARNE_BASE_FREE;
    double            tau[MAX_V];
    arne_vec3         com;

    arne_inverse_dynamics(robot, work, s->q, s->qd, s->qdd, s->f_ext, tau);
    const arne_wrench held =
        is_free ? arne_joint_wrench(robot, work, 0) : arne_base_wrench(robot, work);
    arne_center_of_mass(robot, work, s->q, NULL, &com, NULL);
    arne_kinematics(robot, work, s->q, NULL, NULL);

    arne_wrench sum = moved_to(held, arne_frame_pose(robot, work, root_link(robot)), com);
    for (int i = 0; i < s->size.link_count; i++)
        add_to(&sum, moved_to(s->wrench[i], arne_frame_pose(robot, work, i), com));
    sum.lin = v3_add(sum.lin, v3_scale(arne_total_mass(robot), arne_robot_gravity(robot)));
    return sum;
}

static void momentum_rate_is_external_wrench(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            arne_wrench       rate;
            const arne_wrench sum = external_wrench(&s, work);
            rate_along(&s, work, momentum_on_path, NULL, 6, &rate.lin.x);
            assert_same(&s, "momentum rate", rate, sum, 1e-8);
        }
}

// At rest, without wrenches, the ground carries the weight: its force, and its moment about the
// root.
static void base_reaction_at_rest_is_the_weight(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const double zero[MAX_V] = {0};
            double       tau[MAX_V];
            arne_vec3    com;

            if (arne_robot_base(robot) == ARNE_BASE_FREE) continue;
            state_stop_base(&s, work);
            arne_inverse_dynamics(robot, work, s.q, zero, zero, NULL, tau);
            const arne_wrench base = arne_base_wrench(robot, work);

            arne_center_of_mass(robot, work, s.q, NULL, &com, NULL);
            arne_kinematics(robot, work, s.q, NULL, NULL);
            const arne_pose   X = arne_frame_pose(robot, work, root_link(robot));
            const arne_vec3   weight = v3_scale(-arne_total_mass(robot), arne_robot_gravity(robot));
            const arne_wrench wanted = {m3_apply_t(X.R, weight),
                                        m3_apply_t(X.R, v3_cross(v3_sub(com, X.p), weight))};
            assert_same(&s, "base reaction", base, wanted, 1e-10);
        }
}

// A free base at rest is held by its own joint: the same weight as torques of that joint.
static void free_base_carries_the_weight(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double tau[MAX_V];
            if (arne_robot_base(robot) != ARNE_BASE_FREE) continue;
            arne_gravity(robot, work, s.q, tau);
            arne_kinematics(robot, work, s.q, NULL, NULL);
            const arne_pose X = arne_frame_pose(robot, work, root_link(robot));
            const arne_vec3 weight = v3_scale(-arne_total_mass(robot), arne_robot_gravity(robot));
            const arne_vec3 wanted = m3_apply_t(X.R, weight);
            assert_close(&s, "weight on the free joint", tau, &wanted.x, 3, 1e-10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_rate_is_power),
        cmocka_unit_test(kinetic_energy_is_half_qd_M_qd),
        cmocka_unit_test(gravity_is_the_gradient_of_potential),
        cmocka_unit_test(momentum_rate_is_external_wrench),
        cmocka_unit_test(base_reaction_at_rest_is_the_weight),
        cmocka_unit_test(free_base_carries_the_weight),
    };
    return cmocka_run_group_tests_name("energy and momentum", tests, NULL, NULL);
}
