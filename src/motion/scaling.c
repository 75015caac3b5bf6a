// A place x on a trajectory with speed s, acceleration c and jerk u takes torques that are linear
// in c, and torque rates that are linear in u. For every place there is a largest speed at which,
// going steadily, both stay within bounds. A speed that is no more than the least of these over the
// rest of the path is safe: one can go on with it to the end.
//
// At every sample there is an approved retreat: a cubic of the speed that ends at a safe speed,
// along which all bounds were looked at. A sample of more jerk is taken where a retreat from its
// end is approved too; otherwise the retreat is followed for a sample. So there always is a way on.
#include "motion/drive_limits.h"
#include "motion/trajectory.h"

#include "base/error.h"
#include "base/options.h"
#include <arne/derivatives.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    GRID = 1000,       // places at which safe speeds are known
    NODES = 256,       // that are looked at in a retreat as long as the trajectory
    RETREATS = 7,      // durations of retreats: T / 128 to T / 2
    BISECTIONS = 30,   // of a safe speed
    START_SPEEDS = 64, // that are tried
    SLOWEST = 100,     // times as long as the trajectory may it take
    FEW_PACES = 100000 // unless there are no more
};

struct arne_scaling {
    const arne_robot      *robot;
    const arne_trajectory *path;
    arne_work             *work;
    int                    v_count;
    double                 T, h;
    double                 room, reserve; // parts of the bounds that samples and retreats may take
    // v_count each; `along` four times.
    double *torque, *rate, *q, *along, *qd, *qdd, *qddd, *tau, *tau_rate, *lever;
    double  safe[GRID + 1]; // speeds

    pace   now;     // at the present sample; x[3] and x[4] hold until the next
    pace   retreat; // its first sample
    double left;    // of it, s; 0: steady at a safe speed
    int    usual;   // the retreat that worked last
    int    done;
};

// --- torques -----------------------------------------------------------------------------------

// Torques and their rates at a pace.
static void torques_at(arne_scaling *z, const pace *p)
{
    const int     n = z->v_count;
    const double *x = p->x, *d = z->along;
    arne_trajectory_evaluate(z->path, fmin(x[0], z->T), z->q, z->along, z->along + n,
                             z->along + 2 * n, NULL);
    for (int i = 0; i < n; i++) {
        const double v = d[i], a = d[n + i], j = d[2 * n + i];
        z->qd[i] = v * x[1];
        z->qdd[i] = a * x[1] * x[1] + v * x[2];
        z->qddd[i] = j * x[1] * x[1] * x[1] + 3 * a * x[1] * x[2] + v * x[3];
    }
    arne_torque_rate(z->robot, z->work, z->q, z->qd, z->qdd, z->qddd, NULL, 0, z->tau, z->tau_rate);
}

// How much of its bounds a pace takes: 1 is all. *entry is where.
static double load_of(arne_scaling *z, const pace *p, int *entry)
{
    double most = 0;
    torques_at(z, p);
    for (int i = 0; i < z->v_count; i++) {
        const double load = fmax(fabs(z->tau[i]) / z->torque[i], fabs(z->tau_rate[i]) / z->rate[i]);
        if (!(load <= most)) {
            most = load;
            if (entry) *entry = i;
        }
    }
    return most;
}

static int fits(arne_scaling *z, const pace *p, double room) { return load_of(z, p, NULL) <= room; }

// The largest jerk that the bounds on torque rates allow at a pace, at most `most`.
static double largest_jerk(arne_scaling *z, pace p, double most)
{
    p.x[3] = 1;
    torques_at(z, &p);
    memcpy(z->lever, z->tau_rate, sizeof *z->tau_rate * (size_t)z->v_count);
    p.x[3] = 0;
    torques_at(z, &p);
    for (int i = 0; i < z->v_count; i++) {
        const double by = z->lever[i] - z->tau_rate[i], bound = z->room * z->rate[i];
        if (by == 0 || !isfinite(bound)) continue;
        most = fmin(most, (by > 0 ? bound - z->tau_rate[i] : -bound - z->tau_rate[i]) / by);
    }
    return most;
}

// --- safe speeds -------------------------------------------------------------------------------

static pace steady(double place, double speed) { return (pace){{place, speed, 0, 0, 0}}; }

