// Many worlds: each is the simulation that it would be alone, on any number of threads; what is
// wrong in one of them is said by its number and leaves the others alone.
#include "testing.h"

#include <arne/simulation.h>
#include <stdio.h>

enum { WORLDS = 19, NQ = 19, NV = 18, STEPS = 60 };

typedef struct setting {
    arne_robot          *robot;
    arne_surrounding     ground;
    arne_simulation_spec spec;
    double    q[WORLDS * NQ], qd[WORLDS * NV], kp[WORLDS * NV], kd[WORLDS * NV], friction[WORLDS];
    arne_vec3 gravity[WORLDS];
    arne_payload payload[WORLDS];
} setting;

// Quadrupeds that fall, each from another height on another ground.
static setting *setting_new(arne_contact_model model)
{
    setting *s = test_calloc(1, sizeof *s);
    s->robot = read_robot("quadruped", NULL);
    s->ground = (arne_surrounding){.kind = ARNE_SURROUNDING_GROUND,
                                   .surface = {.model = model, .friction = 0.5}};
    s->spec = (arne_simulation_spec){.robot = s->robot,
                                     .surroundings = &s->ground,
                                     .surrounding_count = 1,
                                     .integrator = {.method = ARNE_METHOD_EULER}};
    for (int i = 0; i < WORLDS; i++) {
        double *q = s->q + i * NQ;
        q[2] = 0.3 + 0.002 * i;
        q[6] = 1;
        for (int leg = 0; leg < 4; leg++)
            q[8 + 3 * leg] = -0.8, q[9 + 3 * leg] = 1.6;
        for (int v = 0; v < NV; v++) {
            s->qd[i * NV + v] = v < 6 ? 0 : 0.01 * (v - i);
            s->kp[i * NV + v] = 40 + i;
            s->kd[i * NV + v] = 1 + 0.01 * i;
        }
        s->friction[i] = 0.1 + 0.05 * i;
        s->gravity[i] = (arne_vec3){0.1 * i, 0, -9.81 + 0.01 * i};
        s->payload[i] = (arne_payload){.mass = 0.1 * i, .com = {0.01 * i, 0, 0.05}};
    }
    return s;
}

static void setting_free(setting *s)
{
    arne_robot_free(s->robot);
    test_free(s);
}

static arne_simulations_options options_of(const setting *s)
{
    return (arne_simulations_options){.step = 5e-4,
                                      .spec = &s->spec,
                                      .q = s->q,
                                      .qd = s->qd,
                                      .kp = s->kp,
                                      .kd = s->kd,
                                      .friction = s->friction,
                                      .gravity = s->gravity,
                                      .payload = s->payload,
                                      .payload_frame = arne_find_frame(s->robot, "body")};
}

static arne_simulations *worlds_of(const setting *s, const arne_simulations_options *o)
{
    arne_simulations *w = NULL;
    arne_error        error = {0};
    assert_ok_or(arne_simulations_new(s->robot, WORLDS, o, &w, &error), &error);
    return w;
}

static void step(arne_simulations *w, const double *tau, int steps)
{
    arne_error error = {0};
    assert_ok_or(arne_simulations_step(w, tau, steps, &error), &error);
}

// World i alone, by the functions for one.
static arne_simulation *alone(const setting *s, int i, arne_robot **robot, arne_controller **pd)
{
    const arne_build_options gravity = {.gravity = &s->gravity[i]};
    arne_robot              *bare = read_robot("quadruped", &gravity);
    arne_error               error = {0};
    assert_ok(arne_robot_attach(bare, arne_find_frame(bare, "body"), &s->payload[i], robot, NULL));
    arne_robot_free(bare);
    assert_ok(arne_controller_pd(*robot, s->kp + i * NV, s->kd + i * NV, pd, NULL));
    arne_surrounding ground = s->ground;
    ground.surface.friction = s->friction[i];
    arne_simulation_spec spec = s->spec;
    spec.robot = *robot;
    spec.surroundings = &ground;
    spec.controller = *pd;
    spec.q = s->q + i * NQ;
    spec.qd = s->qd + i * NV;
    const arne_simulation_options o = {.step = 5e-4, .spec = &spec};
    arne_simulation              *one = NULL;
    assert_ok_or(arne_simulation_new(*robot, &o, &one, &error), &error);
    return one;
}

