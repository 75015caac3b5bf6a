// Poses, velocities, accelerations and Jacobians against each other and against differences of
// poses.
#include "testing.h"

#include "losses.h"

typedef struct question {
    int       frame;
    arne_axes axes;
} question;

static void pose_on_path(const arne_robot *robot, arne_work *work, const double *q,
                         const double *qd, const void *context, double *out)
{
    const question *ask = context;
    (void)qd;
    arne_kinematics(robot, work, q, NULL, NULL);
    const arne_pose X = arne_frame_pose(robot, work, ask->frame);
    memcpy(out, &X, sizeof X);
}

// The twist that a pose and its rate make: w from R' R^T, in the axes asked for.
static arne_motion twist_from(arne_pose X, arne_pose rate, arne_axes axes)
{
    const arne_mat3 W = m3_mul(rate.R, m3_transpose(X.R));
    arne_motion     v = {rate.p, {(W.y.z - W.z.y) / 2, (W.z.x - W.x.z) / 2, (W.x.y - W.y.x) / 2}};
    if (axes == ARNE_AXES_WORLD) v.lin = v3_sub(v.lin, v3_cross(v.ang, X.p));
    if (axes == ARNE_AXES_BODY) {
        v.lin = m3_apply_t(X.R, v.lin);
        v.ang = m3_apply_t(X.R, v.ang);
    }
    return v;
}

enum { QUESTIONS = 9 };

// The root, the last frame, and one in between that changes with the state; each in all three axes.
static question question_of(const state *s, int index)
{
    const int      count = s->size.frame_count;
    const int      frames[3] = {0, count - 1, (int)(s->seed * 7) % count};
    const question ask = {frames[index / 3], (arne_axes)(index % 3)};
    return ask;
}

static void velocity_is_the_rate_of_the_pose(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int i = 0; i < QUESTIONS; i++) {
                const question ask = question_of(&s, i);
                arne_pose      rate;
                rate_along(&s, work, pose_on_path, &ask, 12, &rate.R.x.x);
                arne_kinematics(robot, work, s.q, s.qd, NULL);
                const arne_pose   X = arne_frame_pose(robot, work, ask.frame);
                const arne_motion v = arne_frame_velocity(robot, work, ask.frame, ask.axes);
                const arne_motion wanted = twist_from(X, rate, ask.axes);
                assert_same(&s, "velocity", v, wanted, 1e-8);
            }
}

static void velocity_on_path(const arne_robot *robot, arne_work *work, const double *q,
                             const double *qd, const void *context, double *out)
{
    const question *ask = context;
    arne_kinematics(robot, work, q, qd, NULL);
    const arne_motion v = arne_frame_velocity(robot, work, ask->frame, ask->axes);
    memcpy(out, &v, sizeof v);
}

// World-aligned, the classical acceleration is the rate of the velocity's numbers; at the world's
// origin and in body axes the spatial one is.
static void acceleration_is_the_rate_of_velocity(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int i = 0; i < QUESTIONS; i++) {
                const question               ask = question_of(&s, i);
                const arne_acceleration_kind kind = ask.axes == ARNE_AXES_ALIGNED
                                                        ? ARNE_ACCELERATION_CLASSICAL
                                                        : ARNE_ACCELERATION_SPATIAL;
                arne_motion                  rate;
                rate_along(&s, work, velocity_on_path, &ask, 6, &rate.lin.x);
                arne_kinematics(robot, work, s.q, s.qd, s.qdd);
                const arne_motion a =
                    arne_frame_acceleration(robot, work, ask.frame, ask.axes, kind);
                assert_same(&s, "acceleration", a, rate, 1e-8);
            }
}

