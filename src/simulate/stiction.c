// Coulomb friction where a joint stands still.
//
// Forward dynamics has friction C sign(qd). A sliding joint keeps the sign of the direction it slides in until its
// velocity crosses zero, an event. There it is decided anew: a joint sticks (its acceleration is zero, by hybrid
// dynamics) while the friction that takes lies between -negative and positive; else it breaks loose that way. Where
// several joints stand still, the one that is furthest beyond its limit is let go, one at a time.
#include "base/error.h"
#include "simulate/plant.h"
#include <math.h>

static void add_dry(dry_joint *out, int *count, int v, double positive, double negative)
{
    if (positive <= 0 && negative <= 0) return;
    for (int i = 0; out && i < *count; i++)
        if (out[i].v == v) { // the joint's own friction and that of its motor
            out[i].positive += positive;
            out[i].negative += negative;
            return;
        }
    if (out) out[*count] = (dry_joint){.v = v, .positive = positive, .negative = negative};
    (*count)++;
}

int dry_collect(const arne_simulation *sim, dry_joint *out)
{
    const arne_sizes sizes = arne_robot_sizes(sim->robot);
    int              count = 0;
    for (int j = 0; j < sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(sim->robot, j);
        if (info.v_count == 1 && info.mimic < 0)
            add_dry(out, &count, info.v_start, info.coulomb_positive, info.coulomb_negative);
    }
    for (int m = 0; m < sizes.motor_count; m++) {
        const arne_motor_info info = arne_robot_motor(sim->robot, m);
        if (info.v_index >= 0)
            add_dry(out, &count, info.v_index, info.coulomb_positive, info.coulomb_negative);
    }
    return count;
}

// Coulomb friction as forward dynamics has it.
static double coulomb(double positive, double negative, double v)
{
    return v > 0 ? positive : v < 0 ? -negative : 0;
}

static double smooth(const arne_simulation *sim, double positive, double negative, double v)
{
    const double width = sim->stiction_velocity > 0 ? sim->stiction_velocity : 1e-3;
    return (v > 0 ? positive : negative) * tanh(v / width);
}

// Every joint and motor with friction: the entry of qd it depends on, its ratio to it, and its coefficients. Returns 0 at the end.
typedef struct friction_entry {
    int    v;
    double ratio, viscous, positive, negative;
} friction_entry;

static int friction_at(const arne_robot *robot, const arne_sizes *sizes, int i, friction_entry *out)
{
    if (i < sizes->joint_count) {
        arne_joint_info info = arne_robot_joint(robot, i);
        *out = (friction_entry){info.v_start, 1, info.viscous, info.coulomb_positive,
                                info.coulomb_negative};
        while (info.mimic >= 0) {
            out->ratio *= info.mimic_ratio;
            info = arne_robot_joint(robot, info.mimic);
            out->v = info.v_start;
        }
        if (info.v_count != 1) *out = (friction_entry){0, 0, 0, 0, 0};
        return 1;
    }
    i -= sizes->joint_count;
    if (i >= sizes->motor_count) return 0;
    const arne_motor_info motor = arne_robot_motor(robot, i);
    const int v = motor.v_index >= 0 ? motor.v_index : arne_robot_joint(robot, motor.joint).v_start;
    *out = (friction_entry){v, 1, motor.viscous, motor.coulomb_positive, motor.coulomb_negative};
    return 1;
}

void dry_apply(const plant *p, const double *qd)
{
    for (int i = 0; i < p->dry_count; i++) {
        const dry_joint *d = &p->dry[i];
        if (d->mode)
            p->applied[d->v] += coulomb(d->positive, d->negative, qd[d->v]) -
                                coulomb(d->positive, d->negative, d->mode);
    }
    if (p->sim->stiction != ARNE_STICTION_SMOOTH) return;
    friction_entry e;
    for (int i = 0; friction_at(p->robot, &p->sizes, i, &e); i++) {
        const double v = e.ratio * qd[e.v];
        p->applied[e.v] += e.ratio * (coulomb(e.positive, e.negative, v) -
                                      smooth(p->sim, e.positive, e.negative, v));
    }
}

void dry_needed(plant *p)
{
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint *d = &p->dry[i];
        // Hybrid dynamics has written the torque that standing still takes, friction aside.
        if (!d->mode) d->needed = p->tau[d->v] - p->applied[d->v];
    }
}

double friction_power(const plant *p, const double *qd)
{
    const arne_simulation *sim = p->sim;
    double                 power = 0;
    friction_entry         e;
    if (sim->stiction != ARNE_STICTION_NONE)
        for (int i = 0; friction_at(p->robot, &p->sizes, i, &e); i++) {
            const double v = e.ratio * qd[e.v];
            const double dry =
                sim->stiction == ARNE_STICTION_SMOOTH && sim->drive == ARNE_DRIVE_TORQUES
                    ? smooth(sim, e.positive, e.negative, v)
                    : coulomb(e.positive, e.negative, v);
            power += (e.viscous * v + dry) * v;
        }
    for (int i = 0; i < p->sizes.spring_count; i++) {
        const arne_spring_info spring = arne_robot_spring(p->robot, i);
        const double           v = qd[arne_robot_joint(p->robot, spring.joint).v_start];
        power += spring.damping * v * v;
    }
    for (int i = 0; i < p->sizes.motor_count; i++) {
        const arne_motor_info motor = arne_robot_motor(p->robot, i);
        if (motor.v_index < 0) continue;
        const double v = qd[motor.v_index] - qd[arne_robot_joint(p->robot, motor.joint).v_start];
        power += motor.damping * v * v;
    }
    return power;
}

static void stick(plant *p, dry_joint *d, int sticks)
{
    p->stuck_count += sticks - p->stuck[d->v];
    p->stuck[d->v] = (unsigned char)sticks;
}

// The joint that sticks although it would take more friction than there is, or NULL.
static dry_joint *furthest_beyond(plant *p)
{
    dry_joint *found = NULL;
    double     furthest =
        -1e-12; // at the limit it is let go, or the event of reaching it would be lost
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint   *d = &p->dry[i];
        const double scale = fmax(1, d->positive + d->negative);
        const double beyond = fmax(d->needed - d->positive, -d->needed - d->negative) / scale;
        if (d->mode || !(beyond > furthest)) continue;
        furthest = beyond;
        found = d;
    }
    return found;
}

arne_status dry_decide(plant *p, double time, const double *q, double *qd, arne_error *error)
{
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint *d = &p->dry[i];
        const int  way = qd[d->v] > 0 ? 1 : qd[d->v] < 0 ? -1 : 0;
        const int  stops = d->mode ? way != d->mode : way == 0;
        if (!d->mode && way) d->mode = way; // at the start of a run
        if (!stops) continue;
        d->mode = 0;
        qd[d->v] = 0;
        stick(p, d, 1);
    }
    for (int tries = 0; p->stuck_count && tries <= p->dry_count; tries++) {
        const arne_status status = plant_rate(p, time, q, qd, NULL, p->given_qdd, NULL, error);
        if (status != ARNE_OK) return status;
        dry_joint *loose = furthest_beyond(p);
        if (!loose) break;
        loose->mode = loose->needed > 0 ? 1 : -1;
        stick(p, loose, 0);
    }
    return ARNE_OK;
}
