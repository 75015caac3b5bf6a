// Trajectories as tables, and within limits.
#include "motion/joint_range.h"
#include "motion/motion_columns.h"
#include "motion/trajectory.h"

#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static arne_status sample_check_times(double until, int samples, arne_error *error)
{
    if (!(until >= 0) || !isfinite(until))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "samples until %g", until);
    if (samples < 2)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d samples: 2 are needed", samples);
    return ARNE_OK;
}

// A coordinate beyond the limits of its joint; *joint is then that joint.
static int leaves_limits(const arne_trajectory *path, const arne_robot *robot, const double *q,
                         arne_joint_info *joint, double *value)
{
    for (int i = 0; i < path->part_count; i++) {
        const part *p = &path->parts[i];
        if (p->joint < 0) continue;
        *joint = arne_robot_joint(robot, p->joint);
        for (int k = 0; k < part_plain(p); k++) {
            *value = q[p->q_start + k];
            if (joint_leaves_limits(joint, *value)) return 1;
        }
    }
    return 0;
}

arne_status arne_trajectory_check_limits(const arne_trajectory *path, const arne_robot *robot,
                                         double until, int samples, arne_error *error)
{
    arne_error_clear(error);
    if (!path || !robot)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "path or robot is NULL");
    arne_status status = sample_check_times(until, samples, error);
    if (status) return status;
    double *q = malloc(sizeof *q * (size_t)(path->q_count + 1));
    if (!q) return arne_fail_memory(error);
    for (int i = 0; i < samples && !status; i++) {
        const double    t = until * i / (samples - 1);
        arne_joint_info joint;
        double          value;
        arne_trajectory_evaluate(path, t, q, NULL, NULL, NULL, NULL);
        if (leaves_limits(path, robot, q, &joint, &value))
            status = arne_fail(error, ARNE_VALUE, NULL, 0,
                               "joint '%s' is at %.6g at t = %.6g s, outside of its limits %.6g "
                               "to %.6g",
                               joint.name, value, t, joint.lower, joint.upper);
    }
    free(q);
    return status;
}

static arne_status sample_add_columns(const arne_robot *robot, int derivatives, arne_table *table)
{
    static const char *const name[ORDERS] = {"q", "qd", "qdd", "qddd", "qdddd"};
    arne_status              status = arne_table_add_column(table, "time", "s");
    for (int k = 0; k <= derivatives && !status; k++)
        status = arne_columns_add(robot, name[k], k, table);
    return status;
}

// Motors of elastic joints have no columns: they stand behind the joints in every vector.
static arne_status sample_fill(const arne_trajectory *path, double until, int samples,
                               int derivatives, int theta, arne_table *table)
{
    const size_t q = (size_t)path->q_count, v = (size_t)path->v_count, tail = (size_t)theta;
    double      *row = malloc(sizeof *row * 2 * (1 + q + 4 * v));
    if (!row) return ARNE_NO_MEMORY;
    double     *all = row + 1 + q + 4 * v, *rate = all + q;
    arne_status status = ARNE_OK;
    for (int i = 0; i < samples && !status; i++) {
        row[0] = i == samples - 1 ? until : until * i / (samples - 1);
        arne_trajectory_evaluate(path, row[0], all, rate, rate + v, rate + 2 * v, rate + 3 * v);
        memcpy(row + 1, all, sizeof *row * (q - tail));
        for (size_t k = 0; k < (size_t)derivatives; k++)
            memcpy(row + 1 + (q - tail) + k * (v - tail), rate + k * v, sizeof *row * (v - tail));
        status = arne_table_append(table, row);
    }
    free(row);
    return status;
}

arne_status arne_trajectory_sample(const arne_trajectory *path, const arne_robot *robot,
                                   double until, int samples, int derivatives, arne_table **out,
                                   arne_error *error)
{
    arne_error_clear(error);
    if (!path || !robot || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "path, robot or out is NULL");
    *out = NULL;
    arne_status status = sample_check_times(until, samples, error);
    if (status) return status;
    if (derivatives < 0 || derivatives >= ORDERS)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "%d derivatives: 0 to 4 are there",
                         derivatives);
    arne_table *table;
    if (arne_table_new(&table)) return arne_fail_memory(error);
    status = sample_add_columns(robot, derivatives, table);
    if (!status)
        status = sample_fill(path, until, samples, derivatives, arne_robot_sizes(robot).theta_count,
                             table);
    if (!status) {
        *out = table;
        return ARNE_OK;
    }
    arne_table_free(table);
    return arne_fail(error, status, NULL, 0, "%s", arne_status_text(status));
}
