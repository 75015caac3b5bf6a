// From the options of arne compute to a request: loads, frames, contacts, the base and the states.
#include "compute_ask.h"
#include "compute_contact.h"
#include "compute_elastic.h"
#include "compute_loops.h"
#include "message.h"

#include <arne/muscle.h>

#include <stdlib.h>
#include <string.h>

// An option that the quantity does not use is an error.
static int check_heeded(const compute_run *r)
{
    const compute_args *a = r->args;
    const unsigned      frame = TAKES_FRAME | TAKES_ONE_FRAME | TAKES_TARGETS;
    const int           rests = r->quantity.algorithm == ARNE_ALGORITHM_EQUILIBRIUM;
    const int           sought = rests || (r->quantity.needs & NEED_JOINTS_QDD) != 0;
    const struct {
        const char *name;
        int         given;
        unsigned    heeds;
    } check[] = {{"--frame", a->target.frame.count, frame},
                 {"--position", a->target.position.count, TAKES_TARGETS},
                 {"--quaternion", a->target.quaternion.count, TAKES_TARGETS},
                 {"--rpy", a->target.rpy.count, TAKES_TARGETS},
                 {"--axes", a->axes, TAKES_AXES},
                 {"--rate", a->rate, TAKES_RATE},
                 {"--spatial", a->spatial, TAKES_SPATIAL},
                 {"--wrench", a->wrench.count, TAKES_WRENCH},
                 {"--wrench-rate", a->wrench_rate.count, TAKES_WRENCH_RATE},
                 {"--wrench-fixed-in", a->wrench_fixed_in, TAKES_WRENCH_FIXED},
                 {"--method", a->method, TAKES_METHOD},
                 {"--contact", a->contact.count, TAKES_CONTACTS},
                 {"--unilateral", a->unilateral, TAKES_CONTACTS},
                 {"--friction", a->friction.given, TAKES_CONTACTS},
                 {"--given", a->given != NULL, TAKES_GIVEN},
                 {"--activation", a->activation.count, TAKES_ACTIVATION},
                 {"--base-velocity", rests && a->state.base[PART_QD].given, 0},
                 {"--base-acceleration", sought && a->state.base[PART_QDD].given, 0}};
    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++) {
        if (!check[i].given || r->quantity.heeds & check[i].heeds) continue;
        if (a->robot.strict)
            return fail_usage("%s has no effect on %s", check[i].name, r->quantity.info->name);
        if (!a->robot.quiet)
            warn("effect", "%s has no effect on %s", check[i].name, r->quantity.info->name);
    }
    return EXIT_FINE;
}

// --frame: those named; all of them where none is named and the quantity is about many.
static int choose_frames(compute_run *r)
{
    const text_list *names = &r->args->target.frame;
    const unsigned   heeds = r->quantity.heeds;
    const int        all = arne_robot_sizes(r->robot).frame_count;
    if (!(heeds & (TAKES_FRAME | TAKES_ONE_FRAME))) return EXIT_FINE;
    if (heeds & TAKES_ONE_FRAME && names->count != 1)
        return fail_usage("%s needs one --frame NAME", r->quantity.info->name);

    r->ask.frame_count = names->count ? names->count : all;
    r->ask.frames = r->frames = need((size_t)r->ask.frame_count, sizeof *r->frames);
    for (int i = 0; i < r->ask.frame_count; i++) {
        r->frames[i] = names->count ? find_frame(r->robot, "--frame", names->text[i]) : i;
        if (r->frames[i] < 0) return EXIT_USAGE;
        for (int j = 0; j < i; j++)
            if (r->frames[j] == r->frames[i])
                return fail_usage("--frame: '%s' is there twice", names->text[i]);
    }
    return EXIT_FINE;
}

// --given: for hybrid dynamics, which without it would be plain forward dynamics by mistake.
static int choose_given(compute_run *r)
{
    if (r->quantity.needs & NEED_DRIVEN) r->ask.given = r->given = given_by_motors(r->robot);
    if (!(r->quantity.heeds & TAKES_GIVEN)) return EXIT_FINE;
    if (!r->args->given && r->quantity.info->takes & ARNE_TAKES_HELD) return EXIT_FINE;
    if (!r->args->given)
        return fail_usage("%s needs --given NAME,NAME,...", r->quantity.info->name);
    const int code = given_make(r->robot, r->args->given, &r->given);
    r->ask.given = r->given;
    return code;
}

