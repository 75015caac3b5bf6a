// arne compute QUANTITY ROBOT: any quantity, at one state or for each row of a CSV file.
#include "compute_ask.h"
#include "compute_identify.h"
#include "compute_modes.h"
#include "compute_rows.h"
#include "finite.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/configuration.h>
#include <stdlib.h>

#define AT(member) offsetof(compute_args, member)
static const option options[] = {
    {"--q", NULL, OPTION_NUMBERS, "LIST|NAME|JOINT=VALUE,...",
     "positions [rad, m] (default: neutral); of active joints alone where there are loops; or the "
     "name of a configuration in the robot's file; or of some joints by name",
     AT(state.part[PART_Q]), 0},
    {"--qd", NULL, OPTION_NUMBERS, "LIST|JOINT=VALUE,...", "velocities (default: zero)",
     AT(state.part[PART_QD]), 0},
    {"--qdd", NULL, OPTION_NUMBERS, "LIST|JOINT=VALUE,...", "accelerations (default: zero)",
     AT(state.part[PART_QDD]), 0},
    {"--qddd", NULL, OPTION_NUMBERS, "LIST|JOINT=VALUE,...",
     "jerks (no default: jerk and torque-rate need them)", AT(state.part[PART_QDDD]), 0},
    {"--tau", NULL, OPTION_NUMBERS, "LIST|JOINT=VALUE,...",
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
    {"--column", NULL, OPTION_TEXTS, "NAME=OTHER",
     "--states calls a column by another name: q.elbow=Joint_3", AT(state.column), 0},
    {"--differentiate", NULL, OPTION_FLAG, NULL,
     "compute velocities and accelerations that --states lacks from positions over time",
     AT(state.differentiate), 0},
    {"--cutoff", NULL, OPTION_NUMBERS, "HZ",
     "cut-off of the zero-phase low-pass filter of --differentiate (default: chosen from the "
     "spectrum, and printed)",
     AT(state.cutoff), 1},
    {"--order", NULL, OPTION_TEXT, "NAME,NAME,...",
     "order of the joints in all vectors and matrices, input and output", AT(order), 0},
    {"--given", NULL, OPTION_TEXT, "NAME,NAME,...",
     "joints whose motion is given by --qdd, the others have --tau (hybrid-dynamics); or joints "
     "that do not move (modes, equilibrium)",
     AT(given), 0},
    {"--contact", NULL, OPTION_TEXTS, "NAME[=point|foot]",
     "a link or frame that is held: its origin (point), or also its orientation (foot); for "
     "contact-dynamics and inverse-dynamics; repeatable",
     AT(contact), 0},
    {"--unilateral", NULL, OPTION_FLAG, NULL, "contacts push along z of the world and do not pull",
     AT(unilateral), 0},
    {"--friction", NULL, OPTION_NUMBERS, "MU",
     "contact forces stay in the friction cone of this coefficient and do not pull", AT(friction),
     1},
    ROBOT_OPTIONS(compute_args),
    {"--base-pose", NULL, OPTION_NUMBERS, "x,y,z,qx,qy,qz,qw", "pose of the base",
     AT(state.base[0]), 7},
    {"--base-velocity", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz",
     "twist of the base, in its own axes", AT(state.base[1]), 6},
    {"--base-acceleration", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz",
     "time derivative of the twist", AT(state.base[2]), 6},
    {"--base-jerk", NULL, OPTION_NUMBERS, "vx,vy,vz,wx,wy,wz",
     "time derivative of the acceleration", AT(state.base[3]), 6},
    {"--wrench", NULL, OPTION_TEXTS, "LINK=fx,fy,fz,mx,my,mz",
     "wrench of the environment on a link, at its origin, in its axes; repeatable", AT(wrench), 0},
    {"--wrench-rate", NULL, OPTION_TEXTS, "LINK=fx,fy,fz,mx,my,mz",
     "time derivative of a wrench, relative to where it is fixed (torque-rate); repeatable",
     AT(wrench_rate), 0},
    {"--wrench-fixed-in", NULL, OPTION_CHOICE, "link|world",
     "where wrenches are constant while the robot moves (default: link); for equilibrium also "
     "whose axes they are in",
     AT(wrench_fixed_in), 0},
    {"--payload", NULL, OPTION_TEXTS, "LINK=mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]",
     "a tool or load on a link; inertia about its centre of mass; repeatable", AT(payload), 0},
    {"--frame", NULL, OPTION_TEXTS, "NAME", "a link or frame; repeatable for some quantities",
     AT(target.frame), 0},
    {"--axes", NULL, OPTION_CHOICE, "body|world|aligned",
     "axes of motions and Jacobians (default: aligned)", AT(axes), 0},
    {"--spatial", NULL, OPTION_FLAG, NULL, "acceleration as a spatial vector, not classical",
     AT(spatial), 0},
    {"--rate", NULL, OPTION_FLAG, NULL, "the Jacobian's time derivative too", AT(rate), 0},
    {"--position", NULL, OPTION_TEXTS, "x,y,z", "target position of --frame (inverse-kinematics)",
     AT(target.position), 0},
    {"--quaternion", NULL, OPTION_TEXTS, "qx,qy,qz,qw", "target orientation (default: any)",
     AT(target.quaternion), 0},
    {"--rpy", NULL, OPTION_TEXTS, "r,p,y", "the same as roll, pitch and yaw [rad]", AT(target.rpy),
     0},
    {"--method", NULL, OPTION_CHOICE, "recursive|matrix",
     "method of forward-dynamics (default: recursive)", AT(method), 0},
    {"--open", NULL, OPTION_FLAG, NULL,
     "for a robot with loops: compute the tree without its loops", AT(open), 0},
    {"--json", NULL, OPTION_FLAG, NULL, "JSON instead of CSV: an array with one object per state",
     AT(json), 0},
    OPTION_OUTPUT(compute_args),
    OPTION_END,
};
#undef AT

static void details(FILE *out)
{
    fprintf(out, "\nQuantities (with their keys in JSON):\n");
    const arne_algorithm_info *info;
    for (int i = 0; (info = quantity_info(i)) != NULL; i++) {
        char keys[512], text[1024];
        if (!(info->has & ARNE_HAS_COMPUTE)) continue;
        snprintf(text, sizeof text, "%s (%s)", info->text, quantity_keys(info, keys, sizeof keys));
        help_line(out, 28, info->name, text);
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

static int evaluate(const compute_run *r, const state *at, result *out)
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

// All states at once, by threads; not where they are few or cannot all be solved: then they are
// taken one by one, and the one that fails says why.
static rows_outcome write_all(const compute_run *r, FILE *out)
{
    const rows_request rows = {.what = &r->quantity,
                               .ask = &r->ask,
                               .states = r->states.item,
                               .count = r->states.count,
                               .base = &r->base};
    if (r->args->json || r->quantity.evaluate || !many_is_worth(r->states.count)) return ROWS_NONE;
    if (r->states.load_count) return ROWS_NONE; // they differ from state to state
    return many_rows(&rows, out);
}

static int fail_memory(const compute_run *r)
{
    return fail_error(r->ask.path, ARNE_NO_MEMORY, &(arne_error){0});
}

// All of them for JSON, likewise.
static many *evaluate_all(const compute_run *r, arne_status *status)
{
    if (r->quantity.evaluate || !many_is_worth(r->states.count) || r->states.load_count)
        return NULL;
    return many_make(&r->quantity, &r->ask, r->states.item, r->states.count, &r->base, status,
                     NULL);
}

// The quantity at one state; *unmet counts where it is only near what was asked for.
static int evaluate_finite(compute_run *r, const many *all, int index, result *found, int *unmet)
{
    const state *at = &r->states.item[index];
    int          code = EXIT_FINE;
    compute_set_loads(r, at);
    time_field(at, found);
    if (all)
        many_fields(all, index, found);
    else
        code = evaluate(r, at, found);
    *unmet += code == EXIT_NOT_CONVERGED;
    if (code != EXIT_FINE && code != EXIT_NOT_CONVERGED) return code;
    return check_finite(&r->quantity, &r->ask, at, index, r->states.count, found);
}

static int write_states(compute_run *r, FILE *out)
{
    result    found = {.order = &r->order};
    row_text  row = {0};
    json      j = json_begin(out);
    const int wants_json = r->args->json;
    int       code = EXIT_FINE, unmet = 0;
    if (r->quantity.algorithm == ARNE_ALGORITHM_BASE_PARAMETERS)
        return write_base_parameters(&r->ask, &r->order, wants_json, out);
    if (r->quantity.algorithm == ARNE_ALGORITHM_MODES)
        return write_modes(&r->ask, &r->states, wants_json, r->args->robot.quiet, out);
    const rows_outcome rows = write_all(r, out);
    if (rows != ROWS_NONE) return rows == ROWS_WRITTEN ? EXIT_FINE : fail_memory(r);
    arne_status status = ARNE_OK;
    many       *all = wants_json ? evaluate_all(r, &status) : NULL;
    if (status == ARNE_NO_MEMORY) return fail_memory(r);
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

// Told once: there a spline is no longer what its points say, and an exponential loses digits.
static void say_beyond(const compute_run *r)
{
    for (int i = 0; i < r->states.count; i++) {
        const double *q = r->states.item[i].part[PART_Q];
        const int     joint = q ? arne_joint_beyond(r->ask.robot, q) : -1;
        char          name[128];
        if (joint < 0) continue;
        warn("beyond",
             "joint '%s': state %d is beyond the points of its spline or its largest turn",
             shown(arne_robot_joint(r->ask.robot, joint).name, name, sizeof name), i + 1);
        return;
    }
}

static int answer(compute_run *r)
{
    say_beyond(r);
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

    compute_run r = {.args = &args};
    code = EXIT_USAGE;
    if (find_quantity(operands.text[0], operands.text[1], &r.quantity))
        code = compute_prepare(&r, operands.text[1]);
    if (code == EXIT_FINE) code = answer(&r);
    compute_free(&r);
    options_free(&compute, &args, &operands);
    return code;
}