// Classical and spatial acceleration of a frame differ by w x v, and axes only turn them.
static void kinds_of_acceleration(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            const int frame = s.size.frame_count - 1;
            arne_kinematics(robot, work, s.q, s.qd, s.qdd);
            const arne_pose   X = arne_frame_pose(robot, work, frame);
            const arne_motion v = arne_frame_velocity(robot, work, frame, ARNE_AXES_BODY);
            arne_motion       spatial = arne_frame_acceleration(robot, work, frame, ARNE_AXES_BODY,
                                                                ARNE_ACCELERATION_SPATIAL);
            const arne_motion classical = arne_frame_acceleration(
                robot, work, frame, ARNE_AXES_BODY, ARNE_ACCELERATION_CLASSICAL);
            const arne_motion aligned = arne_frame_acceleration(
                robot, work, frame, ARNE_AXES_ALIGNED, ARNE_ACCELERATION_CLASSICAL);
            const arne_motion turned = {m3_apply(X.R, classical.lin), m3_apply(X.R, classical.ang)};

            spatial.lin = v3_add(spatial.lin, v3_cross(v.ang, v.lin));
            assert_same(&s, "spatial + w x v", spatial, classical, 1e-10);
            assert_same(&s, "acceleration in world axes", aligned, turned, 1e-10);
        }
}

// J qd is the velocity and Jdot qd + J qdd the acceleration, where the base does not move by
// itself.
static void jacobian_times_velocity(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int i = 0; i < QUESTIONS; i++) {
                const question ask = question_of(&s, i);
                const int      n = s.size.v_count;
                double         J[6 * MAX_V], Jdot[6 * MAX_V], product[6], sum[6];

                state_stop_base(&s, work);
                arne_jacobian(robot, work, s.q, ask.frame, ask.axes, J);
                const arne_pose left = arne_frame_pose(robot, work, ask.frame);
                arne_jacobian_rate(robot, work, s.q, s.qd, ask.frame, ask.axes, Jdot);
                arne_kinematics(robot, work, s.q, s.qd, s.qdd);
                const arne_motion v = arne_frame_velocity(robot, work, ask.frame, ask.axes);
                const arne_motion a = arne_frame_acceleration(robot, work, ask.frame, ask.axes,
                                                              ask.axes == ARNE_AXES_ALIGNED
                                                                  ? ARNE_ACCELERATION_CLASSICAL
                                                                  : ARNE_ACCELERATION_SPATIAL);
                const arne_pose   X = arne_frame_pose(robot, work, ask.frame);

                assert_close(&s, "the pose that J leaves", &left.R.x.x, &X.R.x.x, 12, 1e-12);
                multiply(J, s.qd, 6, n, product);
                assert_close(&s, "J qd", product, &v.lin.x, 6, 1e-10);
                multiply(J, s.qdd, 6, n, product);
                multiply(Jdot, s.qd, 6, n, sum);
                for (int k = 0; k < 6; k++)
                    sum[k] += product[k];
                assert_close(&s, "Jdot qd + J qdd", sum, &a.lin.x, 6, 1e-10);
            }
}

static void jacobian_on_path(const arne_robot *robot, arne_work *work, const double *q,
                             const double *qd, const void *context, double *out)
{
    const question *ask = context;
    (void)qd;
    arne_jacobian(robot, work, q, ask->frame, ask->axes, out);
}

static void jacobian_rate_is_the_rate_of_the_jacobian(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work)
            for (int i = 0; i < QUESTIONS; i++) {
                const question ask = question_of(&s, i);
                double         rate[6 * MAX_V], Jdot[6 * MAX_V];
                state_stop_base(&s, work);
                rate_along(&s, work, jacobian_on_path, &ask, 6 * s.size.v_count, rate);
                arne_jacobian_rate(robot, work, s.q, s.qd, ask.frame, ask.axes, Jdot);
                assert_close(&s, "Jdot", Jdot, rate, 6 * s.size.v_count, 1e-8);
            }
}

// Whether a link stands still for good; a motor on it may still spin.
static int is_welded(const arne_robot *robot, int link)
{
    return arne_robot_base(robot) == ARNE_BASE_FIXED && arne_robot_frame(robot, link).body == 0;
}