// --activation NAME=A: the others do not act.
static int choose_activations(compute_run *r)
{
    const text_list *texts = &r->args->activation;
    int              code = EXIT_FINE;
    if (!texts->count) return EXIT_FINE;
    r->ask.activation = r->activation =
        need((size_t)arne_muscle_count(r->robot) + 1, sizeof *r->activation);
    for (int i = 0; i < texts->count && code == EXIT_FINE; i++) {
        const char *sign = strchr(texts->text[i], '=');
        number_list a = {0};
        if (!sign) return fail_usage("--activation: '%s' is not NAME=A", texts->text[i]);
        char     *name = need_copy(texts->text[i], (size_t)(sign - texts->text[i]));
        const int muscle = arne_find_muscle(r->robot, name);
        code = parse_numbers("--activation", sign + 1, 1, &a);
        if (code == EXIT_FINE && muscle < 0)
            code = fail_data("--activation: the robot has no muscle '%s'", name);
        else if (code == EXIT_FINE && !(a.value[0] >= 0 && a.value[0] <= 1))
            code = fail_data("--activation: that of '%s' must be from 0 to 1", name);
        else if (code == EXIT_FINE)
            r->activation[muscle] = a.value[0];
        free(a.value);
        free(name);
    }
    return code;
}

// Columns of loads act besides --wrench.
static int gather_loads(compute_run *r)
{
    if (!r->states.load_count) return EXIT_FINE;
    if (!(r->quantity.heeds & TAKES_WRENCH)) {
        if (r->args->robot.strict)
            return fail_usage("columns load.LINK have no effect on %s", r->quantity.info->name);
        if (!r->args->robot.quiet)
            warn("effect", "columns load.LINK have no effect on %s", r->quantity.info->name);
        return EXIT_FINE;
    }
    r->loads =
        need_more(r->loads, (size_t)(r->ask.load_count + r->states.load_count), sizeof *r->loads);
    for (int i = 0; i < r->states.load_count; i++)
        r->loads[r->ask.load_count + i] = (arne_load){.frame = r->states.load_frame[i],
                                                      .in_world = r->args->wrench_fixed_in == 2};
    r->ask.loads = r->loads;
    r->ask.load_count += r->states.load_count;
    r->ask.f_ext = r->f_ext;
    return EXIT_FINE;
}

// The loads of one state, and all of them on the bodies.
void compute_set_loads(compute_run *r, const state *at)
{
    const int first = r->ask.load_count - r->states.load_count;
    if (!r->states.load_count || first < 0) return;
    for (int i = 0; i < r->states.load_count; i++) {
        const double *f = at->load + 6 * i;
        r->loads[first + i].wrench =
            (arne_wrench){.lin = {f[0], f[1], f[2]}, .ang = {f[3], f[4], f[5]}};
    }
    memset(r->f_ext, 0, (size_t)arne_robot_sizes(r->robot).body_count * sizeof *r->f_ext);
    for (int i = 0; i < r->ask.load_count; i++)
        arne_add_wrench(r->robot, r->loads[i].frame, &r->loads[i].wrench, r->f_ext);
}

// --contact: what holds frames. Inverse dynamics can do without.
static int choose_contacts(compute_run *r)
{
    const compute_args *a = r->args;
    if (!(r->quantity.heeds & TAKES_CONTACTS)) return EXIT_FINE;
    if (!a->contact.count) {
        if (r->quantity.algorithm != ARNE_ALGORITHM_INVERSE_DYNAMICS)
            return fail_usage("%s needs --contact NAME", r->quantity.info->name);
        return EXIT_FINE;
    }
    const contact_args args = {&a->contact, a->unilateral,
                               a->friction.given ? a->friction.value[0] : -1};
    const int          code = contacts_make(&r->ask, &args);
    if (code == EXIT_FINE && r->quantity.algorithm == ARNE_ALGORITHM_INVERSE_DYNAMICS)
        r->quantity.evaluate = contact_inverse_dynamics;
    return code;
}

