// A planned motion at an instant, in the coordinates of the robot's file.
#include "plan/result/plan_row.h"
#include "math/vectors.h"
#include "plan/problem/split_joints.h"
#include <arne/loop.h>
#include <stdlib.h>
#include <string.h>

// The robot of a phase as its file has it, with what it carries there.
static const arne_robot *carrying(const motion_row *m, int phase)
{
    const plan_phase *f = &m->p->problem.phases[phase];
    return f->shown ? f->shown : f->loaded ? f->loaded : m->plain;
}

static int new_works(motion_row *m)
{
    m->works = calloc((size_t)m->p->problem.phase_count + 1, sizeof(arne_work *));
    if (!m->works || arne_work_new(m->plain, &m->works[0]) != ARNE_OK) return 0;
    m->work = m->works[0];
    for (int k = 0; k < m->p->problem.phase_count; k++)
        if (carrying(m, k) != m->plain &&
            arne_work_new(carrying(m, k), &m->works[k + 1]) != ARNE_OK)
            return 0;
    return 1;
}

static void take_robot(motion_row *m)
{
    const int phase = m->p->now.program->between.phase;
    m->shown = carrying(m, phase);
    m->work = m->works[m->works[phase + 1] ? phase + 1 : 0];
}

int plan_row_new(motion_row *m, arne_plan *p)
{
    const size_t v = (size_t)p->problem.v_count;
    *m = (motion_row){.p = p,
                      .plain = p->problem.shown_robot ? p->problem.shown_robot : p->problem.robot};
    m->shown = m->plain;
    m->size = arne_robot_sizes(m->shown);
    const size_t n = (size_t)m->size.q_count + (size_t)m->size.v_count;
    m->same = !m->size.loop_count && m->size.q_count == m->size.v_count &&
              m->size.v_count == p->problem.v_count &&
              arne_robot_base(m->shown) == ARNE_BASE_FIXED && !p->problem.module.loads &&
              !plan_is_pushed(&p->problem);
    if (p->problem.module.loads || plan_is_pushed(&p->problem)) {
        m->f_ext = calloc((size_t)m->size.body_count, sizeof *m->f_ext);
        m->extra = calloc((size_t)p->problem.module.column_count + 1, sizeof *m->extra);
        if (!m->f_ext || !m->extra) return 0;
    }
    m->peaks = calloc((size_t)m->size.joint_count + 1, sizeof(double));
    m->z = calloc(6 * v, sizeof(double));
    m->q = calloc(5 * n, sizeof(double));
    m->qd = m->q ? m->q + n : NULL;
    m->qdd = m->q ? m->qd + n : NULL;
    m->tau = m->q ? m->qdd + n : NULL;
    m->tau_rate = m->q ? m->tau + n : NULL;
    if (m->size.loop_count && arne_loop_work_new(m->shown, &m->loop) != ARNE_OK) return 0;
    return new_works(m) && m->z && m->q && m->peaks;
}

void plan_row_free(motion_row *m)
{
    free(m->z);
    free(m->q);
    free(m->f_ext);
    free(m->extra);
    free(m->peaks);
    for (int k = 0; m->works && k <= m->p->problem.phase_count; k++)
        arne_work_free(m->works[k]);
    free(m->works);
    arne_loop_work_free(m->loop);
}

void plan_push(const arne_robot *robot, const arne_work *work, int frame, arne_vec3 point,
               arne_vec3 f, double sign, arne_wrench *f_ext)
{
    const arne_frame_info at = arne_robot_frame(robot, frame);
    const arne_pose       X = arne_frame_pose(robot, work, frame); // of the frame in the world
    const arne_mat3      *R = &X.R, *B = &at.pose.R;
    // In the frame's axes, then in the body's; the arm from the body's origin.
    const arne_vec3 l = {sign * (R->x.x * f.x + R->x.y * f.y + R->x.z * f.z),
                         sign * (R->y.x * f.x + R->y.y * f.y + R->y.z * f.z),
                         sign * (R->z.x * f.x + R->z.y * f.y + R->z.z * f.z)};
    const arne_vec3 b = {B->x.x * l.x + B->y.x * l.y + B->z.x * l.z,
                         B->x.y * l.x + B->y.y * l.y + B->z.y * l.z,
                         B->x.z * l.x + B->y.z * l.y + B->z.z * l.z};
    const arne_vec3 r = {at.pose.p.x + B->x.x * point.x + B->y.x * point.y + B->z.x * point.z,
                         at.pose.p.y + B->x.y * point.x + B->y.y * point.y + B->z.y * point.z,
                         at.pose.p.z + B->x.z * point.x + B->y.z * point.y + B->z.z * point.z};
    arne_wrench    *w = &f_ext[at.body];
    w->lin.x += b.x, w->lin.y += b.y, w->lin.z += b.z;
    w->ang.x += r.y * b.z - r.z * b.y;
    w->ang.y += r.z * b.x - r.x * b.z;
    w->ang.z += r.x * b.y - r.y * b.x;
}

