// What a page in a browser asks of the library: one robot, its posture, and what follows from it.
//
// Arrays of numbers are read and written where they lie in the module's memory: live_numbers says
// where, live_count how many. A page writes q, calls live_update, and reads the rest.
#include "base/buffer.h"
#include "report/data_block.h"
#include "report/robot_view.h"
#include "robot/robot.h"
#include "robot/work_parts.h"

#include <arne/arne.h>
#include <emscripten.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The numbers of live_numbers and live_count; web/src/live.ts has the same list.
enum {
    LIVE_Q,
    LIVE_POSES,   // of all bodies: x, y, z and the quaternion x, y, z, w
    LIVE_GRAVITY, // torques that hold the robot still, of every velocity; passive ones have none
    LIVE_LIMIT,   // of effort, of every velocity; infinite where there is none
    LIVE_USED,    // torques in percent of these limits
    LIVE_MASS,    // the mass matrix over the active velocities, row by row
    LIVE_ACTIVE,  // which velocities those are
    LIVE_COM,     // centre of mass
    LIVE_MANIPULABILITY, // of the chosen frame: measure, three linear, three angular
    LIVE_ARRAYS
};

typedef struct live {
    arne_robot *robot;
    robot_view  view; // its posture is q
    double     *numbers[LIVE_ARRAYS];
    int         count[LIVE_ARRAYS];
    double     *scratch; // (v_count + 6) v_count + 2 v_count
    int        *independent;
    int         frame; // whose manipulability is asked for
    buffer      scene, label;
} live;

// One module serves one page: what went wrong last, and what was said while a robot was read.
static buffer mistakes, warnings;

static void start_again(buffer *b)
{
    buffer_free(b);
    *b = (buffer){0};
}

static void on_mistake(void *context, const arne_error *error)
{
    (void)context;
    if (error->line) put(&mistakes, "line %d: ", error->line);
    put(&mistakes, "%s\n", error->text);
}

static void on_warning(void *context, const arne_warning *warning)
{
    (void)context;
    if (warning->accepted) return;
    if (warning->line) put(&warnings, "line %d: ", warning->line);
    put(&warnings, "%s\n", warning->text);
}

// One line for each mistake, and for each flaw of the file that was read.
EMSCRIPTEN_KEEPALIVE const char *live_mistakes(void) { return mistakes.text ? mistakes.text : ""; }
EMSCRIPTEN_KEEPALIVE const char *live_warnings(void) { return warnings.text ? warnings.text : ""; }

// ---- opening

EMSCRIPTEN_KEEPALIVE void live_close(live *l)
{
    if (!l) return;
    for (int i = 0; i < LIVE_ARRAYS; i++)
        if (i != LIVE_Q) free(l->numbers[i]);
    free(l->scratch);
    free(l->independent);
    buffer_free(&l->scene);
    buffer_free(&l->label);
    robot_view_free(&l->view);
    arne_robot_free(l->robot);
    free(l);
}

static int make_arrays(live *l)
{
    const arne_sizes s = arne_robot_sizes(l->robot);
    const size_t     n = (size_t)s.v_count;
    unsigned char   *active = calloc(n + 1, 1);
    const int        a = active ? arne_active(l->robot, active) : 0;
    const int        size[LIVE_ARRAYS] = {
               [LIVE_Q] = s.q_count,       [LIVE_POSES] = 7 * l->robot->rotor_start,
               [LIVE_GRAVITY] = s.v_count, [LIVE_LIMIT] = s.v_count,
               [LIVE_USED] = s.v_count,    [LIVE_MASS] = a * a,
               [LIVE_ACTIVE] = a,          [LIVE_COM] = 3,
               [LIVE_MANIPULABILITY] = 7};
    int fine = active != NULL;
    for (int i = 0; i < LIVE_ARRAYS; i++) {
        l->count[i] = size[i];
        l->numbers[i] = i == LIVE_Q ? l->view.q : calloc((size_t)size[i] + 1, sizeof(double));
        fine = fine && l->numbers[i];
    }
    l->scratch = calloc(n * n + 8 * n + 1, sizeof *l->scratch);
    l->independent = calloc(n + 1, sizeof *l->independent);
    for (size_t i = 0, k = 0; fine && i < n; i++)
        if (active[i]) l->numbers[LIVE_ACTIVE][k++] = (double)i;
    free(active);
    if (fine) arne_effort_limits(l->robot, l->numbers[LIVE_LIMIT]);
    return fine && l->scratch && l->independent;
}