// The states, with what the quantity cannot do without.
static int gather_states(compute_run *r)
{
    const quantity   *what = &r->quantity;
    const unsigned    rate = r->args->rate && what->heeds & TAKES_RATE ? NEED_QD : 0u;
    const state_needs needs = {what->needs | rate, what->info->name, r->given};
    state_args        given = r->args->state;
    // Modes are those at rest, and a search for a posture may start anywhere.
    given.quiet =
        r->args->robot.quiet || what->info->takes & (ARNE_TAKES_HELD | ARNE_TAKES_TARGETS);
    given.robot_file = r->ask.path;
    return states_make(r->robot, &r->order, &given, &needs, &r->states);
}

static int parse_wrench(const compute_run *r, const char *name, const char *text, int *frame,
                        arne_wrench *out)
{
    number_list list;
    const int   code = parse_on_frame(r->robot, name, text, 6, frame, &list);
    if (code != EXIT_FINE) return code;
    const double *f = list.value;
    *out = (arne_wrench){.lin = {f[0], f[1], f[2]}, .ang = {f[3], f[4], f[5]}};
    free(list.value);
    return EXIT_FINE;
}

// The wrenches of one link add up, and so do their rates: any of them may carry a rate.
static int add_wrench_rate(const compute_run *r, const char *text)
{
    arne_wrench rate;
    int         frame;
    const int   code = parse_wrench(r, "--wrench-rate", text, &frame, &rate);
    if (code != EXIT_FINE) return code;
    for (int i = 0; i < r->ask.load_count; i++) {
        arne_wrench *sum = &r->loads[i].rate;
        if (r->loads[i].frame != frame) continue;
        sum->lin =
            (arne_vec3){sum->lin.x + rate.lin.x, sum->lin.y + rate.lin.y, sum->lin.z + rate.lin.z};
        sum->ang =
            (arne_vec3){sum->ang.x + rate.ang.x, sum->ang.y + rate.ang.y, sum->ang.z + rate.ang.z};
        return EXIT_FINE;
    }
    return fail_data("--wrench-rate: link '%s' has no --wrench that could change",
                     arne_robot_frame(r->robot, frame).name);
}

static int gather_wrenches(compute_run *r)
{
    const text_list *texts = &r->args->wrench, *rates = &r->args->wrench_rate;
    int              code = EXIT_FINE;
    r->f_ext = need((size_t)arne_robot_sizes(r->robot).body_count, sizeof *r->f_ext);
    r->ask.loads = r->loads = need((size_t)texts->count, sizeof *r->loads);
    for (int i = 0; i < texts->count && code == EXIT_FINE; i++) {
        arne_load *load = &r->loads[i];
        load->in_world = r->args->wrench_fixed_in == 2;
        code = parse_wrench(r, "--wrench", texts->text[i], &load->frame, &load->wrench);
        if (code != EXIT_FINE) break;
        arne_add_wrench(r->robot, load->frame, &load->wrench, r->f_ext);
        r->ask.load_count++;
    }
    for (int i = 0; i < rates->count && code == EXIT_FINE; i++)
        code = add_wrench_rate(r, rates->text[i]);
    if (texts->count) r->ask.f_ext = r->f_ext;
    return code;
}

static arne_motion motion_of(const number_list *list)
{
    const double *v = list->value;
    if (!list->given) return (arne_motion){0};
    return (arne_motion){.lin = {v[0], v[1], v[2]}, .ang = {v[3], v[4], v[5]}};
}

