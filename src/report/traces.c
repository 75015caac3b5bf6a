#include "report/traces.h"
#include "robot/joint.h"

#include "math/lower.h"
#include "report/data_block.h"
#include "robot/robot.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int tracing_frame(const tracing *t, int index)
{
    const int frame = TRACE_EVERY * index, last = t->figure->frame_count - 1;
    return frame < last ? frame : last;
}

const double *tracing_row(const tracing *t, int index)
{
    return arne_table_row(run_result(t->run), t->figure->rows[tracing_frame(t, index)]);
}

arne_vec3 tracing_up(const tracing *t)
{
    const upright up = t->figure->up;
    return (arne_vec3){up.axis == 0 ? up.sign : 0, up.axis == 1 ? up.sign : 0,
                       up.axis == 2 ? up.sign : 0};
}

void tracing_put(tracing *t, const char *name, const char *group, const char *kind, int index,
                 size_t numbers)
{
    put(t->out, "%s{\"name\":", t->count++ ? ",\n" : "");
    block_text(t->out, name);
    put(t->out, ",\"group\":\"%s\",\"kind\":\"%s\",\"body\":%d,\"every\":%d,\"values\":", group,
        kind, index, TRACE_EVERY);
    block_floats(t->out, t->values, numbers * (size_t)t->samples);
    put(t->out, "}");
}

static int traces_find(const tracing *t, const char *format, const char *name, char letter,
                       char last)
{
    char column[600];
    snprintf(column, sizeof column, format, name, letter, last);
    return arne_table_find(run_result(t->run), column);
}

// wrench.JOINT.fx .. are at the joint's moving frame, in the axes of its child link.
static void put_joint_wrench(tracing *t, int joint, char letter)
{
    const arne_robot     *robot = t->run->robot;
    const arne_joint_info j = arne_robot_joint(robot, joint);
    const arne_frame_info child = arne_robot_frame(robot, j.child);
    const pose            X = pose_lift(child.pose);
    int                   column[3];
    for (int k = 0; k < 3; k++) {
        column[k] = traces_find(t, "wrench.%s.%c%c", j.name, letter, "xyz"[k]);
        if (column[k] < 0) return;
    }
    for (int i = 0; i < t->samples; i++) {
        const double   *row = tracing_row(t, i);
        const arne_vec3 in_link = {row[column[0]], row[column[1]], row[column[2]]};
        const arne_vec3 v = lower(out_of(&X, lift(in_link)));
        t->values[3 * i] = (float)v.x;
        t->values[3 * i + 1] = (float)v.y;
        t->values[3 * i + 2] = (float)v.z;
    }
    tracing_put(t, j.name, letter == 'f' ? "Joint forces" : "Joint moments",
                letter == 'f' ? "force" : "moment", robot_joints(robot)[joint].body, 3);
}

// tau.JOINT of a joint of one coordinate acts about the body's z, or along it.
static void put_torque(tracing *t, int joint, int slides)
{
    const arne_joint_info j = arne_robot_joint(t->run->robot, joint);
    char                  name[600];
    snprintf(name, sizeof name, "tau.%s", j.name);
    const int column = arne_table_find(run_result(t->run), name);
    if (j.v_count != 1 || column < 0 || joint_is_slide(j.kind) != slides) return;
    for (int i = 0; i < t->samples; i++) {
        t->values[3 * i] = t->values[3 * i + 1] = 0;
        t->values[3 * i + 2] = (float)tracing_row(t, i)[column];
    }
    tracing_put(t, j.name, slides ? "Drive forces" : "Torques", slides ? "force" : "moment",
                robot_joints(t->run->robot)[joint].body, 3);
}

// grf.SIDE.fx .. mz is the ground's wrench about the world's origin. It acts where the ground's
// pressure is centred: with u up and the moment m of a force f at p on the ground, u x m = p (u .
// f).
static void put_ground(tracing *t, const char *side)
{
    const arne_vec3 u = tracing_up(t);
    int             column[6];
    for (int k = 0; k < 6; k++) {
        column[k] = traces_find(t, "grf.%s.%c%c", side, "fm"[k / 3], "xyz"[k % 3]);
        if (column[k] < 0) return;
    }
    for (int i = 0; i < t->samples; i++) {
        const double   *row = tracing_row(t, i);
        const arne_vec3 f = {row[column[0]], row[column[1]], row[column[2]]};
        const arne_vec3 m = {row[column[3]], row[column[4]], row[column[5]]};
        const double    press = u.x * f.x + u.y * f.y + u.z * f.z;
        const double    scale = press > 1 ? 1 / press : 0; // less than a newton acts nowhere
        const double    value[] = {scale * (u.y * m.z - u.z * m.y),
                                   scale * (u.z * m.x - u.x * m.z),
                                   scale * (u.x * m.y - u.y * m.x),
                                scale > 0 ? f.x : 0,
                                scale > 0 ? f.y : 0,
                                scale > 0 ? f.z : 0};
        for (int k = 0; k < 6; k++)
            t->values[6 * i + k] = (float)value[k];
    }
    tracing_put(t, side, "Ground forces", "force", -1, 6);
}

static void put_point(tracing *t, const char *name, const char *group)
{
    int column[3], found = 0;
    for (int k = 0; k < 3; k++) {
        column[k] = traces_find(t, "%s%c%c", name, '.', "xyz"[k]);
        found += column[k] >= 0;
    }
    if (found < 2) return;
    for (int i = 0; i < t->samples; i++)
        for (int k = 0; k < 3; k++)
            t->values[3 * i + k] = column[k] >= 0 ? (float)tracing_row(t, i)[column[k]] : 0;
    tracing_put(t, group, group, "point", -1, 3);
}

void traces_put(buffer *b, const run *r, const figure *f)
{
    tracing   t = {b, r, f, NULL, 0, (f->frame_count + TRACE_EVERY - 1) / TRACE_EVERY + 1};
    const int joints = arne_robot_sizes(r->robot).joint_count;
    t.values = malloc(((size_t)t.samples * 6 + 1) * sizeof *t.values);
    put(b, "[");
    if (!t.values) b->failed = 1;
    for (int i = 0; i < 2 && t.values && f->frame_count; i++)
        put_ground(&t, i ? "left" : "right");
    if (t.values && f->frame_count) {
        put_point(&t, "zmp", "Zero-moment point");
        traces_contacts(&t);
        traces_pushes(&t);
    }
    for (int kind = 0; kind < 4 && t.values && f->frame_count; kind++)
        for (int i = 0; i < joints; i++)
            if (kind < 2)
                put_torque(&t, i, kind);
            else
                put_joint_wrench(&t, i, "fm"[kind - 2]);
    put(b, "]");
    free(t.values);
}
