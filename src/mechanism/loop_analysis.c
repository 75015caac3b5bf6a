// Rank, mobility and condition of the loops by singular values, here and nearby, and what is said
// where they do not suffice.
//
// Rank is a matter of the mechanism: from a closed configuration some way along the loops' freedom
// and back onto them, a few times, and the largest rank that was met is the generic one.
#include "algo/singular.h"
#include "base/error.h"
#include "base/random.h"
#include "mechanism/loop_work.h"
#include "robot/work_layout.h"
#include <arne/integrate.h>
#include <string.h>

// ---- rank by singular values ----

static int count_above(const double *values, int count)
{
    int rank = 0;
    while (rank < count && values[rank] > ARNE_LOOP_RANK * values[0])
        rank++;
    return rank;
}

// Which rows go together: those that share a coordinate, directly or through others.
static int loop_analysis_part_of(int *above, int row)
{
    while (above[row] != row)
        row = above[row] = above[above[row]];
    return row;
}

static void find_parts(arne_loop_work *loop, int passive_only)
{
    for (int i = 0; i < loop->m; i++)
        loop->part_of[i] = i;
    for (int k = 0; k < loop->n; k++) {
        int first = -1;
        for (int i = 0; i < loop->m; i++) {
            if ((passive_only && loop->active[k]) || loop->J[i * loop->n + k] == 0) continue;
            if (first < 0)
                first = loop_analysis_part_of(loop->part_of, i);
            else
                loop->part_of[loop_analysis_part_of(loop->part_of, i)] = first;
        }
    }
}

// The rows of a part and the columns that they have; the number of columns.
static int gather_part(arne_loop_work *loop, int part, int passive_only, int *rows)
{
    int columns = 0;
    *rows = 0;
    for (int i = 0; i < loop->m; i++)
        if (loop_analysis_part_of(loop->part_of, i) == part) loop->part_rows[(*rows)++] = i;
    for (int k = 0; k < loop->n; k++) {
        int here = 0;
        for (int i = 0; i < *rows && !(passive_only && loop->active[k]); i++)
            here |= loop->J[loop->part_rows[i] * loop->n + k] != 0;
        if (here) loop->part_columns[columns++] = k;
    }
    for (int c = 0; c < columns; c++)
        for (int i = 0; i < *rows; i++)
            loop->part_A[c * *rows + i] =
                loop_scaled(loop, loop->part_rows[i], loop->part_columns[c]);
    return columns;
}

// The next singular value, which stands where it belongs: `count` are there, largest first. A row
// of A and V for it is free.
static int make_place(arne_loop_work *loop, int count, double value)
{
    const int m = loop->m, n = loop->n;
    int       at = count;
    while (at > 0 && value > loop->values[at - 1])
        at--;
    const size_t later = (size_t)(count - at);
    memmove(loop->values + at + 1, loop->values + at, later * sizeof *loop->values);
    memmove(loop->A + (at + 1) * m, loop->A + at * m, later * (size_t)m * sizeof *loop->A);
    memmove(loop->V + (at + 1) * n, loop->V + at * n, later * (size_t)n * sizeof *loop->V);
    loop->values[at] = value;
    memset(loop->A + at * m, 0, (size_t)m * sizeof *loop->A);
    memset(loop->V + at * n, 0, (size_t)n * sizeof *loop->V);
    return at;
}

// Singular values of the columns of the scaled J that are not active (or of all), largest first, in
// loop->values; with value k the left vector times it in row k of loop->A (m numbers), and the
// right one in row k of loop->V (n, zero where columns are left out). Returns their number. Loops
// that share no coordinate are treated apart: the work grows with their number, not its cube.
static int loop_analysis_singular_values(arne_loop_work *loop, int passive_only)
{
    const int m = loop->m, n = loop->n;
    int       count = 0, zero = 0;
    find_parts(loop, passive_only);
    for (int part = 0; part < m; part++) {
        int       rows = 0;
        const int columns = loop_analysis_part_of(loop->part_of, part) == part
                                ? gather_part(loop, part, passive_only, &rows)
                                : 0;
        dense_singular(rows, columns, loop->part_A, loop->part_values, loop->part_V);
        for (int c = 0; c < columns; c++) {
            const int at = make_place(loop, count++, loop->part_values[c]);
            for (int i = 0; i < rows; i++)
                loop->A[at * m + loop->part_rows[i]] = loop->part_A[c * rows + i];
            for (int k = 0; k < columns; k++)
                loop->V[at * n + loop->part_columns[k]] = loop->part_V[c * columns + k];
        }
    }
    for (int k = 0; k < n; k++) { // coordinates that no loop holds
        int held = passive_only && loop->active[k];
        for (int i = 0; i < m && !held; i++)
            held = loop->J[i * n + k] != 0;
        if (held) continue;
        zero = make_place(loop, count++, 0);
        loop->V[zero * n + k] = 1;
    }
    return count;
}