// The forces of contacts as wrenches on the bodies of the robot as its file has it.
static void plan_row_contacts(motion_row *m)
{
    const arne_plan *p = m->p;
    arne_kinematics(m->shown, m->work, m->q, NULL, NULL);
    for (int i = 0; i < p->problem.touch_count; i++) {
        const plan_touch *t = &p->problem.touches[i];
        const arne_vec3   f = plan_contact_force(&p->now.program->between, i);
        const char       *name = arne_robot_frame(p->problem.robot, t->frame).name;
        if (!t->on[p->now.program->between.phase]) continue;
        plan_push(m->shown, m->work, arne_find_frame(m->shown, name), t->point, f, 1, m->f_ext);
        if (t->other_frame < 0) continue;
        name = arne_robot_frame(p->problem.robot, t->other_frame).name;
        plan_push(m->shown, m->work, arne_find_frame(m->shown, name), t->other_point, f, -1,
                  m->f_ext);
    }
}

// Wrenches of the surroundings, likewise.
static void plan_row_wrenches(motion_row *m)
{
    const arne_plan *p = m->p;
    arne_kinematics(m->shown, m->work, m->q, NULL, NULL);
    for (int i = 0; i < p->problem.wrench_count; i++) {
        const plan_wrench *w = &p->problem.wrenches[i];
        const int          frame =
            arne_find_frame(m->shown, arne_robot_frame(p->problem.robot, w->frame).name);
        arne_wrench now = plan_wrench_at(&p->now.program->between, i);
        if (!w->in_frame) {
            const arne_mat3 R = arne_frame_pose(m->shown, m->work, frame).R;
            now = (arne_wrench){into3(&R, now.lin), into3(&R, now.ang)};
        }
        const arne_vec3 a = w->point, f = now.lin;
        now.ang.x += a.y * f.z - a.z * f.y;
        now.ang.y += a.z * f.x - a.x * f.z;
        now.ang.z += a.x * f.y - a.y * f.x;
        arne_add_wrench(m->shown, frame, &now, m->f_ext);
    }
}

void plan_row_fill(motion_row *m, double u)
{
    const int v = m->p->problem.v_count;
    double   *q = m->z, *qd = q + v, *qdd = qd + v, *qddd = qdd + v;
    arne_plan_evaluate(m->p, u, q, qd, qdd, qddd, NULL);
    take_robot(m);
    plan_show(m->p->problem.robot, q, qd, qdd, m->shown, m->work, m->q, m->qd, m->qdd);
    if (m->same)
        arne_torque_rate(m->shown, m->work, q, qd, qdd, qddd, NULL, 0, m->tau, m->tau_rate);
    if (m->f_ext) memset(m->f_ext, 0, (size_t)m->size.body_count * sizeof *m->f_ext);
    if (m->p->problem.module.loads)
        m->p->problem.module.loads(m->p->problem.module.data, m, u, m->f_ext, m->extra);
    if (m->f_ext && m->p->problem.touch_count) plan_row_contacts(m);
    if (m->f_ext && m->p->problem.wrench_count) plan_row_wrenches(m);
    if (!m->loop) {
        arne_inverse_dynamics(m->shown, m->work, m->q, m->qd, m->qdd, m->f_ext, m->tau);
    } else if (arne_loop_inverse_dynamics(m->shown, m->work, m->loop, m->q, m->qd, m->qdd, m->f_ext,
                                          NULL, m->tau, NULL) != ARNE_OK ||
               arne_loop_forces(m->shown, m->work, m->loop, m->q, m->qd, m->qdd, m->f_ext, m->tau,
                                NULL, NULL, NULL) != ARNE_OK) {
        for (int k = 0; k < m->size.v_count; k++) // a configuration where they are not determined
            m->tau[k] = 0;
    }
}
