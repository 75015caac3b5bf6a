#include "compute_loops.h"

#include "info.h"
#include "message.h"

#include <arne/catalogue.h>
#include <stdlib.h>
#include <string.h>

static int has_loops(const request *ask, const char *name)
{
    return ask->loop ? EXIT_FINE
                     : fail_data("%s: %s needs a robot with loops, and this one has none",
                                 ask->path, name);
}

// --- closing the states --------------------------------------------------------------------------

// Passive positions of the last state are where the next one starts.
static void start_from(const ordering *order, const state *last, state *s)
{
    for (int i = 0; i < order->q_count; i++)
        if (order->q_passive[i]) s->part[PART_Q][order->q[i]] = last->part[PART_Q][order->q[i]];
}

static int close_state(const request *ask, const quantity *what, state *s)
{
    arne_error  error = {0};
    arne_status status = ARNE_OK;
    double     *q = s->part[PART_Q], *qd = s->part[PART_QD], *qdd = s->part[PART_QDD];
    if (s->partial & NEED_Q)
        status = arne_assemble(ask->robot, ask->work, ask->loop, NULL, q, NULL, &error);
    // Accelerations that are whole stay; what they were computed with may have been rounded.
    const int velocity = s->partial & NEED_QD && what->needs & NEED_QD;
    const int acceleration = s->partial & NEED_QDD && what->needs & NEED_QDD;
    const int jerk = s->partial & NEED_QDDD && what->needs & NEED_QDDD;
    if (status == ARNE_OK && (velocity || acceleration))
        status = arne_loop_complete(ask->robot, ask->work, ask->loop, q, qd,
                                    acceleration ? qdd : NULL, &error);
    if (status == ARNE_OK && jerk)
        status = arne_loop_complete_jerk(ask->robot, ask->work, ask->loop, q, qd, qdd,
                                         s->part[PART_QDDD], &error);
    return request_end(ask, status, &error);
}

int loops_refuse(const request *ask, const quantity *what, int open, int matrix)
{
    const int needs_loops = what->algorithm == ARNE_ALGORITHM_ASSEMBLE ||
                            what->algorithm == ARNE_ALGORITHM_LOOP_JACOBIAN ||
                            what->algorithm == ARNE_ALGORITHM_LOOP_FORCES;
    if (open && needs_loops)
        return fail_usage("%s is about the loops that --open cuts", what->info->name);
    if (arne_robot_sizes(ask->robot).loop_count == 0 || open) return EXIT_FINE;
    if (what->info->has & ARNE_HAS_LOOPS && !matrix) return EXIT_FINE;
    return fail_data("%s: %s%s of a robot with loops is not available; --open gives that of the "
                     "tree that is cut at the loops",
                     ask->path, what->info->name, matrix ? " --method matrix" : "");
}

// Platforms on each other are computed module by module, which is linear in their number.
static void find_modules(request *ask, arne_algorithm algorithm)
{
    if (algorithm != ARNE_ALGORITHM_INVERSE_DYNAMICS &&
        algorithm != ARNE_ALGORITHM_FORWARD_DYNAMICS)
        return;
    if (ask->f_ext || ask->holding || arne_modules_new(ask->robot, &ask->modules, NULL) != ARNE_OK)
        return;
    if (arne_modules_count(ask->modules) > 1) return;
    arne_modules_free(ask->modules);
    ask->modules = NULL;
}

int loops_close(request *ask, const quantity *what, int open, state_list *states)
{
    if (arne_robot_sizes(ask->robot).loop_count == 0) return EXIT_FINE;
    const arne_status made = arne_loop_work_new(ask->robot, &ask->loop);
    if (made != ARNE_OK) return fail_data("%s: %s", ask->path, arne_status_text(made));
    if (!open) find_modules(ask, what->algorithm);
    const int assembles = what->algorithm == ARNE_ALGORITHM_ASSEMBLE;
    if (what->algorithm == ARNE_ALGORITHM_BASE_PARAMETERS || (assembles && states->count == 1) ||
        (what->algorithm == ARNE_ALGORITHM_EQUILIBRIUM && !open)) // it closes the loops itself
        return EXIT_FINE;
    int code = EXIT_FINE;
    for (int i = 0; i < states->count && code == EXIT_FINE; i++) {
        state *s = &states->item[i];
        if (i > 0 && s->partial & NEED_Q) start_from(ask->order, s - 1, s);
        if (!open || s->partial & NEED_Q) code = close_state(ask, what, s);
    }
    if (open) {
        arne_loop_work_free(ask->loop);
        ask->loop = NULL;
    }
    return code;
}

// --- kinematics ----------------------------------------------------------------------------------

int loop_assemble(const request *ask, const state *at, result *out)
{
    const int code = has_loops(ask, "assemble");
    if (code != EXIT_FINE) return code;
    arne_error    error = {0};
    arne_assembly found = {0};
    double       *q = result_add(out, "q", AXIS_Q, AXIS_ONE);
    memcpy(q, at->part[PART_Q], (size_t)arne_robot_sizes(ask->robot).q_count * sizeof *q);
    const arne_status status =
        arne_assemble(ask->robot, ask->work, ask->loop, NULL, q, &found, &error);
    *result_add(out, "closure", AXIS_ONE, AXIS_ONE) = found.closure;
    *result_add(out, "branch", AXIS_ONE, AXIS_ONE) = found.branch;
    return request_end(ask, status, &error);
}

