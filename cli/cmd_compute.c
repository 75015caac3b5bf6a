// arne compute QUANTITY ROBOT: any quantity, at one state or for each row of a CSV file.
#include "compute_contact.h"
#include "compute_elastic.h"
#include "compute_identify.h"
#include "compute_loops.h"
#include "compute_modes.h"
#include "finite.h"
#include "load.h"
#include "many_rows.h"
#include "message.h"
#include "output.h"
#include "quantities.h"
#include "targets.h"
#include "verbs.h"

#include <arne/derivatives.h>
#include <stdlib.h>
#include <string.h>

typedef struct compute_args {
    robot_args  robot;
    state_args  state;
    target_args target;
    text_list   wrench, wrench_rate, payload, contact;
    number_list friction;
    int         unilateral;
    int         wrench_fixed_in, method, axes, spatial, rate, open, json;
    const char *order, *given, *output;
} compute_args;

#define AT(member) offsetof(compute_args, member)
static const option options[] = {
    {"--q", NULL, OPTION_NUMBERS, "LIST",
     "positions [rad, m] (default: neutral); of active joints alone where there are loops",
     AT(state.part[PART_Q]), 0},
    {"--qd", NULL, OPTION_NUMBERS, "LIST", "velocities (default: zero)", AT(state.part[PART_QD]),
     0},
    {"--qdd", NULL, OPTION_NUMBERS, "LIST", "accelerations (default: zero)",
     AT(state.part[PART_QDD]), 0},
    {"--qddd", NULL, OPTION_NUMBERS, "LIST",
     "their rates (no default: jerk and torque-rate need it)", AT(state.part[PART_QDDD]), 0},
    {"--tau", NULL, OPTION_NUMBERS, "LIST",
     "torques and forces; of an elastic joint: its motor's (default: zero)",
     AT(state.part[PART_TAU]), 0},
    {"--theta", NULL, OPTION_NUMBERS, "LIST",
     "positions of the motors of elastic joints (default: their joints')", AT(state.theta[PART_Q]),
     0},
    {"--thetad", NULL, OPTION_NUMBERS, "LIST", "their velocities (likewise)",
     AT(state.theta[PART_QD]), 0},
    {"--thetadd", NULL, OPTION_NUMBERS, "LIST", "their accelerations (likewise)",
     AT(state.theta[PART_QDD]), 0},
    {"--states", NULL, OPTION_TEXT, "FILE.csv",
     "one state per row; columns q.NAME, qd.NAME, qdd.NAME, qddd.NAME, tau.NAME, theta.NAME, "
     "load.LINK.fx to .mz, time; - is standard input",
     AT(state.file), 0},
    {"--differentiate", NULL, OPTION_FLAG, NULL,
     "find velocities and accelerations that --states lacks from positions over time",
     AT(state.differentiate), 0},
    {"--cutoff", NULL, OPTION_NUMBERS, "HZ",
     "of the zero-phase low-pass filter that does (default: chosen from the spectrum, and told)",
     AT(state.cutoff), 1},
    {"--order", NULL, OPTION_TEXT, "NAME,NAME,...",
     "take and give all vectors and matrices in this order of joints", AT(order), 0},
    {"--given", NULL, OPTION_TEXT, "NAME,NAME,...",
     "joints that move with --qdd, the others with --tau (hybrid-dynamics); or that stand still "
     "(modes)",
     AT(given), 0},
    {"--contact", NULL, OPTION_TEXTS, "NAME[=point|foot]",
     "a link or frame that is held: its origin, or all of it (contact-dynamics, inverse-dynamics); "
     "repeatable",
     AT(contact), 0},
    {"--unilateral", NULL, OPTION_FLAG, NULL, "contacts push along z of the world and do not pull",
     AT(unilateral), 0},
    {"--friction", NULL, OPTION_NUMBERS, "MU",
     "their forces stay in the cone of this coefficient; they do not pull either", AT(friction), 1},
    ROBOT_OPTIONS(compute_args),
    {"--base-pose", NULL, OPTION_NUMBERS, "x,y,z,qx,qy,qz,qw", "where the base is",
     AT(state.base[0]), 7},
    {"--base-velocity", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz", "its twist, in its own axes",
     AT(state.base[1]), 6},
    {"--base-acceleration", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz",
     "the time derivative of those numbers", AT(state.base[2]), 6},
    {"--base-jerk", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz", "the time derivative of these",
     AT(state.base[3]), 6},
    {"--wrench", NULL, OPTION_TEXTS, "LINK=fx,fy,fz,mx,my,mz",
     "what the environment does to a link, at its origin, in its axes; repeatable", AT(wrench), 0},
    {"--wrench-rate", NULL, OPTION_TEXTS, "LINK=fx,fy,fz,mx,my,mz",
     "how that changes in time, seen where it is fixed (torque-rate); repeatable", AT(wrench_rate),
     0},
    {"--wrench-fixed-in", NULL, OPTION_CHOICE, "link|world",
     "where wrenches stay as they are while the robot moves (default: link)", AT(wrench_fixed_in),
     0},
    {"--payload", NULL, OPTION_TEXTS, "LINK=mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]",
     "a tool or load on a link; inertia about its centre of mass; repeatable", AT(payload), 0},
    {"--frame", NULL, OPTION_TEXTS, "NAME", "a link or frame; repeatable where several make sense",
     AT(target.frame), 0},
    {"--axes", NULL, OPTION_CHOICE, "body|world|aligned",
     "axes of motions and Jacobians (default: aligned)", AT(axes), 0},
    {"--spatial", NULL, OPTION_FLAG, NULL, "acceleration as a spatial vector, not classical",
     AT(spatial), 0},
    {"--rate", NULL, OPTION_FLAG, NULL, "the Jacobian's time derivative too", AT(rate), 0},
    {"--position", NULL, OPTION_TEXTS, "x,y,z", "where --frame is to go (inverse-kinematics)",
     AT(target.position), 0},
    {"--quaternion", NULL, OPTION_TEXTS, "qx,qy,qz,qw", "how it is to be turned (default: any way)",
     AT(target.quaternion), 0},
    {"--method", NULL, OPTION_CHOICE, "recursive|matrix",
     "of forward-dynamics (default: recursive)", AT(method), 0},
    {"--open", NULL, OPTION_FLAG, NULL,
     "of a robot with loops: the tree that is cut at them, not the closed mechanism", AT(open), 0},
    {"--json", NULL, OPTION_FLAG, NULL, "JSON instead of CSV: an array with one object per state",
     AT(json), 0},
    OPTION_OUTPUT(compute_args),
    OPTION_END,
};
#undef AT