// The end of the range of speeds, from 0, that fit at this place; at most `most`.
static double steady_speed(arne_scaling *z, double place, double most)
{
    double low = 0, high = fmin(most, 1.0 / 32);
    for (;;) {
        const pace p = steady(place, high);
        if (!fits(z, &p, z->reserve)) break;
        if (high == most) return most;
        low = high;
        high = fmin(most, 1.25 * high);
    }
    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);
        const pace   p = steady(place, middle);
        if (fits(z, &p, z->reserve))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static arne_status find_safe_speeds(arne_scaling *z, arne_error *error)
{
    double least = 1;
    for (int i = GRID; i >= 0; i--) {
        const double place = z->T * i / GRID;
        const pace   rest = steady(place, 0);
        int          entry = 0;
        if (!(load_of(z, &rest, &entry) <= z->reserve))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "velocity coordinate %d takes a torque of %.6g at rest, at t = %.6g s "
                             "of the trajectory; the bound of %.6g leaves no room",
                             entry + 1, z->tau[entry], place, z->torque[entry]);
        z->safe[i] = least = steady_speed(z, place, least);
        if (!(least > 1e-6))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "no speed is slow enough for the bounds at t = %.6g s of the "
                             "trajectory",
                             place);
    }
    return ARNE_OK;
}

// Safe from this place on.
static double safe_speed(const arne_scaling *z, double place)
{
    const int i = (int)(place / z->T * GRID);
    return z->safe[i < 0 ? 0 : i > GRID ? GRID : i];
}

// --- retreats ----------------------------------------------------------------------------------

// A cubic of the speed from here to a safe speed in a time d.
static pace retreat_from(const arne_scaling *z, const pace *p, double d)
{
    const double more = safe_speed(z, p->x[0]) - p->x[1], c = p->x[2];
    pace         r = *p;
    r.x[3] = (6 * more - 4 * c * d) / (d * d);
    r.x[4] = (6 * c * d - 12 * more) / (d * d * d);
    return r;
}

// When a pace gets to a place, within a time.
static double time_to(const pace *p, double place, double within)
{
    double low = 0, high = within;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (pace_after(p, middle).x[0] < place)
            low = middle;
        else
            high = middle;
    }
    return high;
}

// All bounds along a pace for a time, or to the end; a speed that is neither negative nor faster
// than the trajectory.
static int approve(arne_scaling *z, const pace *p, double time, int nodes, double room)
{
    for (int i = 0; i <= nodes; i++) {
        pace      at = pace_after(p, time * i / nodes);
        const int is_end = at.x[0] >= z->T;
        if (is_end) at = pace_after(p, time_to(p, z->T, time * i / nodes));
        if (!(at.x[1] > 0 && at.x[1] <= 1 + 1e-12) || !fits(z, &at, room)) return 0;
        if (is_end) return 1;
    }
    return 1;
}

static double retreat_time(const arne_scaling *z, int which)
{
    return fmax(1, ceil(ldexp(z->T, which - RETREATS) / z->h)) * z->h;
}

// Looks for a retreat from the end of a sample, the usual duration and its neighbours first.
static int find_retreat(arne_scaling *z, const pace *from, int tries)
{
    for (int k = 0; k < tries; k++) {
        const int which = z->usual + (k % 2 ? -(k + 1) / 2 : k / 2);
        if (which < 0 || which >= RETREATS) continue;
        const double d = retreat_time(z, which);
        const pace   r = retreat_from(z, from, d);
        const int    nodes = 8 + (int)(d / z->T * NODES);
        if (!approve(z, &r, d, nodes, z->reserve)) continue;
        z->retreat = r;
        z->left = d;
        z->usual = which;
        return 1;
    }
    return 0;
}

// --- samples -----------------------------------------------------------------------------------

// A sample with this jerk, if a retreat from its end is there.
static int try_jerk(arne_scaling *z, double jerk)
{
    pace p = z->now;
    p.x[3] = jerk;
    p.x[4] = 0;
    if (!approve(z, &p, z->h, 2, z->room)) return 0;
    pace next = pace_after(&p, z->h);
    if (next.x[0] < z->T && !find_retreat(z, &next, 3)) return 0;
    z->now = p;
    return 1;
}

