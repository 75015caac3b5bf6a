// What the surroundings do to the robot: drag, tethers, pushes. All are wrenches on frames.
#include "base/error.h"
#include "math/vectors.h"
#include "robot/muscles.h"
#include "simulate/medium.h"
#include "simulate/plant.h"
#include "world/rigid.h"
#include <arne/muscle_force.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double resist(double linear, double quadratic, double v)
{
    return -(linear + quadratic * fabs(v)) * v;
}

static arne_wrench drag(const arne_surrounding *s, const arne_motion *v)
{
    const double *a = s->linear, *b = s->quadratic;
    return (arne_wrench){
        {resist(a[0], b[0], v->lin.x), resist(a[1], b[1], v->lin.y), resist(a[2], b[2], v->lin.z)},
        {resist(a[3], b[3], v->ang.x), resist(a[4], b[4], v->ang.y), resist(a[5], b[5], v->ang.z)}};
}

// The force on the point, in the frame's axes, and its moment about the frame's origin.
static arne_wrench tether(const arne_surrounding *s, const arne_pose *X, const arne_motion *v)
{
    const arne_vec3 away =
        add_scaled3(add_scaled3(out_of3(&X->R, s->point), X->p, 1), s->anchor, -1);
    const double length = sqrt(dot3(away, away));
    if (length == 0) return (arne_wrench){{0, 0, 0}, {0, 0, 0}}; // no direction: as if slack
    const arne_vec3 along = into3(&X->R, add_scaled3((arne_vec3){0, 0, 0}, away, 1 / length));
    const double    rate = dot3(along, add_scaled3(v->lin, cross3(v->ang, s->point), 1));
    double          pull = s->stiffness * (length - s->length) + s->damping * rate;
    if (s->only_pulls && (length < s->length || pull < 0)) pull = 0;
    const arne_vec3 f = add_scaled3((arne_vec3){0, 0, 0}, along, -pull);
    return (arne_wrench){f, cross3(s->point, f)};
}

// Rows [*row, *row + 1] around a time, and how far between them; 0 outside the table.
static int surroundings_find_rows(const arne_table *table, int column, double time, int *row,
                                  double *part)
{
    int low = 0, high = arne_table_rows(table) - 1;
    if (high < 0 || time < arne_table_row(table, 0)[column] ||
        time > arne_table_row(table, high)[column])
        return 0;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (arne_table_row(table, middle)[column] <= time)
            low = middle;
        else
            high = middle;
    }
    const double from = arne_table_row(table, low)[column],
                 to = arne_table_row(table, high)[column];
    *row = low;
    *part = to > from ? (time - from) / (to - from) : 0;
    return 1;
}

static const char *const COMPONENTS[6] = {"fx", "fy", "fz", "mx", "my", "mz"};