static void details(FILE *out)
{
    fprintf(out, "\nQuantities, with their keys in JSON:\n");
    const arne_algorithm_info *info;
    for (int i = 0; (info = quantity_info(i)) != NULL; i++) {
        char keys[512];
        if (info->has & ARNE_HAS_COMPUTE)
            fprintf(out, "  %-28s  %s: %s\n", info->name, quantity_keys(info, keys, sizeof keys),
                    info->text);
    }
    fprintf(out, "\nLists are comma-separated; numbers may be written 1.5e-3, pi/2, 90 deg.\n");
}

static const command compute = {
    "compute",
    "QUANTITY ROBOT",
    "Any quantity of a robot, at one state or for each row of a CSV file.",
    2,
    2,
    options,
    details};

// Everything that a run makes and gives back.
typedef struct run {
    const compute_args *args;
    quantity            quantity;
    arne_robot         *robot;
    ordering            order;
    state_list          states;
    arne_wrench        *f_ext;
    arne_load          *loads;
    int                *frames;
    unsigned char      *given;
    arne_target        *targets;
    base_motion         base;
    request             ask;
} run;

// --- what is asked -----------------------------------------------------------------------------

// An option that the quantity does not heed is not dropped in silence.
static int check_heeded(const run *r)
{
    const compute_args *a = r->args;
    const unsigned      frame = TAKES_FRAME | TAKES_ONE_FRAME | TAKES_TARGETS;
    const int           sought = (r->quantity.needs & NEED_JOINTS_QDD) != 0;
    const struct {
        const char *name;
        int         given;
        unsigned    heeds;
    } check[] = {{"--frame", a->target.frame.count, frame},
                 {"--position", a->target.position.count, TAKES_TARGETS},
                 {"--quaternion", a->target.quaternion.count, TAKES_TARGETS},
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
                 {"--base-acceleration", sought && a->state.base[PART_QDD].given, 0}};
    for (size_t i = 0; i < sizeof check / sizeof check[0]; i++) {
        if (!check[i].given || r->quantity.heeds & check[i].heeds) continue;
        if (a->robot.strict)
            return fail_usage("%s has no effect on %s", check[i].name, r->quantity.info->name);
        if (!a->robot.quiet)
            say("warning: %s has no effect on %s", check[i].name, r->quantity.info->name);
    }
    return EXIT_FINE;
}

