#include "report/motion.h"
#include "math/vectors.h"
#include "robot/joint.h"

#include "base/error.h"
#include "io/read_rotation.h"
#include "math/lower.h"
#include "report/data_block.h"
#include "report/solid.h"
#include "robot/robot.h"
#include "robot/work_parts.h"
#include <arne/configuration.h>
#include <arne/kinematics.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The page carries about this many numbers of a moving figure; between frames it moves on evenly.
enum { NUMBERS = 24000, FRAMES = 900, FRAMES_LEAST = 60, TOO_MANY = 4000, POSE = 7 };

// --- positions from columns ----------------------------------------------------------------------

typedef struct q_columns {
    int *columns; // of every entry of q; -1: none
    int  count, found;
    int  base[7]; // of the pose of a prescribed base: x, y, z, and the quaternion
} q_columns;

static int find_entry(const arne_table *t, const char *prefix, const arne_joint_info *j, int entry)
{
    char name[600];
    if (j->q_count > 1)
        snprintf(name, sizeof name, "%s.%s.%d", prefix, j->name, entry);
    else
        snprintf(name, sizeof name, "%s.%s", prefix, j->name);
    return arne_table_find(t, name);
}

static arne_status motion_find_columns(const run *r, const char *prefix, q_columns *out)
{
    static const char *const base[] = {"base.x",  "base.y",  "base.z", "base.qx",
                                       "base.qy", "base.qz", "base.qw"};
    const arne_table        *t = run_result(r);
    const arne_sizes         sizes = arne_robot_sizes(r->robot);
    *out = (q_columns){.count = sizes.q_count};
    out->columns = malloc(((size_t)sizes.q_count + 1) * sizeof *out->columns);
    if (!out->columns) return ARNE_NO_MEMORY;
    for (int i = 0; i < sizes.q_count; i++)
        out->columns[i] = -1;
    for (int k = 0; k < sizes.joint_count; k++) {
        const arne_joint_info j = arne_robot_joint(r->robot, k);
        for (int i = 0; i < j.q_count; i++) {
            out->columns[j.q_start + i] = find_entry(t, prefix, &j, i);
            out->found += out->columns[j.q_start + i] >= 0;
        }
    }
    for (int i = 0; i < 7; i++)
        out->base[i] = arne_table_find(t, base[i]);
    return ARNE_OK;
}