static int rank_of(arne_loop_work *loop, int passive_only)
{
    const int columns = loop_analysis_singular_values(loop, passive_only);
    return count_above(loop->values, columns < loop->m ? columns : loop->m);
}

// x = -J^+ error, from the singular vectors of J.
static void least_step(arne_loop_work *loop, double *x)
{
    const int n = loop_analysis_singular_values(loop, 0), rank = count_above(loop->values, n);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < rank; k++) { // A has become U diag(values)
        double along = 0;
        for (int i = 0; i < loop->m; i++)
            along += loop->A[k * loop->m + i] * loop->row_scale[i] * loop->error[i];
        along /= loop->values[k] * loop->values[k];
        for (int j = 0; j < n; j++)
            x[j] -= along * loop->column_scale[j] * loop->V[k * n + j];
    }
}

// From q, which is closed, some way along the loops' freedom to loop->q_try; whether that is
// closed.
static int wander(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q,
                  double length, uint64_t *seed)
{
    loop_constraints(r, w, loop, q, NULL, NULL);
    const int n = loop_analysis_singular_values(loop, 0), rank = count_above(loop->values, n);
    memset(loop->step, 0, (size_t)n * sizeof *loop->step);
    for (int k = rank; k < n; k++) {
        const double along = random_between(seed, -length, length);
        for (int j = 0; j < n; j++)
            loop->step[j] += along * loop->column_scale[j] * loop->V[k * n + j];
    }
    arne_integrate(r, q, loop->step, loop->q_try);
    for (int i = 0; i < 50; i++) {
        if (loop_constraints(r, w, loop, loop->q_try, NULL, NULL) < 1e-11) return 1;
        least_step(loop, loop->step);
        arne_integrate(r, loop->q_try, loop->step, loop->q_try);
    }
    return 0;
}

// Rows that are zero in all configurations, as those across the plane of a planar loop: they need
// no multiplier.
static void note_live_rows(arne_loop_work *loop)
{
    double largest = 0;
    for (int i = 0; i < loop->m * loop->n; i++)
        largest = fmax(largest, fabs(loop_scaled(loop, i / loop->n, i % loop->n)));
    for (int i = 0; i < loop->m * loop->n; i++)
        loop->live[i / loop->n] |=
            fabs(loop_scaled(loop, i / loop->n, i % loop->n)) > 1e-12 * largest;
}

void loop_prepare(const arne_robot *r, arne_work *w, arne_loop_work *loop, const double *q)
{
    uint64_t seed = 1;
    loop_constraints(r, w, loop, q, NULL, NULL);
    memset(loop->live, 0, (size_t)loop->m);
    note_live_rows(loop);
    loop->generic_rank = rank_of(loop, 0);
    loop->generic_hold = rank_of(loop, 1);
    for (int i = 0; i < 6; i++) {
        if (!wander(r, w, loop, q, i < 3 ? 0.3 : 0.03, &seed)) continue;
        const int rank = rank_of(loop, 0), hold = rank_of(loop, 1);
        note_live_rows(loop);
        if (rank > loop->generic_rank) loop->generic_rank = rank;
        if (hold > loop->generic_hold) loop->generic_hold = hold;
    }
    loop->live_count = 0;
    for (int i = 0; i < loop->m; i++)
        loop->live_count += loop->live[i];
}

// ---- the report ----

arne_status loop_fail_open(const arne_robot *r, arne_status code, double closure, int worst,
                           int starts, arne_error *error)
{
    const char *name = arne_robot_loop(r, worst).name;
    if (code == ARNE_LOOP_OPEN)
        return arne_fail(error, code, NULL, 0,
                         "loop '%s' is open by %.3g (m or rad): assemble the robot first", name,
                         closure);
    return arne_fail(error, code, NULL, 0,
                     "loop '%s' cannot be closed at these positions of the active joints: the "
                     "smallest closure error in %d starts is %.6g (m or rad); if they can be "
                     "reached, give passive joints a 'start:' near the assembly",
                     name, starts, closure);
}