// Reads the robot in a file of the module's own file system; its meshes may lie beside it. NULL
// where that fails: live_mistakes says why.
EMSCRIPTEN_KEEPALIVE live *live_open(const char *path)
{
    arne_error               error = {0};
    const arne_build_options how = {.warn = on_warning, .fail = on_mistake};
    const arne_robot_page    page = {.looks = path, .meshes = {.warn = on_warning}};
    live                    *l = calloc(1, sizeof *l);
    start_again(&warnings);
    start_again(&mistakes);
    arne_status status = l ? arne_robot_read(path, &how, &l->robot, &error) : ARNE_NO_MEMORY;
    if (!status) status = robot_view_make(&l->view, l->robot, &page, &error);
    if (!status && make_arrays(l)) return l;
    if (!error.text[0])
        snprintf(error.text, sizeof error.text, "%s", arne_status_text(ARNE_NO_MEMORY));
    if (!mistakes.size) on_mistake(NULL, &error);
    live_close(l);
    return NULL;
}

// The data block of a page, as JSON.
EMSCRIPTEN_KEEPALIVE const char *live_scene(live *l)
{
    start_again(&l->scene);
    robot_view_put(&l->scene, &l->view);
    return l->scene.failed ? "" : l->scene.text;
}

EMSCRIPTEN_KEEPALIVE double *live_numbers(live *l, int which) { return l->numbers[which]; }
EMSCRIPTEN_KEEPALIVE int     live_count(const live *l, int which) { return l->count[which]; }
EMSCRIPTEN_KEEPALIVE int     live_find_frame(const live *l, const char *name)
{
    return arne_find_frame(l->robot, name);
}
// What velocity v belongs to, and the unit of its torque, with a tab between them.
EMSCRIPTEN_KEEPALIVE const char *live_label(live *l, int v)
{
    const arne_sizes s = arne_robot_sizes(l->robot);
    start_again(&l->label);
    for (int i = 0; i < s.joint_count; i++) {
        const arne_joint_info       j = arne_robot_joint(l->robot, i);
        const arne_joint_kind_info *kind = arne_joint_kind_facts(j.kind);
        const int                   k = v - j.v_start;
        if (!j.v_count || k < 0 || k >= j.v_count) continue;
        put(&l->label, "%s", j.name);
        if (j.v_count > 1) put(&l->label, " %s", kind->v_name[k] ? kind->v_name[k] : "");
        put(&l->label, "\t%s", arne_joint_unit(&j, k, ARNE_UNIT_TAU));
    }
    for (int m = 0; m < s.motor_count; m++) {
        const arne_motor_info motor = arne_robot_motor(l->robot, m);
        const arne_joint_info j = arne_robot_joint(l->robot, motor.joint);
        if (motor.v_index == v)
            put(&l->label, "%s, motor\t%s", j.name, arne_joint_unit(&j, 0, ARNE_UNIT_TAU));
    }
    return l->label.text ? l->label.text : "";
}
// Whose manipulability live_update finds; -1: nobody's.
EMSCRIPTEN_KEEPALIVE void live_choose(live *l, int frame) { l->frame = frame; }

// ---- what follows from q

static void keep_poses(live *l)
{
    arne_vec3 com;
    arne_center_of_mass(l->robot, l->view.work, l->view.q, NULL, &com, NULL);
    memcpy(l->numbers[LIVE_COM], &com, sizeof com);
    for (int i = 0; i < l->robot->rotor_start; i++) {
        const arne_pose X = work_body_pose(l->robot, l->view.work, i);
        double         *out = l->numbers[LIVE_POSES] + 7 * i;
        memcpy(out, &X.p, 3 * sizeof *out);
        quaternion_of(&X.R, out + 3);
    }
}

static arne_status keep_torques(live *l, arne_error *error)
{
    const int     n = arne_robot_sizes(l->robot).v_count;
    double       *tau = l->numbers[LIVE_GRAVITY];
    const double *limit = l->numbers[LIVE_LIMIT];
    arne_status   status = ARNE_OK;
    if (l->view.loop)
        status =
            arne_loop_gravity(l->robot, l->view.work, l->view.loop, l->view.q, NULL, tau, error);
    else
        arne_gravity(l->robot, l->view.work, l->view.q, tau);
    for (int i = 0; i < n; i++) {
        if (status) tau[i] = NAN;
        l->numbers[LIVE_USED][i] =
            isfinite(limit[i]) && limit[i] > 0 ? 100 * fabs(tau[i]) / limit[i] : NAN;
    }
    return status;
}