static arne_vec3 motor_place(const state *s, const arne_work *work, const arne_motor_info *m)
{
    const arne_pose X = arne_frame_pose(s->robot, work, m->link);
    return v3_add(X.p, m3_apply(X.R, m->position));
}

// The centre of mass from the masses of links, and of motors that are apart from these: those that
// move, which is all but the ones welded to a fixed base.
static arne_vec3 com_of_links(const state *s, arne_work *work, double *mass)
{
    arne_vec3 sum = {0, 0, 0};
    *mass = 0;
    arne_kinematics(s->robot, work, s->q, NULL, NULL);
    for (int i = 0; i < s->size.link_count; i++) {
        const arne_frame_info link = arne_robot_frame(s->robot, i);
        const arne_pose       X = arne_frame_pose(s->robot, work, i);
        if (is_welded(s->robot, i)) continue;
        sum = v3_add(sum, v3_scale(link.mass, v3_add(X.p, m3_apply(X.R, link.com))));
        *mass += link.mass;
    }
    for (int i = 0; i < s->size.motor_count; i++) {
        const arne_motor_info m = arne_robot_motor(s->robot, i);
        if (m.mass_included || is_welded(s->robot, m.link)) continue;
        sum = v3_add(sum, v3_scale(m.mass, motor_place(s, work, &m)));
        *mass += m.mass;
    }
    return *mass > 0 ? v3_scale(1 / *mass, sum) : sum;
}

static void centre_of_mass(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            double    mass, J[3 * MAX_V], potential;
            arne_vec3 com, velocity, product;

            const double    total = arne_total_mass(robot);
            const arne_vec3 wanted = com_of_links(&s, work, &mass);
            if (!(mass > 0)) continue; // everything is welded down
            arne_center_of_mass(robot, work, s.q, s.qd, &com, &velocity);
            assert_same(&s, "total mass", total, mass, 1e-12);
            assert_same(&s, "centre of mass", com, wanted, 1e-10);

            state_stop_base(&s, work);
            arne_center_of_mass(robot, work, s.q, s.qd, &com, &velocity);
            arne_com_jacobian(robot, work, s.q, J);
            multiply(J, s.qd, 3, s.size.v_count, &product.x);
            assert_same(&s, "com Jacobian times qd", product, velocity, 1e-10);

            arne_energy(robot, work, s.q, NULL, NULL, &potential);
            const double stored =
                spring_energy(robot, s.q) - mass * v3_dot(com, arne_robot_gravity(robot));
            assert_same(&s, "potential energy", potential, stored, 1e-10);
        }
}

static void com_on_path(const arne_robot *robot, arne_work *work, const double *q, const double *qd,
                        const void *context, double *out)
{
    arne_vec3 com;
    (void)qd;
    (void)context;
    arne_center_of_mass(robot, work, q, NULL, &com, NULL);
    memcpy(out, &com, sizeof com);
}

static void com_velocity_is_the_rate_of_the_com(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            arne_vec3 com, velocity, rate;
            rate_along(&s, work, com_on_path, NULL, 3, &rate.x);
            arne_center_of_mass(robot, work, s.q, s.qd, &com, &velocity);
            assert_same(&s, "velocity of the centre of mass", velocity, rate, 1e-8);
        }
}

// The momentum of a link about a point, from its own inertia and motion.
static arne_wrench link_momentum(const state *s, const arne_work *work, int i, arne_vec3 about)
{
    const arne_frame_info link = arne_robot_frame(s->robot, i);
    const arne_pose       X = arne_frame_pose(s->robot, work, i);
    const arne_motion     v = arne_frame_velocity(s->robot, work, i, ARNE_AXES_ALIGNED);
    const arne_vec3       c = m3_apply(X.R, link.com), w = m3_apply_t(X.R, v.ang);
    const double         *I = link.inertia; // xx, yy, zz, xy, xz, yz
    const arne_vec3       spin = {I[0] * w.x + I[3] * w.y + I[4] * w.z,
                                  I[3] * w.x + I[1] * w.y + I[5] * w.z,
                                  I[4] * w.x + I[5] * w.y + I[2] * w.z};
    arne_wrench           h;
    h.lin = v3_scale(link.mass, v3_add(v.lin, v3_cross(v.ang, c)));
    h.ang = v3_add(m3_apply(X.R, spin), v3_cross(v3_sub(v3_add(X.p, c), about), h.lin));
    return h;
}