// Chooses jerk until the next sample: as much as there is a way back from.
static void scaling_choose(arne_scaling *z)
{
    const double most = 1000 / (z->T * z->T), u = largest_jerk(z, z->now, most);
    const double speed_left = 1 - z->now.x[1];
    // No more than leads to full speed at once.
    const double wanted = fmin(u, (speed_left / z->h - z->now.x[2]) / z->h);
    if (speed_left > 1e-9 || z->now.x[2] != 0) {
        if (wanted > 0 && try_jerk(z, wanted)) return;
        if (wanted > 0 && try_jerk(z, 0.2 * wanted)) return;
        if (z->now.x[2] > 0 && try_jerk(z, fmin(u, 0))) return;
        if (z->now.x[2] > 0 && try_jerk(z, fmin(u, -0.2 * most))) return;
    }
    if (z->left > 0) {
        z->now.x[3] = z->retreat.x[3];
        z->now.x[4] = z->retreat.x[4];
        z->retreat = pace_after(&z->retreat, z->h);
        z->left = z->left > 1.5 * z->h ? z->left - z->h : 0;
    } else {
        z->now.x[2] = z->now.x[3] = z->now.x[4] = 0;
    }
}

int arne_scaling_step(arne_scaling *z)
{
    if (z->done) return 0;
    z->now = pace_after(&z->now, z->h);
    if (z->now.x[0] >= z->T) {
        z->now = steady(z->T, 0);
        z->done = 1;
        return 0;
    }
    scaling_choose(z);
    return 1;
}

// Where the trajectory rests at its start, any speed is a start. Else it is on its way already.
static arne_status scaling_start(arne_scaling *z, arne_error *error)
{
    double moving = 0;
    z->usual = RETREATS / 2;
    arne_trajectory_evaluate(z->path, 0, z->q, z->along, NULL, NULL, NULL);
    for (int i = 0; i < z->v_count; i++)
        moving = fmax(moving, fabs(z->along[i]));
    z->now = steady(0, 1);
    int found = find_retreat(z, &z->now, 2 * RETREATS);
    for (int i = 1; i < START_SPEEDS && !found && moving < 1e-9; i++) {
        z->now = steady(0, 1 + (z->safe[0] - 1) * i / START_SPEEDS);
        found = find_retreat(z, &z->now, 2 * RETREATS);
    }
    if (!found && moving >= 1e-9 && z->safe[0] < 1)
        return arne_fail(error, ARNE_VALUE, NULL, 0,
                         "the trajectory starts moving, too fast for the bounds");
    if (!found) {
        z->now = steady(0, z->safe[0]);
        z->left = 0;
    }
    scaling_choose(z);
    return ARNE_OK;
}

void arne_scaling_motion(arne_scaling *z, double *q, double *qd, double *qdd, double *qddd)
{
    const size_t bytes = sizeof(double) * (size_t)z->v_count;
    torques_at(z, &z->now);
    if (q) arne_trajectory_evaluate(z->path, fmin(z->now.x[0], z->T), q, NULL, NULL, NULL, NULL);
    if (qd) memcpy(qd, z->qd, bytes);
    if (qdd) memcpy(qdd, z->qdd, bytes);
    if (qddd) memcpy(qddd, z->qddd, bytes);
}

double arne_scaling_speed(const arne_scaling *z) { return z->now.x[1]; }

// --- making ------------------------------------------------------------------------------------

static arne_status set_bounds(arne_scaling *z, const arne_scaling_options *options,
                              arne_error *error)
{
    arne_drive_limits(z->robot, z->torque, z->rate);
    for (int i = 0; i < z->v_count; i++) {
        if (options && options->torque) z->torque[i] = options->torque[i];
        if (options && options->torque_rate) z->rate[i] = options->torque_rate[i];
        if (!(z->torque[i] > 0) || !(z->rate[i] > 0))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "bounds %g and %g of velocity coordinate %d must be positive",
                             z->torque[i], z->rate[i], i + 1);
    }
    return ARNE_OK;
}

static arne_status scaling_take_memory(arne_scaling *z, int q_count)
{
    const size_t v = (size_t)z->v_count;
    double      *block = calloc(12 * v + (size_t)q_count + 1, sizeof *block);
    z->torque = block;
    if (!block) return ARNE_NO_MEMORY;
    double **const row[] = {&z->rate, &z->qd, &z->qdd, &z->qddd, &z->tau, &z->tau_rate, &z->lever};
    for (size_t i = 0; i < 7; i++)
        *row[i] = block + (i + 1) * v;
    z->along = block + 8 * v;
    z->q = block + 12 * v;
    return arne_work_new(z->robot, &z->work);
}