// Over the independent velocities, among all active ones: the rest has zeros.
static arne_status keep_closed_mass(live *l, arne_error *error)
{
    const int   a = l->count[LIVE_ACTIVE], n = arne_robot_sizes(l->robot).v_count;
    double     *M = l->numbers[LIVE_MASS], *rest = l->scratch + n * n;
    int         mobility = 0;
    arne_status status = arne_loop_jacobian(l->robot, l->view.work, l->view.loop, l->view.q, NULL,
                                            l->independent, &mobility, NULL, error);
    memset(rest, 0, (size_t)n * sizeof *rest);
    if (!status)
        status = arne_loop_reduced(l->robot, l->view.work, l->view.loop, l->view.q, rest, NULL,
                                   l->scratch, NULL, error);
    for (int i = 0; i < a * a; i++)
        M[i] = status ? NAN : 0;
    for (int r = 0, i = 0; !status && i < mobility; r++) {
        if ((int)l->numbers[LIVE_ACTIVE][r] != l->independent[i]) continue;
        for (int c = 0, k = 0; k < mobility; c++)
            if ((int)l->numbers[LIVE_ACTIVE][c] == l->independent[k])
                M[r * a + c] = l->scratch[i * mobility + k++];
        i++;
    }
    return status;
}

static arne_status keep_manipulability(live *l, arne_error *error)
{
    double *out = l->numbers[LIVE_MANIPULABILITY];
    for (int i = 0; i < 7; i++)
        out[i] = NAN;
    if (l->frame < 0) return ARNE_OK;
    return arne_manipulability(l->robot, l->view.work, l->view.loop, l->view.q, l->frame, out + 1,
                               out + 4, out, error);
}

static int ended(arne_status status, const arne_error *error)
{
    start_again(&mistakes);
    if (status) on_mistake(NULL, error);
    return (int)status;
}

// Closes the loops from q, whose active entries stay, and finds the poses. 0, or a status: then q
// is as near as it came, and live_mistakes says how near.
EMSCRIPTEN_KEEPALIVE int live_pose(live *l)
{
    const arne_assembly_options near = {.restarts = -1};
    arne_error                  error = {0};
    arne_status                 status = ARNE_OK;
    arne_normalize(l->robot, l->view.q);
    if (l->view.loop)
        status =
            arne_assemble(l->robot, l->view.work, l->view.loop, &near, l->view.q, NULL, &error);
    keep_poses(l);
    return ended(status, &error);
}

// Everything else at q, which is closed. What cannot be found at a singular posture is NaN, and
// live_mistakes says why.
EMSCRIPTEN_KEEPALIVE int live_update(live *l)
{
    arne_error  error = {0}, first = {0};
    arne_status status = keep_torques(l, &first);
    if (l->view.loop) {
        const arne_status more = keep_closed_mass(l, &error);
        if (!status && more) first = error;
        status = status ? status : more;
    } else {
        arne_mass_matrix(l->robot, l->view.work, l->view.q, l->numbers[LIVE_MASS]);
    }
    const arne_status last = keep_manipulability(l, &error);
    if (!status && last) first = error;
    status = status ? status : last;
    return ended(status, &first);
}

// ---- towards a place

// The linear rows of the frame's Jacobian over the independent velocities, 3 x *mobility, where
// that of a free base is zero. NULL at a singular posture.
static double *free_columns(live *l, int frame, int *mobility)
{
    const arne_robot *r = l->robot;
    const int         n = arne_robot_sizes(r).v_count;
    const int         base = arne_robot_base(r) == ARNE_BASE_FREE ? 6 : 0;
    double           *G = l->scratch, *J = G + n * n, *row = J + 6 * n;
    arne_error        error;
    *mobility = n;
    for (int i = 0; i < n; i++)
        l->independent[i] = i;
    if (l->view.loop && arne_loop_jacobian(r, l->view.work, l->view.loop, l->view.q, G,
                                           l->independent, mobility, NULL, &error))
        return NULL;
    arne_jacobian(r, l->view.work, l->view.q, frame, ARNE_AXES_ALIGNED, J);
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < *mobility; c++) {
            row[c] = l->view.loop ? 0 : J[i * n + c];
            for (int k = 0; l->view.loop && k < n; k++)
                row[c] += J[i * n + k] * G[k * *mobility + c];
            if (l->independent[c] < base) row[c] = 0;
        }
        memcpy(J + i * *mobility, row, (size_t)*mobility * sizeof *J);
    }
    return J;
}

