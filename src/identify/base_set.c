// Base parameters: Gautier and Khalil 1990 by rule, Gautier 1991 by numbers, which serve every tree
// and every joint.
#include "base/error.h"
#include "identify/independent_columns.h"
#include "identify/random_regressors.h"
#include "robot/work_layout.h"
#include <arne/identify.h>
#include <math.h>
#include <stdlib.h>

// 0, 1, 2: the axis of the link that its joint's axis is nearest to.
static int nearest_axis(const arne_joint_info *j)
{
    const double x = fabs(j->axis.x), y = fabs(j->axis.y), z = fabs(j->axis.z);
    if (x > y && x > z) return 0;
    return y > z ? 1 : 2;
}

// The parameters of a link, those that are to be kept first. a is the joint's axis, b and c are the
// others.
static void order_of_link(int a, int order[LINK_PARAMETERS])
{
    static const int inertia_at[3][3] = {{4, 5, 7}, {5, 6, 8}, {7, 8, 9}};
    const int        b = (a + 1) % 3, c = (a + 2) % 3;
    const int        all[LINK_PARAMETERS] = {inertia_at[b][b],
                                             inertia_at[a][b],
                                             inertia_at[b][c],
                                             inertia_at[a][c],
                                             inertia_at[a][a],
                                             1 + b,
                                             1 + c,
                                             inertia_at[c][c],
                                             1 + a,
                                             0};
    for (int i = 0; i < LINK_PARAMETERS; i++)
        order[i] = all[i];
}

static int order_of_all(const arne_robot *r, int kinds, int *order)
{
    int count = 0, link[LINK_PARAMETERS];
    for (int j = 0; kinds & ARNE_PARAMETERS_INERTIAL && j < r->joint_count; j++) {
        order_of_link(nearest_axis(&robot_joints(r)[j].info), link);
        for (int i = 0; i < LINK_PARAMETERS; i++)
            order[count++] = LINK_PARAMETERS * j + link[i];
    }
    for (int i = friction_start(r); kinds & ARNE_PARAMETERS_FRICTION && i < rotor_start(r); i++)
        order[count++] = i;
    for (int i = rotor_start(r); kinds & ARNE_PARAMETERS_ROTOR && i < motor_start(r); i++)
        order[count++] = i;
    for (int i = motor_start(r); i < parameter_count(r); i++) {
        const int is_inertia = (i - motor_start(r)) % MOTOR_PARAMETERS == 0;
        if (kinds & (is_inertia ? ARNE_PARAMETERS_ROTOR : ARNE_PARAMETERS_FRICTION))
            order[count++] = i;
    }
    return count;
}

static arne_base_set *set_from(column_set *found, int parameter_count)
{
    arne_base_set *set = malloc(sizeof *set);
    if (!set) return NULL;
    set->rank = found->rank;
    set->parameter_count = parameter_count;
    set->kept = found->kept;
    set->grouping = found->relation;
    found->kept = NULL;
    found->relation = NULL;
    return set;
}

arne_status arne_base_set_new(const arne_robot *robot, arne_work *w, int kinds, uint64_t seed,
                              arne_base_set **out, arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (out) *out = NULL;
    if (!robot || !w || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    if (kinds < 1 || kinds > ARNE_PARAMETERS_ALL)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "there are no such kinds of parameters");
    samples    s = {0};
    column_set found = {0};
    int       *order = malloc(((size_t)parameter_count(robot) + 1) * sizeof *order);
    if (order && samples_make(robot, w, PARAMETERS_OF_LINKS, seed, &s) &&
        column_set_make(s.rows, s.columns, s.A, order, order_of_all(robot, kinds, order),
                        DEPENDENT_PART, &found))
        *out = set_from(&found, s.columns);
    column_set_free(&found);
    samples_free(&s);
    free(order);
    return *out ? ARNE_OK : arne_fail_memory(error);
}

void arne_base_set_free(arne_base_set *set)
{
    if (!set) return;
    free(set->kept);
    free(set->grouping);
    free(set);
}

void arne_base_values(const arne_base_set *set, const double *pi, double *beta)
{
    for (int i = 0; i < set->rank; i++) {
        const double *row = set->grouping + (size_t)i * (size_t)set->parameter_count;
        double        sum = 0;
        for (int c = 0; c < set->parameter_count; c++)
            sum += row[c] * pi[c];
        beta[i] = sum;
    }
}