static void worlds_are_simulations(void **unused)
{
    (void)unused;
    for (int model = 0; model < 2; model++) {
        setting                       *s = setting_new((arne_contact_model)model);
        const arne_simulations_options o = options_of(s);
        arne_simulations              *w = worlds_of(s, &o);
        double                         forces[WORLDS * 5 * 3];
        assert_int_equal(arne_simulations_count(w), WORLDS);
        for (int k = 0; k < STEPS; k++)
            step(w, NULL, 2);
        arne_simulations_forces(w, forces);
        double pressed = 0;
        for (int i = 0; i < WORLDS; i += 6) {
            arne_robot      *robot;
            arne_controller *pd;
            arne_simulation *one = alone(s, i, &robot, &pd);
            double           own[15];
            assert_ok(arne_simulation_step(one, NULL, 2 * STEPS, NULL));
            assert_memory_equal(arne_simulation_q(one), arne_simulations_q(w) + i * NQ,
                                NQ * sizeof(double));
            assert_memory_equal(arne_simulation_qd(one), arne_simulations_qd(w) + i * NV,
                                NV * sizeof(double));
            assert_true(arne_simulation_time(one) == arne_simulations_time(w)[i]);
            arne_simulation_contact_forces(one, own);
            assert_memory_equal(own, forces + 15 * i, sizeof own);
            for (int c = 0; c < 5; c++)
                pressed += own[3 * c + 2];
            arne_simulation_free(one);
            arne_controller_free(pd);
            arne_robot_free(robot);
        }
        assert_true(pressed > 10); // they stand
        arne_simulations_free(w);
        setting_free(s);
    }
}

static void threads_do_not_matter(void **unused)
{
    (void)unused;
    setting                 *s = setting_new(ARNE_CONTACT_RIGID);
    arne_simulations_options o = options_of(s);
    double                   first[WORLDS * NQ], tau[WORLDS * NV];
    for (int threads = 1; threads <= 5; threads += 2) {
        o.threads = threads;
        arne_simulations *w = worlds_of(s, &o);
        for (int k = 0; k < STEPS; k++) {
            for (int i = 0; i < WORLDS * NV; i++)
                tau[i] = 2 * sin(0.3 * k + i);
            step(w, tau, 2);
        }
        if (threads == 1) memcpy(first, arne_simulations_q(w), sizeof first);
        assert_memory_equal(first, arne_simulations_q(w), sizeof first);
        arne_simulations_free(w);
    }
    setting_free(s);
}

static void one_mistake_leaves_others_alone(void **unused)
{
    (void)unused;
    setting                       *s = setting_new(ARNE_CONTACT_RIGID);
    const arne_simulations_options o = options_of(s);
    arne_simulations              *w = worlds_of(s, &o), *good = worlds_of(s, &o);
    double                         tau[WORLDS * NV] = {0};
    arne_error                     error = {0};
    step(w, NULL, 5);
    step(good, NULL, 5);
    step(good, tau, 1);
    tau[7 * NV + 8] = NAN;
    tau[12 * NV + 9] = NAN;
    assert_int_equal(arne_simulations_step(w, tau, 1, &error), ARNE_VALUE);
    assert_string_equal(error.text, "world 7: the torque of joint 'front_left_knee' is not finite");
    for (int i = 0; i < WORLDS; i++) {
        const int bad = i == 7 || i == 12;
        assert_int_equal(arne_simulations_status(w, i), bad ? ARNE_VALUE : ARNE_OK);
        const double *a = arne_simulations_q(w) + i * NQ, *b = arne_simulations_q(good) + i * NQ;
        assert_int_equal(memcmp(a, b, NQ * sizeof *a) != 0, bad);
    }
    tau[7 * NV + 8] = tau[12 * NV + 9] = 0;
    step(w, tau, 1);
    arne_simulations_free(w);
    arne_simulations_free(good);
    setting_free(s);
}