// x = A^-1 b of a symmetric, definite A, by Cramer's rule.
static void solve(double A[3][3], const double b[3], double x[3])
{
    double C[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            C[i][k] = A[(i + 1) % 3][(k + 1) % 3] * A[(i + 2) % 3][(k + 2) % 3] -
                      A[(i + 1) % 3][(k + 2) % 3] * A[(i + 2) % 3][(k + 1) % 3];
    const double det = A[0][0] * C[0][0] + A[0][1] * C[0][1] + A[0][2] * C[0][2];
    for (int i = 0; i < 3; i++)
        x[i] = (C[0][i] * b[0] + C[1][i] * b[1] + C[2][i] * b[2]) / det;
}

static void keep_limits(const arne_robot *robot, double *q)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.q_count == 1) q[j.q_start] = fmin(fmax(q[j.q_start], j.lower), j.upper);
    }
}

// One step of damped least squares towards a target that is `off` away; 0 at a singular posture.
static int step_towards(live *l, int frame, const double off[3])
{
    const int n = arne_robot_sizes(l->robot).v_count;
    int       mobility;
    double   *J = free_columns(l, frame, &mobility), *step = J + 6 * n, A[3][3], x[3];
    if (!J) return 0;
    for (int i = 0; i < 9; i++) {
        A[i / 3][i % 3] = 0;
        for (int c = 0; c < mobility; c++)
            A[i / 3][i % 3] += J[i / 3 * mobility + c] * J[i % 3 * mobility + c];
    }
    const double damping = 1e-4 * (A[0][0] + A[1][1] + A[2][2]) + 1e-12;
    for (int i = 0; i < 3; i++)
        A[i][i] += damping;
    solve(A, off, x);
    memset(step, 0, (size_t)n * sizeof *step);
    for (int c = 0; c < mobility; c++)
        for (int i = 0; i < 3; i++)
            step[l->independent[c]] += J[i * mobility + c] * x[i];
    arne_integrate(l->robot, l->view.q, step, l->view.q);
    keep_limits(l->robot, l->view.q);
    return 1;
}

// Robots with loops or with a base that would come along: a few steps, each of which is taken back
// unless the loops can be closed.
static double walk_towards(live *l, int frame, const double target[3])
{
    const size_t size = (size_t)l->count[LIVE_Q] * sizeof(double);
    double      *before = malloc(size + 1), distance = INFINITY;
    for (int i = 0; before && i < 12; i++) {
        arne_kinematics(l->robot, l->view.work, l->view.q, NULL, NULL);
        const arne_vec3 p = arne_frame_pose(l->robot, l->view.work, frame).p;
        const double    off[3] = {target[0] - p.x, target[1] - p.y, target[2] - p.z};
        const double    now = hypot(hypot(off[0], off[1]), off[2]);
        if (now > distance) { // the last step was too far
            memcpy(l->view.q, before, size);
            break;
        }
        distance = now;
        memcpy(before, l->view.q, size);
        if (now < 1e-9 || !step_towards(l, frame, off)) break;
        if (live_pose(l)) memcpy(l->view.q, before, size);
    }
    free(before);
    return distance;
}

// Brings the origin of a frame to a place, or as near as it goes from q. Returns the distance left.
EMSCRIPTEN_KEEPALIVE double live_reach(live *l, int frame, double x, double y, double z)
{
    const arne_ik_options how = {.restarts = -1, .iterations = 60};
    const arne_target     target = {.frame = frame, .pose = {.p = {x, y, z}}};
    double                left = INFINITY;
    if (l->view.loop || arne_robot_base(l->robot) == ARNE_BASE_FREE)
        left = walk_towards(l, frame, (const double[]){x, y, z});
    else if (arne_inverse_kinematics(l->robot, l->view.work, &target, 1, &how, l->view.q, &left))
        left = fabs(left); // the best that was found is in q
    live_pose(l);
    return left;
}

// The time of one call for the torques of gravity, in microseconds, over `count` of them.
EMSCRIPTEN_KEEPALIVE double live_time(live *l, int count)
{
    const double start = emscripten_get_now();
    for (int i = 0; i < count; i++)
        arne_gravity(l->robot, l->view.work, l->view.q, l->numbers[LIVE_GRAVITY]);
    return 1000 * (emscripten_get_now() - start) / count;
}