static arne_status scaling_prepare(arne_scaling *z, const arne_scaling_options *options,
                                   arne_error *error)
{
    if (arne_robot_sizes(z->robot).theta_count)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "the torques of elastic joints do not follow from the joints' motion");
    if (!isfinite(z->T) || !(z->T > 0))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a trajectory of %g s cannot be scaled", z->T);
    if (!(z->h > 0) || !isfinite(z->h) || z->h > z->T / 8)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a sample time of %g s for %g s", z->h, z->T);
    if (!(z->reserve > 0) || !(z->room < 1))
        return arne_fail(error, ARNE_VALUE, NULL, 0, "a margin of %g", 1 - z->room);
    arne_status status = set_bounds(z, options, error);
    if (!status) status = find_safe_speeds(z, error);
    return status ? status : scaling_start(z, error);
}

arne_status arne_scaling_new(const arne_robot *robot, const arne_trajectory *path,
                             const arne_scaling_options *options, arne_scaling **out,
                             arne_error *error)
{
    arne_scaling_options own_options;
    if (out) *out = NULL;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_scaling_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    arne_error_clear(error);
    if (!robot || !path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "robot, path or out is NULL");
    *out = NULL;
    arne_scaling *z = calloc(1, sizeof *z);
    if (!z) return arne_fail_memory(error);
    const arne_sizes size = arne_robot_sizes(robot);
    z->robot = robot;
    z->path = path;
    z->v_count = size.v_count;
    z->T = arne_trajectory_duration(path);
    z->h = options && options->sample_time != 0 ? options->sample_time : 1e-3;
    z->room = 1 - (options && options->margin != 0 ? options->margin : 5e-3);
    z->reserve = 1 - 2 * (1 - z->room); // what is far is seen less sharply
    arne_status status = ARNE_OK;
    if (scaling_take_memory(z, size.q_count)) status = arne_fail_memory(error);
    if (!status) status = scaling_prepare(z, options, error);
    if (status)
        arne_scaling_free(z);
    else
        *out = z;
    return status;
}

void arne_scaling_free(arne_scaling *z)
{
    if (!z) return;
    arne_work_free(z->work);
    free(z->torque);
    free(z);
}

// --- as a trajectory ---------------------------------------------------------------------------

static arne_status scaling_note(arne_trajectory *path, int *room, const pace *p)
{
    if (path->pace_count == *room) {
        const int more = 2 * *room + 1024;
        pace     *paces = realloc(path->paces, sizeof *paces * (size_t)more);
        if (!paces) return ARNE_NO_MEMORY;
        path->paces = paces;
        *room = more;
    }
    path->paces[path->pace_count++] = *p;
    return ARNE_OK;
}

arne_status arne_trajectory_scaled(const arne_robot *robot, arne_trajectory *path,
                                   const arne_scaling_options *options, arne_trajectory **out,
                                   arne_error *error)
{
    arne_scaling_options own_options;
    if (options && !options_take(&own_options, sizeof own_options,
                                 OPTIONS_FIRST(arne_scaling_options), options))
        return options_refuse(error);
    if (options) options = &own_options;
    arne_scaling *z = NULL;
    if (!out || !path) return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "out or path is NULL");
    if (path->paces)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0, "the trajectory is scaled already");
    const double begin = path->start;
    path->start = 0; // the place counts from its own start
    arne_status     status = arne_scaling_new(robot, path, options, &z, error);
    arne_trajectory notes = {0};
    int             room = 0;
    if (!status) {
        const double most = fmax(FEW_PACES, SLOWEST * z->T / z->h);
        do
            status = scaling_note(&notes, &room, &z->now);
        while (!status && notes.pace_count < most && arne_scaling_step(z));
        if (status) arne_fail_memory(error);
        if (!status && !z->done)
            status = arne_fail(error, ARNE_VALUE, NULL, 0,
                               "within these bounds the trajectory of %.6g s takes more than %.6g "
                               "s: raise the bounds, or give it more time",
                               z->T, most * z->h);
    }
    path->start = begin;
    if (status) {
        free(notes.paces);
    } else {
        path->paces = notes.paces;
        path->pace_count = notes.pace_count;
        path->pace_time = z->h;
        path->pace_end =
            (notes.pace_count - 1) * z->h + time_to(&notes.paces[notes.pace_count - 1], z->T, z->h);
        *out = path;
    }
    arne_scaling_free(z);
    return status;
}