static void resets_by_mask(void **unused)
{
    (void)unused;
    setting                       *s = setting_new(ARNE_CONTACT_COMPLIANT);
    const arne_simulations_options o = options_of(s);
    arne_simulations              *w = worlds_of(s, &o);
    unsigned char                  mask[WORLDS] = {0};
    double                         q[WORLDS * NQ];
    arne_error                     error = {0};
    step(w, NULL, 30);
    const double later = arne_simulations_time(w)[0];
    memcpy(q, s->q, sizeof q);
    for (int i = 0; i < WORLDS * NQ; i++)
        if (i / NQ != 3) q[i] = NAN; // rows that are left out are not looked at
    mask[3] = 1;
    assert_ok_or(arne_simulations_reset(w, mask, q, NULL, &error), &error);
    for (int i = 0; i < WORLDS; i++)
        assert_true(arne_simulations_time(w)[i] == (i == 3 ? 0 : later));
    assert_memory_equal(arne_simulations_q(w) + 3 * NQ, q + 3 * NQ, NQ * sizeof *q);
    mask[5] = 1;
    assert_int_equal(arne_simulations_reset(w, mask, q, NULL, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "world 5: the position of joint"));
    assert_true(arne_simulations_time(w)[5] == later);
    assert_ok(arne_simulations_reset(w, NULL, NULL, NULL, &error));
    assert_memory_equal(arne_simulations_q(w), s->q, sizeof s->q);
    assert_memory_equal(arne_simulations_qd(w), s->qd, sizeof s->qd);
    arne_simulations_free(w);
    setting_free(s);
}

// Targets of the PD controllers: worlds go there; and states are exact.
static void targets_and_states(void **unused)
{
    (void)unused;
    setting                 *s = setting_new(ARNE_CONTACT_RIGID);
    arne_simulations_options o = options_of(s);
    o.threads = 2;
    arne_simulations *w = worlds_of(s, &o);
    const size_t      size = arne_simulation_state_size(arne_simulations_world(w, 0)) * WORLDS;
    double           *state_now = test_malloc(size * sizeof *state_now), q[WORLDS * NQ];
    arne_error        error = {0};
    memcpy(q, s->q, sizeof q);
    for (int i = 0; i < WORLDS; i++)
        for (int leg = 0; leg < 4; leg++)
            q[i * NQ + 9 + 3 * leg] = 1.3;
    step(w, NULL, 3);
    assert_ok_or(arne_simulations_set_target(w, NULL, q, NULL, &error), &error);
    step(w, NULL, 20);
    arne_simulations_state(w, state_now);
    step(w, NULL, 400);
    for (int i = 0; i < WORLDS; i++)
        assert_true(fabs(arne_simulations_q(w)[i * NQ + 9] - 1.3) < 0.2);
    memcpy(q, arne_simulations_q(w), sizeof q);
    assert_ok_or(arne_simulations_set_state(w, state_now, &error), &error);
    assert_true(fabs(arne_simulations_time(w)[2] - 23 * 5e-4) < 1e-15);
    step(w, NULL, 400);
    assert_memory_equal(arne_simulations_q(w), q, sizeof q);
    test_free(state_now);
    arne_simulations_free(w);
    setting_free(s);
}

static void bad_worlds_are_refused(void **unused)
{
    (void)unused;
    setting                 *s = setting_new(ARNE_CONTACT_RIGID);
    arne_simulations_options o = options_of(s);
    arne_simulations        *w = NULL;
    arne_controller         *pd;
    arne_error               error = {0};
    assert_int_equal(arne_simulations_new(s->robot, 0, &o, &w, &error), ARNE_VALUE);
    assert_int_equal(arne_simulations_new(NULL, 1, &o, &w, &error), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_simulations_new(s->robot, 1, &o, NULL, &error), ARNE_NULL_ARGUMENT);
    s->friction[4] = -1;
    assert_int_equal(arne_simulations_new(s->robot, WORLDS, &o, &w, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "world 4: "));
    s->friction[4] = 1;
    s->gravity[2].y = NAN;
    assert_int_equal(arne_simulations_new(s->robot, WORLDS, &o, &w, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "world 2: gravity"));
    s->gravity[2].y = 0;
    s->kp[5 * NV + 1] = -3;
    assert_int_equal(arne_simulations_new(s->robot, WORLDS, &o, &w, &error), ARNE_VALUE);
    assert_non_null(strstr(error.text, "world 5: kp"));
    assert_ok(arne_controller_pd(s->robot, NULL, NULL, &pd, NULL));
    s->spec.controller = pd;
    assert_int_equal(arne_simulations_new(s->robot, WORLDS, &o, &w, &error), ARNE_VALUE);
    assert_null(w);
    arne_controller_free(pd);
    assert_int_equal(arne_simulations_step(NULL, NULL, 1, &error), ARNE_NULL_ARGUMENT);
    arne_simulations_free(NULL);
    setting_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_simulations),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(one_mistake_leaves_others_alone),
        cmocka_unit_test(resets_by_mask),
        cmocka_unit_test(targets_and_states),
        cmocka_unit_test(bad_worlds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