static arne_wrench push_by_table(const arne_surrounding *s, double time)
{
    double    f[6] = {0}, part;
    int       row;
    const int clock = arne_table_find(s->table, "time");
    if (surroundings_find_rows(s->table, clock, time, &row, &part))
        for (int i = 0; i < 6; i++) {
            const int     c = arne_table_find(s->table, COMPONENTS[i]);
            const double *a = arne_table_row(s->table, row);
            const double *b = part > 0 ? arne_table_row(s->table, row + 1) : a;
            if (c >= 0) f[i] = a[c] + part * (b[c] - a[c]);
        }
    return (arne_wrench){{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
}

arne_wrench surroundings_push_at(const arne_surrounding *s, double time)
{
    const int acts = time >= s->start && time < s->start + s->duration;
    return s->table ? push_by_table(s, time) : acts ? s->push : (arne_wrench){0};
}

static arne_wrench push(const arne_surrounding *s, double time, const arne_pose *X)
{
    const arne_wrench w = surroundings_push_at(s, time);
    if (!s->in_world) return w;
    return (arne_wrench){into3(&X->R, w.lin), into3(&X->R, w.ang)};
}

int surroundings_tendons(const arne_robot *robot)
{
    const int count = arne_muscle_count(robot);
    for (int i = 0; i < count; i++)
        if (muscle_acts_always(robot, i)) return count;
    return 0;
}

// Tendons, ligaments, springs and limits pull with every controller; other muscles are a
// controller.
static void tendons_pull(plant *p, const double *q, const double *qd)
{
    const int count = arne_muscle_count(p->robot);
    double   *length = p->tendons, *velocity = length + count, *none = velocity + count,
           *pull = none + count;
    if (arne_muscle_lengths(p->robot, p->work, q, qd, length, velocity) ||
        arne_muscle_forces(p->robot, 1, none, length, velocity, NULL, pull, NULL))
        return; // neither fails for a robot of its own
    for (int i = 0; i < count; i++) {
        if (!muscle_acts_always(p->robot, i)) pull[i] = 0;
        p->surroundings_power -= pull[i] * velocity[i];
    }
    (void)!arne_muscle_wrenches(p->robot, p->work, q, pull, p->f_ext);
}

static int surroundings_are_ground(const arne_simulation_spec *sim)
{
    int i = 0;
    while (i < sim->surrounding_count && sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND)
        i++;
    return i == sim->surrounding_count;
}

void surroundings_act(plant *p, double time, const double *q, const double *qd)
{
    p->surroundings_power = 0;
    if (!p->loads) return;
    memset(p->f_ext, 0, (size_t)p->sizes.body_count * sizeof *p->f_ext);
    if (p->tendons) tendons_pull(p, q, qd);
    if (p->bare && surroundings_are_ground(p->sim)) return; // whose forces are found elsewhere
    arne_kinematics(p->robot, p->work, q, qd, NULL);
    for (int i = 0; i < p->sim->surrounding_count; i++) {
        const arne_surrounding *s = &p->sim->surroundings[i];
        if (s->kind == ARNE_SURROUNDING_GROUND) continue;
        const arne_pose   X = arne_frame_pose(p->robot, p->work, s->frame);
        const arne_motion v = arne_frame_velocity(p->robot, p->work, s->frame, ARNE_AXES_BODY);
        const arne_wrench f = s->kind == ARNE_SURROUNDING_DRAG     ? drag(s, &v)
                              : s->kind == ARNE_SURROUNDING_TETHER ? tether(s, &X, &v)
                              : s->kind == ARNE_SURROUNDING_PUSH
                                  ? push(s, time, &X)
                                  : medium_wrench(p->robot, s, time, &X, &v, qd);
        p->surroundings_power += dot3(f.lin, v.lin) + dot3(f.ang, v.ang);
        arne_add_wrench(p->robot, s->frame, &f, p->f_ext);
    }
    if (p->world && !p->bare)
        p->surroundings_power += arne_world_press(p->world, p->work, p->f_ext);
}

double surroundings_change(const arne_simulation_spec *sim, double after)
{
    double next = INFINITY;
    for (int i = 0; i < sim->surrounding_count; i++) {
        const arne_surrounding *s = &sim->surroundings[i];
        const int               steady =
            s->kind == ARNE_SURROUNDING_PUSH ? !s->table : s->kind == ARNE_SURROUNDING_THRUSTER;
        const double times[] = {s->start, s->start + s->duration};
        for (int k = 0; k < 2 && steady; k++)
            if (times[k] > after) next = fmin(next, times[k]);
    }
    return next;
}

arne_status surroundings_world(const arne_simulation_spec *sim, arne_world **out, arne_error *error)
{
    int count = 0;
    for (int i = 0; i < sim->surrounding_count; i++)
        count += sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND;
    if (!count && !plant_is_rigid(sim)) return ARNE_OK;
    arne_surface *surfaces = calloc((size_t)count + 1, sizeof *surfaces);
    if (!surfaces) return arne_fail_memory(error);
    count = 0;
    for (int i = 0; i < sim->surrounding_count; i++)
        if (sim->surroundings[i].kind == ARNE_SURROUNDING_GROUND)
            surfaces[count++] = sim->surroundings[i].surface;
    arne_status status = arne_world_new(sim->robot, surfaces, count, out, error);
    if (!status && !count) status = rigid_new(*out, 0, error); // for limits that hold
    free(surfaces);
    return status;
}

arne_status surroundings_check(const arne_simulation_spec *sim, arne_error *error)
{
    const int frames = arne_robot_sizes(sim->robot).frame_count;
    for (int i = 0; i < sim->surrounding_count; i++) {
        const arne_surrounding *s = &sim->surroundings[i];
        if (s->kind == ARNE_SURROUNDING_GROUND) continue;
        if (s->frame < 0 || s->frame >= frames)
            return arne_fail(error, ARNE_NOT_FOUND, NULL, 0, "surroundings: there is no frame %d",
                             s->frame);
        const arne_status status = medium_check(sim->robot, s, error);
        if (status) return status;
        if (s->kind != ARNE_SURROUNDING_PUSH) continue;
        if (s->table && arne_table_find(s->table, "time") < 0)
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "surroundings: the table of a push has no column 'time'");
        if (!s->table && !(s->duration > 0))
            return arne_fail(error, ARNE_VALUE, NULL, 0,
                             "surroundings: a push without a table needs a duration above 0");
    }
    return ARNE_OK;
}