// A base that is not free is the workspace's; a free one is in the states.
static int set_base(compute_run *r)
{
    const number_list *base = r->args->state.base;
    const arne_base    kind = arne_robot_base(r->robot);
    arne_pose          pose = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const char *const  name[] = {"--base-pose", "--base-velocity", "--base-acceleration",
                                 "--base-jerk"};
    for (int i = 1; i < BASE_PARTS; i++)
        if (kind == ARNE_BASE_FIXED && base[i].given)
            return fail_usage("%s: the base is fixed; --base prescribed lets it move", name[i]);
    if (base[0].given) {
        const double *p = base[0].value;
        const int     code = rotation_of("--base-pose", p + 3, &pose.R);
        if (code != EXIT_FINE) return code;
        pose.p = (arne_vec3){p[0], p[1], p[2]};
    }
    if (kind == ARNE_BASE_FREE) return EXIT_FINE;
    for (int i = 0; i < 3; i++)
        r->base.motion[i] = motion_of(&base[i + 1]);
    r->base.pose = pose;
    arne_work_set_base(r->robot, r->ask.work, &pose, &r->base.motion[0], &r->base.motion[1]);
    arne_work_set_base_jerk(r->robot, r->ask.work, &r->base.motion[2]);
    return EXIT_FINE;
}

int compute_prepare(compute_run *r, const char *path)
{
    const compute_args *a = r->args;
    robot_args          how = a->robot;
    how.touches = r->quantity.algorithm == ARNE_ALGORITHM_GROUND_DYNAMICS;
    int code = load_robot(path, &how, NULL, &r->robot);
    if (code == EXIT_FINE) code = check_heeded(r);
    if (code == EXIT_FINE)
        quantity_choose(&r->quantity, arne_robot_sizes(r->robot).loop_count > 0 && !a->open);
    if (code == EXIT_FINE) code = attach_payloads(path, &a->payload, &r->robot);
    if (code != EXIT_FINE) return code;

    if (r->quantity.needs & NEED_JOINTS && arne_robot_sizes(r->robot).v_count == 0)
        return fail_data("%s: %s needs a robot that can move, and this one has no joints", path,
                         r->quantity.info->name);
    const arne_status status = arne_work_new(r->robot, &r->ask.work);
    if (status != ARNE_OK) return fail_data("%s: %s", path, arne_status_text(status));
    r->ask.path = path;
    r->ask.order = &r->order;
    r->ask.robot = r->robot;
    r->ask.axes = a->axes ? (arne_axes)(a->axes - 1) : ARNE_AXES_ALIGNED;
    if (r->ask.axes == ARNE_AXES_WORLD && r->quantity.info->takes & ARNE_TAKES_NO_WORLD_AXES)
        return fail_usage("%s: --axes is body or aligned; it is of a frame's own origin",
                          r->quantity.info->name);
    r->ask.spatial = a->spatial;
    r->ask.rate = a->rate;
    r->ask.matrix = a->method == 2;

    code = loops_refuse(&r->ask, &r->quantity, a->open, r->ask.matrix);
    if (code == EXIT_FINE) code = ordering_make(r->robot, a->order, &r->order);
    if (code == EXIT_FINE) code = choose_frames(r);
    if (code == EXIT_FINE) code = choose_given(r);
    if (code == EXIT_FINE) code = choose_activations(r);
    if (code == EXIT_FINE) code = choose_contacts(r);
    if (code == EXIT_FINE) code = gather_wrenches(r);
    if (code == EXIT_FINE) code = set_base(r);
    if (code == EXIT_FINE && r->quantity.heeds & TAKES_TARGETS)
        code = targets_make(r->robot, &a->target, &r->targets, &r->ask.target_count);
    r->ask.targets = r->targets;
    if (code == EXIT_FINE) code = gather_states(r);
    if (code == EXIT_FINE) code = gather_loads(r);
    if (code == EXIT_FINE) code = loops_close(&r->ask, &r->quantity, a->open, &r->states);
    return code;
}

void compute_free(compute_run *r)
{
    states_free(&r->states);
    ordering_free(&r->order);
    arne_loop_work_free(r->ask.loop);
    arne_modules_free(r->ask.modules);
    arne_work_free(r->ask.work);
    contacts_free(&r->ask);
    arne_robot_free(r->robot);
    free(r->f_ext);
    free(r->loads);
    free(r->frames);
    free(r->given);
    free(r->activation);
    free(r->targets);
}