// Columns of active joints that depend on others (where there are more of them than mobility) stay
// zero.
int loop_jacobian(const request *ask, const state *at, result *out)
{
    const int code = has_loops(ask, "loop-jacobian");
    if (code != EXIT_FINE) return code;
    const int        n = arne_robot_sizes(ask->robot).v_count, active = ask->order->v_active;
    arne_error       error = {0};
    arne_loop_report report = {0};
    double          *wide = result_add(out, "G", AXIS_V, AXIS_ACTIVE);
    double          *G = need((size_t)(n * n), sizeof *G);
    int             *independent = need((size_t)n, sizeof *independent), mobility = 0;
    unsigned char   *flags = need((size_t)n, 1);
    arne_status status = arne_loop_jacobian(ask->robot, ask->work, ask->loop, at->part[PART_Q], G,
                                            independent, &mobility, NULL, &error);
    arne_active(ask->robot, flags);
    memset(wide, 0, (size_t)(n * active) * sizeof *wide);
    for (int c = 0; status == ARNE_OK && c < mobility; c++) {
        int column = 0;
        for (int k = 0; k < independent[c]; k++)
            column += flags[k];
        for (int k = 0; k < n; k++)
            wide[k * active + column] = G[k * mobility + c];
    }
    if (status == ARNE_OK)
        status = arne_loop_analyse(ask->robot, ask->work, ask->loop, at->part[PART_Q], &report,
                                   NULL, &error);
    *result_add(out, "condition", AXIS_ONE, AXIS_ONE) = report.condition;
    free(flags);
    free(independent);
    free(G);
    return request_end(ask, status, &error);
}

// --- dynamics ------------------------------------------------------------------------------------

// Of a vector over all joints the active ones.
static void put_active(const request *ask, const double *tau, double *out)
{
    const int      n = arne_robot_sizes(ask->robot).v_count;
    unsigned char *active = need((size_t)n, 1);
    arne_active(ask->robot, active);
    for (int k = 0; k < n; k++)
        if (active[k]) *out++ = tau[k];
    free(active);
}

int loop_torques(const request *ask, const state *at, const double *qd, const double *qdd,
                 result *out)
{
    arne_error        error = {0};
    double           *tau = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *tau);
    const arne_status status =
        ask->modules
            ? arne_modules_inverse_dynamics(ask->modules, at->part[PART_Q], qd, qdd, tau, &error)
            : arne_loop_inverse_dynamics(ask->robot, ask->work, ask->loop, at->part[PART_Q], qd,
                                         qdd, ask->f_ext, NULL, tau, &error);
    put_active(ask, tau, result_add(out, "tau", AXIS_ACTIVE, AXIS_ONE));
    free(tau);
    return request_end(ask, status, &error);
}

int loop_gravity(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    double           *tau = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *tau);
    const arne_status status =
        arne_loop_gravity(ask->robot, ask->work, ask->loop, at->part[PART_Q], NULL, tau, &error);
    put_active(ask, tau, result_add(out, "tau", AXIS_ACTIVE, AXIS_ONE));
    free(tau);
    return request_end(ask, status, &error);
}

int loop_bias(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    double           *tau = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *tau);
    const arne_status status = arne_loop_bias(ask->robot, ask->work, ask->loop, at->part[PART_Q],
                                              at->part[PART_QD], ask->f_ext, NULL, tau, &error);
    put_active(ask, tau, result_add(out, "tau", AXIS_ACTIVE, AXIS_ONE));
    free(tau);
    return request_end(ask, status, &error);
}

// Torques of the motion, and the forces that go with them.
static int carry(const request *ask, const state *at, double *tau, int *indeterminate)
{
    arne_error  error = {0};
    arne_status status = arne_loop_inverse_dynamics(
        ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD], at->part[PART_QDD],
        ask->f_ext, NULL, tau, &error);
    if (status == ARNE_OK)
        status =
            arne_loop_forces(ask->robot, ask->work, ask->loop, at->part[PART_Q], at->part[PART_QD],
                             at->part[PART_QDD], ask->f_ext, tau, NULL, indeterminate, &error);
    return request_end(ask, status, &error);
}

int loop_forces(const request *ask, const state *at, result *out)
{
    int code = has_loops(ask, "loop-forces"), indeterminate = 0;
    if (code != EXIT_FINE) return code;
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    double          *tau = need((size_t)sizes.v_count, sizeof *tau);
    code = carry(ask, at, tau, &indeterminate);
    for (int i = 0; i < sizes.loop_count && code == EXIT_FINE; i++) {
        const char       *name = arne_robot_loop(ask->robot, i).name;
        const arne_wrench f = arne_loop_wrench(ask->robot, ask->work, ask->loop, i);
        result_add_vec3(out, "loops", name, "force", f.lin);
        result_add_vec3(out, "loops", name, "moment", f.ang);
    }
    if (code == EXIT_FINE) {
        *result_add(out, "indeterminate", AXIS_ONE, AXIS_ONE) = indeterminate;
        put_active(ask, tau, result_add(out, "tau", AXIS_ACTIVE, AXIS_ONE));
    }
    free(tau);
    return code;
}

int loop_wrenches(const request *ask, const state *at)
{
    double   *tau = need((size_t)arne_robot_sizes(ask->robot).v_count, sizeof *tau);
    const int code = carry(ask, at, tau, NULL);
    free(tau);
    return code;
}