static void set_base(const run *r, const q_columns *from, const double *row)
{
    double    value[7] = {0, 0, 0, 0, 0, 0, 1}, length = 0;
    arne_pose X = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    int       found = 0;
    for (int i = 0; i < 7; i++) {
        if (from->base[i] < 0) continue;
        value[i] = row[from->base[i]];
        found++;
    }
    if (!found || arne_robot_base(r->robot) == ARNE_BASE_FREE) return;
    X.p = (arne_vec3){value[0], value[1], value[2]};
    if (!arne_rotation_quaternion(value + 3, &X.R, &length))
        X.R = (arne_mat3){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    arne_work_set_base(r->robot, r->work, &X, NULL, NULL);
}

// After arne_kinematics: where everything is, as the next frame.
static void keep_frame(const arne_robot *robot, const arne_work *w, double time, figure *f)
{
    const size_t frame = (size_t)f->frame_count, bodies = (size_t)f->body_count;
    arne_vec3   *places = f->places + frame * (size_t)f->skeleton.point_count;
    skeleton_places(&f->skeleton, robot, w, places);
    for (int i = 0; i < f->skeleton.point_count; i++)
        places[i] = upright_vector(f->up, places[i]);
    double    mass = 0;
    arne_vec3 com = {0, 0, 0};
    for (size_t i = 0; i < bodies; i++) {
        const constant_inertia *I = &robot_bodies(robot)[i].inertia;
        const arne_pose         at = work_body_pose(robot, w, (int)i);
        const pose              X = pose_lift(at);
        const arne_vec3         h = lower(out_of(&X, lift4(&I->h)));
        double                  turn[4];
        quaternion_of(&at.R, turn);
        const double value[POSE] = {at.p.x, at.p.y, at.p.z, turn[0], turn[1], turn[2], turn[3]};
        for (int k = 0; k < POSE; k++)
            f->poses[(frame * bodies + i) * POSE + (size_t)k] = (float)value[k];
        if (!i && arne_robot_base(robot) != ARNE_BASE_PRESCRIBED) continue; // a base that stands
        mass += I->m;
        com = (arne_vec3){com.x + I->m * at.p.x + h.x, com.y + I->m * at.p.y + h.y,
                          com.z + I->m * at.p.z + h.z};
    }
    f->coms[3 * frame] = (float)(mass > 0 ? com.x / mass : 0);
    f->coms[3 * frame + 1] = (float)(mass > 0 ? com.y / mass : 0);
    f->coms[3 * frame + 2] = (float)(mass > 0 ? com.z / mass : 0);
    f->times[f->frame_count++] = time;
}

static void place_frame(const run *r, const q_columns *from, int row_index, double *q, figure *f)
{
    const double *row = arne_table_row(run_result(r), row_index);
    for (int i = 0; i < from->count; i++)
        if (from->columns[i] >= 0) q[i] = row[from->columns[i]];
    arne_normalize(r->robot, q); // a column may have been rounded
    set_base(r, from, row);
    arne_kinematics(r->robot, r->work, q, NULL, NULL);
    f->rows[f->frame_count] = row_index;
    keep_frame(r->robot, r->work, row[run_time_column(r)], f);
}

// Rows at about even times: integrators take steps of their own.
static void motion_place_frames(const run *r, const q_columns *from, double *q, int most, figure *f)
{
    const arne_table *t = run_result(r);
    const int         rows = arne_table_rows(t), time = run_time_column(r);
    const double      start = arne_table_row(t, 0)[time], end = arne_table_row(t, rows - 1)[time];
    for (int k = 0, row = -1; k < most; k++) {
        const double wanted = most > 1 ? start + (end - start) * k / (most - 1) : start;
        int          next = row < 0 ? 0 : row;
        while (next + 1 < rows &&
               arne_table_row(t, next + 1)[time] <= wanted + 1e-9 * (end - start))
            next++;
        if (next == row) continue;
        row = next;
        place_frame(r, from, row, q, f);
    }
}

// --- upright -------------------------------------------------------------------------------------

// The axis that is most nearly against gravity; z without any.
static upright find_upright(const arne_robot *robot)
{
    const arne_vec3 g = arne_robot_gravity(robot);
    const double    down[] = {g.x, g.y, g.z};
    upright         u = {2, 1};
    for (int k = 0; k < 3; k++)
        if (fabs(down[k]) > fabs(down[u.axis])) u.axis = k;
    if (down[u.axis] > 0) u.sign = -1;
    return u;
}

arne_vec3 upright_vector(upright u, arne_vec3 v)
{
    const double in[] = {v.x, v.y, v.z};
    return (arne_vec3){in[(u.axis + 1) % 3], u.sign * in[(u.axis + 2) % 3], u.sign * in[u.axis]};
}

// --- where to look -------------------------------------------------------------------------------

static arne_vec3 motion_least(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static arne_vec3 motion_most_of(arne_vec3 a, arne_vec3 b)
{
    return (arne_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static void find_bounds(figure *f)
{
    f->low = (arne_vec3){INFINITY, INFINITY, INFINITY};
    f->high = (arne_vec3){-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < f->frame_count; k++) {
        const arne_vec3 *p = figure_frame(f, k);
        const arne_vec3  o = f->follow >= 0 ? p[f->follow] : (arne_vec3){0, 0, 0};
        for (int i = 0; i < f->skeleton.point_count; i++) {
            const arne_vec3 at = {p[i].x - o.x, p[i].y - o.y, p[i].z};
            f->low = motion_least(f->low, at);
            f->high = motion_most_of(f->high, at);
        }
    }
}

static double motion_largest(arne_vec3 a) { return fmax(a.x, fmax(a.y, a.z)); }

// One that goes farther than a few times its own size is followed, or it would look small.
static void find_following(figure *f)
{
    const int root = f->skeleton.root;
    f->follow = -1;
    find_bounds(f);
    const arne_vec3 all = {f->high.x - f->low.x, f->high.y - f->low.y, f->high.z - f->low.z};
    if (root < 0) return;
    f->follow = root;
    find_bounds(f);
    const arne_vec3 own = {f->high.x - f->low.x, f->high.y - f->low.y, f->high.z - f->low.z};
    if (motion_largest(all) > 2.5 * motion_largest(own)) return;
    f->follow = -1;
    find_bounds(f);
}

// The axis z of a body in the first frame, in the axes of the picture.
static arne_vec3 axis_of(const figure *f, int index)
{
    const float *h = f->poses + POSE * index + 3;
    const double x = h[0], y = h[1], z = h[2], w = h[3];
    return upright_vector(
        f->up, (arne_vec3){2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)});
}

// Whether all that moves stays in planes across one direction: what turns does so about it, what
// slides does so across.
static int is_planar(const arne_robot *robot, const figure *f, arne_vec3 *normal)
{
    int found = 0;
    for (int i = 1; i < f->body_count; i++) {
        const arne_joint_kind kind = (arne_joint_kind)robot_bodies(robot)[i].kind;
        if (joint_is_slide(kind)) continue;
        if (kind != ARNE_JOINT_REVOLUTE) return 0;
        const arne_vec3 z = axis_of(f, i);
        if (found && fabs(dot3(z, *normal)) < 1 - 1e-6) return 0;
        if (!found) *normal = z;
        found = 1;
    }
    for (int i = 1; i < f->body_count && found; i++)
        if (joint_is_slide((arne_joint_kind)robot_bodies(robot)[i].kind) &&
            fabs(dot3(axis_of(f, i), *normal)) > 1e-3)
            return 0;
    return found;
}

// A mechanism in a plane is seen nearly straight on, others from above and aside.
static void find_view(const arne_robot *robot, figure *f)
{
    const arne_vec3 size = {f->high.x - f->low.x, f->high.y - f->low.y, f->high.z - f->low.z};
    const arne_vec3 g = upright_vector(f->up, arne_robot_gravity(robot));
    arne_vec3       normal = {0, 0, 0};
    f->view = (view){0.6, 0.35};
    if (f->skeleton.root >= 0) {
        const arne_vec3 from = figure_frame(f, 0)[f->skeleton.root];
        const arne_vec3 to = figure_frame(f, f->frame_count - 1)[f->skeleton.root];
        // One that walks does so to the right.
        if (hypot(to.x - from.x, to.y - from.y) > 0.3 * motion_largest(size))
            f->view = (view){atan2(to.y - from.y, to.x - from.x) + 0.3, 0.2};
    }
    const int flat = is_planar(robot, f, &normal);
    if (flat && fabs(normal.z) > 0.9)
        f->view = (view){0.12, 1.2};
    else if (flat) // (sin turn, -cos turn) is where the eye is
        f->view = (view){atan2(normal.x, -normal.y) + 0.2, 0.14};
    if (flat && cos(f->view.turn) < -1e-9) f->view.turn += acos(-1); // x to the right
    // A robot that is fixed stands on the ground, unless it hangs down from there.
    const int root = f->skeleton.root;
    const int fixed = root >= 0 && f->skeleton.points[root].body == 0;
    f->ground = fixed ? figure_frame(f, 0)[root].z : fmin(0, f->low.z);
    if (fixed && f->low.z < f->ground - 0.25 * motion_largest(size)) f->ground = f->low.z;
    if (!(g.z < 0) || (flat && fabs(normal.z) > 0.9)) f->ground = NAN;
    if (f->low.z > 2 * motion_largest(size)) f->ground = NAN; // far above it
}

void view_project(view v, arne_vec3 p, double *x, double *y)
{
    const double c = cos(v.turn), s = sin(v.turn), u = sin(v.raise);
    *x = c * p.x + s * p.y;
    *y = u * (c * p.y - s * p.x) + cos(v.raise) * p.z;
}

// --- all of it -----------------------------------------------------------------------------------

static int frames_wanted(const run *r, const figure *f)
{
    int most = NUMBERS / (POSE * f->body_count + 4);
    if (most > FRAMES) most = FRAMES;
    if (most < FRAMES_LEAST) most = FRAMES_LEAST;
    const int rows = arne_table_rows(run_result(r));
    return rows < most ? rows : most;
}

static arne_status motion_allocate(figure *f, int most)
{
    const size_t frames = (size_t)most;
    f->times = malloc(frames * sizeof *f->times);
    f->rows = calloc(frames, sizeof *f->rows);
    f->places = malloc((frames * (size_t)f->skeleton.point_count + 1) * sizeof *f->places);
    f->poses = malloc(frames * (size_t)f->body_count * POSE * sizeof *f->poses);
    f->coms = malloc(frames * 3 * sizeof *f->coms);
    return f->times && f->rows && f->places && f->poses && f->coms ? ARNE_OK : ARNE_NO_MEMORY;
}

static arne_status motion_begin(const arne_robot *robot, figure *f)
{
    f->body_count = robot->rotor_start;
    f->up = find_upright(robot);
    return skeleton_make(robot, &f->skeleton);
}

static int is_too_large(const arne_robot *robot)
{
    const arne_sizes sizes = arne_robot_sizes(robot);
    return sizes.body_count + sizes.frame_count > TOO_MANY;
}

static arne_status make_frames(const run *r, const q_columns *from, figure *f)
{
    const int   most = frames_wanted(r, f);
    double     *q = malloc(((size_t)from->count + 1) * sizeof *q);
    arne_status status = q ? motion_allocate(f, most) : ARNE_NO_MEMORY;
    if (!status) {
        arne_neutral(r->robot, q);
        motion_place_frames(r, from, q, most, f);
        find_following(f);
        find_view(r->robot, f);
    }
    free(q);
    return status;
}

static arne_status motion_make(run *r, const char *prefix, figure *out)
{
    q_columns from = {0};
    *out = (figure){0};
    if (is_too_large(r->robot) || !arne_table_rows(run_result(r))) return ARNE_OK;
    arne_status status = motion_find_columns(r, prefix, &from);
    if (!status && from.found) status = motion_begin(r->robot, out);
    if (!status && out->skeleton.point_count) status = make_frames(r, &from, out);
    free(from.columns);
    return status ? arne_fail_memory(r->reader.error) : ARNE_OK;
}

arne_status figure_make(run *r, figure *out) { return motion_make(r, "q", out); }

arne_status figure_make_ghost(run *r, const char *prefix, figure *out)
{
    return motion_make(r, prefix, out);
}

arne_status figure_make_still(const arne_robot *robot, arne_work *w, const double *q, figure *out)
{
    return figure_make_postures(robot, w, 1, q, out);
}

arne_status figure_make_postures(const arne_robot *robot, arne_work *w, int count, const double *q,
                                 figure *out)
{
    *out = (figure){0};
    if (is_too_large(robot)) return ARNE_OK;
    arne_status status = motion_begin(robot, out);
    if (!status) status = motion_allocate(out, count);
    if (status || !out->skeleton.point_count) return status;
    for (int i = 0; i < count; i++) {
        arne_kinematics(robot, w, q + (size_t)i * (size_t)arne_robot_sizes(robot).q_count, NULL,
                        NULL);
        keep_frame(robot, w, i, out);
    }
    find_following(out);
    find_view(robot, out);
    return ARNE_OK;
}

void figure_free(figure *f)
{
    skeleton_free(&f->skeleton);
    free(f->times);
    free(f->rows);
    free(f->places);
    free(f->poses);
    free(f->coms);
    *f = (figure){0};
}