arne_status loop_fail_none(arne_error *error)
{
    return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the robot has no loops");
}

// The joint that moves most in a direction.
static const char *joint_of_largest(const arne_robot *r, const double *x)
{
    int best = 0;
    for (int k = 1; k < r->v_count; k++)
        if (fabs(x[k]) > fabs(x[best])) best = k;
    for (int i = 0; i < r->joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(r, i);
        if (best >= j.v_start && best < j.v_start + j.v_count) return j.name;
    }
    return "?";
}

// The singular vector of the smallest value of the passive columns, over all coordinates.
static double weakest(arne_loop_work *loop, double *direction)
{
    const int columns = loop_analysis_singular_values(loop, 1), last = columns - 1;
    if (direction) memset(direction, 0, (size_t)loop->n * sizeof *direction);
    if (columns == 0) return 1;
    if (direction) memcpy(direction, loop->V + last * loop->n, (size_t)loop->n * sizeof *direction);
    if (columns > loop->m || !(loop->values[last] > ARNE_LOOP_RANK * loop->values[0]))
        return INFINITY;
    return loop->values[0] / loop->values[last];
}

arne_status loop_fail_singular(const arne_robot *r, arne_loop_work *loop, arne_error *error)
{
    const double condition = weakest(loop, loop->step);
    return arne_fail(error, ARNE_LOOP_SINGULAR, NULL, 0,
                     "the loops are singular here (condition %.3g): joint '%s' can move while the "
                     "active joints stand still",
                     condition, joint_of_largest(r, loop->step));
}

arne_status loop_fail_rigid(const arne_robot *r, const arne_loop_work *loop, arne_error *error)
{
    return arne_fail(error, ARNE_MODEL, NULL, 0,
                     "the loops (such as '%s') leave no mobility: %d independent constraints on %d "
                     "coordinates",
                     arne_robot_loop(r, r->loop_count - 1).name, loop->generic_rank, loop->n);
}

arne_status arne_loop_analyse(const arne_robot *robot, arne_work *w, arne_loop_work *loop,
                              const double *q, arne_loop_report *report, double *direction,
                              arne_error *error)
{
    if (work_differs(robot, w)) return work_refuse(error);
    if (!robot || !w || !loop || !q || !report) return arne_fail_null(error);
    if (robot->loop_count == 0) return loop_fail_none(error);
    int          worst = 0;
    const double closure = loop_constraints(robot, w, loop, q, NULL, &worst);
    memset(report, 0, sizeof *report);
    if (!(closure <= ARNE_LOOP_CLOSED))
        return loop_fail_open(robot, ARNE_LOOP_OPEN, closure, worst, 1, error);
    if (loop->generic_rank < 0) loop_prepare(robot, w, loop, q);
    loop_constraints(robot, w, loop, q, NULL, NULL);
    report->rows = loop->m;
    report->generic_rank = loop->generic_rank;
    report->mobility = loop->n - loop->generic_rank;
    report->redundant = loop->m - loop->generic_rank;
    report->active = loop->active_count;
    report->undetermined = loop->n - loop->active_count - loop->generic_hold;
    report->rank = rank_of(loop, 0);
    const double last = loop->generic_rank ? loop->values[loop->generic_rank - 1] : 1;
    report->constraint_condition =
        last > ARNE_LOOP_RANK * loop->values[0] ? loop->values[0] / last : INFINITY;
    report->condition = weakest(loop, direction);
    for (int k = 0; direction && k < loop->n; k++)
        direction[k] *= loop->column_scale[k];
    report->singular = report->rank < loop->generic_rank || rank_of(loop, 1) < loop->generic_hold;
    return report->mobility > 0 ? ARNE_OK : loop_fail_rigid(robot, loop, error);
}

arne_status loop_fail_undetermined(const arne_robot *r, arne_loop_work *loop, arne_error *error)
{
    weakest(loop, loop->step);
    return arne_fail(error, ARNE_MODEL, NULL, 0,
                     "%d active coordinates are fewer than the mobility %d: joint '%s' can move "
                     "while they stand still",
                     loop->active_count, loop->n - loop->generic_rank,
                     joint_of_largest(r, loop->step));
}
