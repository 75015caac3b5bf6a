// Exponential joints: what they take up of strains, and their place in the robot.
#include "base/error.h"
#include "math/exponential.h"
#include "robot/build.h"
#include <math.h>
#include <string.h>

const char *arne_strain_name(arne_strain strain)
{
    static const char *const names[ARNE_STRAIN_COUNT] = {"twist",   "bend_y",  "bend_z",
                                                         "stretch", "shear_y", "shear_z"};
    return (unsigned)strain < ARNE_STRAIN_COUNT ? names[strain] : NULL;
}

// ---- rules

// Why a strain is refused, or NULL.
static const char *strain_refusal(const arne_builder *b, const graph *g, const arne_strain_spec *s,
                                  int joint, int with)
{
    if (joint < 0) return "there is no such joint";
    if (b->joints[joint].kind != ARNE_JOINT_EXPONENTIAL) return "it is not an exponential joint";
    if ((unsigned)s->strain >= ARNE_STRAIN_COUNT) return "there is no such strain";
    if (with < 0) return "the coordinate does not exist";
    if (b->joints[with].kind != ARNE_JOINT_STRAIN) return "its coordinate must be a strain joint";
    if (g->mimic[with] >= 0) return "its coordinate follows another joint";
    if (!isfinite(s->weight[0]) || !isfinite(s->weight[1])) return "a weight is not finite";
    return NULL;
}

static arne_status exponential_check(const arne_joint_spec *s, const judge *j, int followed)
{
    double sum = s->length;
    for (int i = 0; i < ARNE_STRAIN_COUNT; i++)
        sum += s->rest[0][i] + s->rest[1][i];
    if (!isfinite(sum))
        return judge_fail(j, ARNE_VALUE, s->place, "joint '%s' has a number that is not finite",
                          s->name);
    if (!(s->length > 0))
        return judge_fail(j, ARNE_VALUE, s->place, "the length of joint '%s' must be more than 0",
                          s->name);
    if (!(s->turn > 0) || s->turn > EXPONENTIAL_MOST)
        return judge_fail(j, ARNE_VALUE, s->place,
                          "the largest turn of joint '%s' must be more than 0 and at most %g rad",
                          s->name, EXPONENTIAL_MOST);
    if (s->mimic || s->rotor_inertia != 0 || s->viscous != 0 || s->coulomb_positive != 0 ||
        s->coulomb_negative != 0 || isfinite(s->lower) || isfinite(s->upper))
        return judge_fail(j, ARNE_VALUE, s->place,
                          "joint '%s' is exponential: limits, friction, rotors and mimic belong to "
                          "its strains",
                          s->name);
    if (!followed)
        return judge_fail(j, ARNE_MODEL, s->place, "joint '%s' is exponential, but has no strains",
                          s->name);
    return ARNE_OK;
}

arne_status graph_strains(const arne_builder *b, const judge *j, graph *g)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < b->strain_count && status_goes_on(status); i++) {
        const arne_strain_spec *s = &b->strains[i];
        const int               joint = name_index_find(&b->joint_index, s->joint);
        const int               with = name_index_find(&b->joint_index, s->with);
        const char             *why = strain_refusal(b, g, s, joint, with);
        if (why)
            status = status_both(status, judge_fail(j, ARNE_MODEL, s->place,
                                                    "strain of joint '%s' by '%s': %s", s->joint,
                                                    s->with, why));
        if (why || g->mimic[joint] >= 0) continue;
        g->mimic[joint] = with;
        g->ratio[joint] = g->offset[joint] = 0;
    }
    for (int i = 0; i < b->joint_count && status_goes_on(status); i++)
        if (b->joints[i].kind == ARNE_JOINT_EXPONENTIAL)
            status = status_both(status, exponential_check(&b->joints[i], j, g->mimic[i] >= 0));
    return status;
}

// ---- as kernels read them

void build_count_exponents(const build *s, arne_robot *r)
{
    for (int i = 0; i < s->b->joint_count; i++)
        r->exponent_count += s->b->joints[i].kind == ARNE_JOINT_EXPONENTIAL;
    r->exponent_column_count = s->b->strain_count;
    r->is_curved = r->slope_count || r->exponent_count;
}

static void exponent_fill(build *s, const arne_joint_spec *spec, exponent_record *x)
{
    exponent_column *columns = ROBOT_ARRAY(s->r, exponent_column, exponent_columns) + x->start;
    const double     h = spec->length;
    x->length = h;
    x->bracket = sqrt(3) / 12 * h * h;
    x->turn = spec->turn;
    x->is_even = memcmp(spec->rest[0], spec->rest[1], sizeof spec->rest[0]) == 0;
    memcpy(x->rest, spec->rest, sizeof x->rest);
    for (int i = 0; i < s->b->strain_count; i++) {
        const arne_strain_spec *given = &s->b->strains[i];
        if (strcmp(given->joint, spec->name) != 0) continue;
        const int with = s->joint_index[name_index_find(&s->b->joint_index, given->with)];
        const arne_joint_info *of = &robot_joints(s->r)[with].info;
        columns[x->count++] = (exponent_column){of->q_start,
                                                of->v_start,
                                                (int)given->strain,
                                                with,
                                                {given->weight[0], given->weight[1]}};
        x->strains |= 1u << given->strain;
        x->is_even &= given->weight[0] == given->weight[1];
    }
}

// In the order of the robot's joints.
void build_place_exponents(build *s)
{
    exponent_record *x = ROBOT_ARRAY(s->r, exponent_record, exponents);
    int              start = 0;
    for (int i = 0; i < s->b->joint_count; i++) {
        const int              joint = s->g.order[i];
        const arne_joint_spec *spec = &s->b->joints[joint];
        if (spec->kind != ARNE_JOINT_EXPONENTIAL) continue;
        const body *b = robot_bodies(s->r) + robot_joints(s->r)[s->joint_index[joint]].body;
        x->q = b->q_start;
        x->v = b->v_start;
        x->joint = s->joint_index[joint];
        x->start = start;
        exponent_fill(s, spec, x);
        start += x->count;
        x++;
    }
}

int arne_joint_strains(const arne_robot *robot, int joint, arne_strain_info *strains, int room)
{
    for (int i = 0; i < robot->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(robot)[i];
        if (x->joint != joint) continue;
        for (int k = 0; strains && k < x->count && k < room; k++) {
            const exponent_column *c = &robot_exponent_columns(robot)[x->start + k];
            strains[k] =
                (arne_strain_info){c->with, (arne_strain)c->strain, {c->weight[0], c->weight[1]}};
        }
        return x->count;
    }
    return 0;
}

int exponents_beyond(const arne_robot *robot, const double *q)
{
    for (int i = 0; i < robot->exponent_count; i++) {
        const exponent_record *x = &robot_exponents(robot)[i];
        double                 a[2][3];
        memcpy(a[0], x->rest[0], sizeof a[0]);
        memcpy(a[1], x->rest[1], sizeof a[1]);
        for (int k = x->start; k < x->start + x->count; k++) {
            const exponent_column *c = &robot_exponent_columns(robot)[k];
            for (int p = 0; c->strain < 3 && p < 2; p++)
                a[p][c->strain] += c->weight[p] * q[c->from_q];
        }
        const vec3 one = v3(a[0][0], a[0][1], a[0][2]), two = v3(a[1][0], a[1][1], a[1][2]);
        const vec3 turn =
            add_scaled(scale(add(one, two), 0.5 * x->length), cross(one, two), x->bracket);
        if (!(dot(turn, turn) <= x->turn * x->turn)) return x->joint;
    }
    return -1;
}