// What a motor adds to that: its mass, its inertia as if locked, where these are apart from the
// link's; and its spin.
static arne_wrench motor_momentum(const state *s, const arne_work *work, int i, arne_vec3 about)
{
    const arne_motor_info m = arne_robot_motor(s->robot, i);
    const arne_pose       X = arne_frame_pose(s->robot, work, m.link);
    const arne_motion     v = arne_frame_velocity(s->robot, work, m.link, ARNE_AXES_ALIGNED);
    const arne_vec3       axis = m3_apply(X.R, m.axis), place = motor_place(s, work, &m);
    const double          spin = m.gear * motor_speed(s->robot, i, s->qd);
    arne_wrench           h = {{0, 0, 0}, {0, 0, 0}};
    if (!m.mass_included && !is_welded(s->robot, m.link)) {
        h.lin = v3_scale(m.mass, v3_add(v.lin, v3_cross(v.ang, v3_sub(place, X.p))));
        h.ang = v3_cross(v3_sub(place, about), h.lin);
    }
    if (!m.inertia_included) {
        const double    along = v3_dot(axis, v.ang);
        const arne_vec3 across = v3_sub(v.ang, v3_scale(along, axis));
        h.ang = v3_add(h.ang,
                       v3_add(v3_scale(m.inertia * along, axis), v3_scale(m.transverse, across)));
    }
    if (!m.reflected) h.ang = v3_add(h.ang, v3_scale(m.inertia * spin, axis));
    return h;
}

// Momentum about the centre of mass is the sum over links and motors, and the centroidal matrix
// times qd.
static void momentum_is_the_sum_over_links(void **unused)
{
    (void)unused;
    EACH_ROBOT (robot, work)
        EACH_STATE (s, robot, work) {
            arne_wrench momentum, sum = {{0, 0, 0}, {0, 0, 0}};
            double      A[6 * MAX_V], product[6], mass;

            const arne_vec3 com = com_of_links(&s, work, &mass);
            arne_momentum(robot, work, s.q, s.qd, &momentum);
            arne_kinematics(robot, work, s.q, s.qd, NULL);
            for (int i = 0; i < s.size.link_count; i++) {
                if (is_welded(robot, i)) continue;
                const arne_wrench h = link_momentum(&s, work, i, com);
                sum.lin = v3_add(sum.lin, h.lin);
                sum.ang = v3_add(sum.ang, h.ang);
            }
            for (int i = 0; i < s.size.motor_count; i++) {
                const arne_wrench h = motor_momentum(&s, work, i, com);
                sum.lin = v3_add(sum.lin, h.lin);
                sum.ang = v3_add(sum.ang, h.ang);
            }
            assert_same(&s, "momentum", momentum, sum, 1e-10);

            state_stop_base(&s, work);
            arne_momentum(robot, work, s.q, s.qd, &momentum);
            arne_centroidal_matrix(robot, work, s.q, A);
            multiply(A, s.qd, 6, s.size.v_count, product);
            assert_close(&s, "A qd", product, &momentum.lin.x, 6, 1e-10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(velocity_is_the_rate_of_the_pose),
        cmocka_unit_test(acceleration_is_the_rate_of_velocity),
        cmocka_unit_test(kinds_of_acceleration),
        cmocka_unit_test(jacobian_times_velocity),
        cmocka_unit_test(jacobian_rate_is_the_rate_of_the_jacobian),
        cmocka_unit_test(centre_of_mass),
        cmocka_unit_test(com_velocity_is_the_rate_of_the_com),
        cmocka_unit_test(momentum_is_the_sum_over_links),
    };
    return cmocka_run_group_tests_name("kinematics", tests, NULL, NULL);
}