// --frame: those named; all of them where none is named and the quantity is about many.
static int choose_frames(run *r)
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
static int choose_given(run *r)
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

// Columns of loads act besides --wrench.
static int gather_loads(run *r)
{
    if (!r->states.load_count) return EXIT_FINE;
    if (!(r->quantity.heeds & TAKES_WRENCH)) {
        if (r->args->robot.strict)
            return fail_usage("columns load.LINK have no effect on %s", r->quantity.info->name);
        if (!r->args->robot.quiet)
            say("warning: columns load.LINK have no effect on %s", r->quantity.info->name);
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
static void set_loads(run *r, const state *at)
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
static int choose_contacts(run *r)
{
    const compute_args *a = r->args;
    if (!(r->quantity.heeds & TAKES_CONTACTS)) return EXIT_FINE;
    if (!a->contact.count) {
        if (r->quantity.algorithm == ARNE_ALGORITHM_CONTACT_DYNAMICS)
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
static int gather_states(run *r)
{
    const quantity   *what = &r->quantity;
    const unsigned    rate = r->args->rate && what->heeds & TAKES_RATE ? NEED_QD : 0u;
    const state_needs needs = {what->needs | rate, what->info->name, r->given};
    state_args        given = r->args->state;
    given.quiet = r->args->robot.quiet;
    return states_make(r->robot, &r->order, &given, &needs, &r->states);
}

static int parse_wrench(const run *r, const char *name, const char *text, int *frame,
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
static int add_wrench_rate(const run *r, const char *text)
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

static int gather_wrenches(run *r)
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
static int set_base(run *r)
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

static int prepare(run *r, const char *path)
{
    const compute_args *a = r->args;
    int                 code = load_robot(path, &a->robot, NULL, &r->robot);
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

static void clean_up(run *r)
{
    states_free(&r->states);
    ordering_free(&r->order);
    arne_loop_work_free(r->ask.loop);
    arne_work_free(r->ask.work);
    contacts_free(&r->ask);
    arne_robot_free(r->robot);
    free(r->f_ext);
    free(r->loads);
    free(r->frames);
    free(r->given);
    free(r->targets);
}

// --- what is answered --------------------------------------------------------------------------

static int evaluate(const run *r, const state *at, result *out)
{
    arne_error  error = {0};
    arne_status status;
    if (r->quantity.evaluate) return r->quantity.evaluate(&r->ask, at, out);
    many *one = many_make(&r->quantity, &r->ask, at, 1, &r->base, &status, &error);
    if (!one) return fail_error(r->ask.path, status, &error);
    many_fields(one, 0, out);
    many_free(one);
    return EXIT_FINE;
}

// All states at once, by threads; 0 where they are few or cannot all be solved: then they are taken
// one by one, and the one that fails says why.
static int write_all(const run *r, FILE *out)
{
    const rows_request rows = {.what = &r->quantity,
                               .ask = &r->ask,
                               .states = r->states.item,
                               .count = r->states.count,
                               .base = &r->base};
    if (r->args->json || r->quantity.evaluate || !many_is_worth(r->states.count)) return 0;
    if (r->states.load_count) return 0; // they differ from state to state
    return many_rows(&rows, out);
}

// All of them for JSON, likewise.
static many *evaluate_all(const run *r)
{
    arne_status status;
    if (r->quantity.evaluate || !many_is_worth(r->states.count) || r->states.load_count)
        return NULL;
    return many_make(&r->quantity, &r->ask, r->states.item, r->states.count, &r->base, &status,
                     NULL);
}

// The quantity at one state; *unmet counts where it is only near what was asked for.
static int evaluate_finite(run *r, const many *all, int index, result *found, int *unmet)
{
    const state *at = &r->states.item[index];
    int          code = EXIT_FINE;
    set_loads(r, at);
    time_field(at, found);
    if (all)
        many_fields(all, index, found);
    else
        code = evaluate(r, at, found);
    *unmet += code == EXIT_NOT_CONVERGED;
    if (code != EXIT_FINE && code != EXIT_NOT_CONVERGED) return code;
    return check_finite(&r->quantity, &r->ask, at, index, r->states.count, found);
}

static int write_states(run *r, FILE *out)
{
    result    found = {.order = &r->order};
    row_text  row = {0};
    json      j = json_begin(out);
    const int wants_json = r->args->json;
    int       code = EXIT_FINE, unmet = 0;
    if (r->quantity.algorithm == ARNE_ALGORITHM_BASE_PARAMETERS)
        return write_base_parameters(&r->ask, &r->order, wants_json, out);
    if (r->quantity.algorithm == ARNE_ALGORITHM_MODES)
        return write_modes(&r->ask, &r->states, wants_json, out);
    if (write_all(r, out)) return EXIT_FINE;
    many *all = wants_json ? evaluate_all(r) : NULL;
    if (wants_json) json_open(&j, NULL, '[');
    for (int i = 0; i < r->states.count; i++) {
        result_reset(&found);
        code = evaluate_finite(r, all, i, &found, &unmet);
        if (code != EXIT_FINE) break;
        if (wants_json) {
            json_line(&j, 1);
            result_json(&found, &j);
        } else {
            if (i == 0) result_csv_header(&found, out);
            row.length = 0;
            result_csv_row(&found, &row);
            fwrite(row.text, 1, row.length, out);
        }
    }
    if (wants_json) fputs("\n]\n", out);
    result_free(&found);
    many_free(all);
    free(row.text);
    if (unmet)
        say("%s: the target is not reached in %d of %d states", r->ask.path, unmet,
            r->states.count);
    return code == EXIT_FINE && unmet ? EXIT_NOT_CONVERGED : code;
}

static int answer(run *r)
{
    output out;
    int    code = output_open(&out, r->args->output);
    if (code != EXIT_FINE) return code;
    code = write_states(r, out.stream);
    // A target that is out of reach still leaves the best configuration, and its status, to see.
    if (code != EXIT_FINE && code != EXIT_NOT_CONVERGED) {
        output_drop(&out);
        return code;
    }
    const int delivered = output_deliver(&out);
    return delivered != EXIT_FINE || code == EXIT_FINE ? delivered : EXIT_DATA;
}

int cmd_compute(int argc, char **argv)
{
    compute_args args = {0};
    text_list    operands = {0};
    int          code = options_parse(&compute, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;

    run r = {.args = &args};
    code =
        find_quantity(operands.text[0], &r.quantity) ? prepare(&r, operands.text[1]) : EXIT_USAGE;
    if (code == EXIT_FINE) code = answer(&r);
    clean_up(&r);
    options_free(&compute, &args, &operands);
    return code;
}
