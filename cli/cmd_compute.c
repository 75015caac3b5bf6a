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
    NUMBERS("--q", "LIST|NAME|JOINT=VALUE,...", state.part[PART_Q],
            "positions [rad, m] (default: neutral); of active joints alone where there are loops; "
            "or the name of a configuration in the robot's file; or of some joints by name",
            0),
    NUMBERS("--qd", "LIST|JOINT=VALUE,...", state.part[PART_QD], "velocities (default: zero)", 0),
    NUMBERS("--qdd", "LIST|JOINT=VALUE,...", state.part[PART_QDD], "accelerations (default: zero)",
            0),
    NUMBERS("--qddd", "LIST|JOINT=VALUE,...", state.part[PART_QDDD],
            "jerks (no default: jerk and torque-rate need them)", 0),
    NUMBERS("--tau", "LIST|JOINT=VALUE,...", state.part[PART_TAU],
            "torques and forces; of an elastic joint: its motor's (default: zero)", 0),
    NUMBERS("--theta", "LIST", state.theta[PART_Q],
            "positions of the motors of elastic joints (default: their joints')", 0),
    NUMBERS("--thetad", "LIST", state.theta[PART_QD], "their velocities (likewise)", 0),
    NUMBERS("--thetadd", "LIST", state.theta[PART_QDD], "their accelerations (likewise)", 0),
    TEXT("--states", "FILE.csv", state.file,
         "one state per row; columns q.NAME, qd.NAME, qdd.NAME, qddd.NAME, tau.NAME, theta.NAME, "
         "load.LINK.fx to .mz, time; - is standard input"),
    TEXTS("--column", "NAME=OTHER", state.column,
          "--states calls a column by another name: q.elbow=Joint_3"),
    FLAG("--differentiate", state.differentiate,
         "compute velocities and accelerations that --states lacks from positions over time"),
    NUMBERS("--cutoff", "HZ", state.cutoff,
            "cut-off of the zero-phase low-pass filter of --differentiate (default: chosen from "
            "the spectrum, and printed)",
            1),
    TEXT("--order", "NAME,NAME,...", order,
         "order of the joints in all vectors and matrices, input and output"),
    TEXT("--given", "NAME,NAME,...", given,
         "joints whose motion is given by --qdd, the others have --tau (hybrid-dynamics); or "
         "joints that do not move (modes, equilibrium)"),
    TEXTS("--activation", "NAME=A", activation,
          "equilibrium: activation of a muscle, cable or chamber, from 0 to 1; those that are not "
          "named have 0; repeatable"),
    TEXTS("--contact", "NAME[=point|foot]", contact,
          "a link or frame that is held: its origin (point), or also its orientation (foot); for "
          "contact-dynamics and inverse-dynamics; repeatable"),
    FLAG("--unilateral", unilateral, "contacts push along z of the world and do not pull"),
    NUMBERS("--friction", "MU", friction,
            "contact forces stay in the friction cone of this coefficient and do not pull", 1),
    ROBOT_OPTIONS,
    NUMBERS("--base-pose", "x,y,z,qx,qy,qz,qw", state.base[0], "pose of the base", 7),
    NUMBERS("--base-velocity", "vx,vy,vz,wx,wy,wz", state.base[1],
            "twist of the base, in its own axes", 6),
    NUMBERS("--base-acceleration", "vx,vy,vz,wx,wy,wz", state.base[2],
            "time derivative of the twist", 6),
    NUMBERS("--base-jerk", "vx,vy,vz,wx,wy,wz", state.base[3],
            "time derivative of the acceleration", 6),
    TEXTS("--wrench", "LINK=fx,fy,fz,mx,my,mz", wrench,
          "wrench of the environment on a link, at its origin, in its axes; repeatable"),
    TEXTS("--wrench-rate", "LINK=fx,fy,fz,mx,my,mz", wrench_rate,
          "time derivative of a wrench, relative to where it is fixed (torque-rate); repeatable"),
    CHOICE("--wrench-fixed-in", "link|world", wrench_fixed_in,
           "where wrenches are constant while the robot moves (default: link); for equilibrium "
           "also whose axes they are in"),
    TEXTS("--payload", "LINK=mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]", payload,
          "a tool or load on a link; inertia about its centre of mass; repeatable"),
    TEXTS("--frame", "NAME", target.frame, "a link or frame; repeatable for some quantities"),
    CHOICE("--axes", "body|world|aligned", axes,
           "axes of motions and Jacobians (default: aligned)"),
    FLAG("--spatial", spatial, "acceleration as a spatial vector, not classical"),
    FLAG("--rate", rate, "the Jacobian's time derivative too"),
    TEXTS("--position", "x,y,z", target.position,
          "target position of --frame (inverse-kinematics)"),
    TEXTS("--quaternion", "qx,qy,qz,qw", target.quaternion, "target orientation (default: any)"),
    TEXTS("--rpy", "r,p,y", target.rpy, "the same as roll, pitch and yaw [rad]"),
    CHOICE("--method", "recursive|matrix", method,
           "method of forward-dynamics (default: recursive)"),
    FLAG("--open", open, "for a robot with loops: compute the tree without its loops"),
    FLAG("--json", json, "JSON instead of CSV: an array with one object per state"),
    OPTION_OUTPUT,
    OPTION_END,
};
#undef AT

static void cmd_compute_details(FILE *out)
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
    cmd_compute_details};

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

// Warns once: outside its points a spline is only continued, and beyond its largest turn an
// exponential loses digits.
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
