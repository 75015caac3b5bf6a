// The rules that numbers must keep, body by body and joint by joint.
#include "base/error.h"
#include "robot/graph.h"
#include "robot/inertia.h"
#include <math.h>

// Rounding of the digits in a file: what is off by less than this part of the largest value is not
// held against it.
static const double ROUNDING = 1e-6;

static int check_parts_all_finite(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

arne_status check_inertia(const arne_body_spec *s, double largest, arne_error *error)
{
    const char  *file = s->place.file;
    const int    line = s->place.line;
    const double numbers[5] = {s->mass, s->com.x, s->com.y, s->com.z, s->gravity_compensation};
    double       about_com[6], principal[3];

    if (!check_parts_all_finite(numbers, 5) || !check_parts_all_finite(s->inertia, 6) ||
        !check_parts_all_finite(&s->inertia_axes.x.x, 9))
        return arne_fail(error, ARNE_VALUE, file, line, "link '%s' has a number that is not finite",
                         s->name);
    if (s->mass < 0)
        return arne_fail(error, ARNE_MODEL, file, line, "link '%s' has a negative mass (%g kg)",
                         s->name, s->mass);
    inertia_about_com(s, about_com, principal);
    if (!(s->accept & ARNE_ACCEPT_NEGATIVE) &&
        principal[0] < -ROUNDING * fmax(largest, fmax(fabs(principal[0]), fabs(principal[2]))))
        return arne_fail(error, ARNE_MODEL, file, line,
                         "the inertia of link '%s' about its centre of mass has a negative "
                         "principal value (%g kg m^2): correct it, or accept it by "
                         "`accept: negative` of the body, in a YAML file that extends a URDF",
                         s->name, principal[0]);
    return ARNE_OK;
}

// The largest principal inertia of any link: what is negative by a millionth of that is a zero of
// somebody else's digits.
static double largest_inertia(const arne_builder *b)
{
    double largest = 0;
    for (int i = 0; i < b->body_count; i++) {
        double about_com[6], p[3];
        if (!check_parts_all_finite(b->bodies[i].inertia, 6) ||
            !check_parts_all_finite(&b->bodies[i].inertia_axes.x.x, 9))
            continue;
        inertia_about_com(&b->bodies[i], about_com, p);
        if (isfinite(p[2])) largest = fmax(largest, p[2]);
    }
    return largest;
}

// More than the rounding of eigenvalues makes, or written so.
static int is_said_negative(const arne_body_spec *s, const double p[3])
{
    const int written = s->inertia[0] < 0 || s->inertia[1] < 0 || s->inertia[2] < 0;
    return p[0] < 0 && (written || p[0] < -1e-14 * fabs(p[2]));
}

static arne_status check_body(const arne_body_spec *s, double largest, const judge *j)
{
    double            about_com[6], p[3];
    const int         accepted = (s->accept & ARNE_ACCEPT_NEGATIVE) != 0;
    const arne_status status = judge_check(j, check_inertia(s, largest, j->error));
    if (status) return status;
    inertia_about_com(s, about_com, p);
    if (is_said_negative(s, p))
        return judge_flaw(j, "negative", s->place, accepted,
                          accepted ? "the inertia of link '%s' has a negative principal value (%g "
                                     "kg m^2)"
                                   : "the inertia of link '%s' has a negative principal value (%g "
                                     "kg m^2), which is taken as zero",
                          s->name, p[0]);
    if (p[0] + p[1] >= p[2] - ROUNDING * p[2]) return ARNE_OK;
    return judge_flaw(j, "triangle", s->place, (s->accept & ARNE_ACCEPT_TRIANGLE) != 0,
                      "the inertia of link '%s' breaks the triangle inequality: principal values "
                      "%g, %g, %g kg m^2",
                      s->name, p[0], p[1], p[2]);
}

static arne_status check_axis(const arne_joint_spec *s, const judge *j)
{
    const double length =
        sqrt(s->axis.x * s->axis.x + s->axis.y * s->axis.y + s->axis.z * s->axis.z);
    if (length < 1e-12)
        return judge_fail(j, ARNE_MODEL, s->place, "joint '%s' has a zero axis", s->name);
    if (fabs(length - 1) > ROUNDING)
        return judge_flaw(j, "axis", s->place, 0,
                          "the axis of joint '%s' has length %g; it is used as a unit vector",
                          s->name, length);
    return ARNE_OK;
}

static arne_status check_limits(const arne_joint_spec *s, const judge *j)
{
    if (isnan(s->lower) || isnan(s->upper) || isnan(s->velocity) || isnan(s->effort))
        return judge_fail(j, ARNE_VALUE, s->place, "a limit of joint '%s' is not a number",
                          s->name);
    if (s->lower > s->upper)
        return judge_fail(j, ARNE_MODEL, s->place,
                          "the lower limit of joint '%s' (%g) is above the upper (%g)", s->name,
                          s->lower, s->upper);
    if (s->velocity < 0 || s->effort < 0)
        return judge_fail(j, ARNE_MODEL, s->place,
                          "joint '%s' has a negative velocity or effort limit", s->name);
    if (s->viscous < 0 || s->coulomb_positive < 0 || s->coulomb_negative < 0)
        return judge_fail(j, ARNE_MODEL, s->place, "joint '%s' has negative friction", s->name);
    if (s->rotor_inertia < 0)
        return judge_fail(j, ARNE_MODEL, s->place, "joint '%s' has a negative rotor inertia",
                          s->name);
    return ARNE_OK;
}

int is_rotation(const arne_mat3 *R)
{
    const double *x = &R->x.x, *y = &R->y.x, *z = &R->z.x;
    double        gram[6] = {0};
    for (int i = 0; i < 3; i++) {
        gram[0] += x[i] * x[i];
        gram[1] += y[i] * y[i];
        gram[2] += z[i] * z[i];
        gram[3] += x[i] * y[i];
        gram[4] += x[i] * z[i];
        gram[5] += y[i] * z[i];
    }
    for (int i = 0; i < 6; i++)
        if (fabs(gram[i] - (i < 3)) > ROUNDING) return 0;
    const double det = x[0] * (y[1] * z[2] - y[2] * z[1]) + x[1] * (y[2] * z[0] - y[0] * z[2]) +
                       x[2] * (y[0] * z[1] - y[1] * z[0]);
    return det > 0;
}

static arne_status check_joint(const arne_joint_spec *s, const judge *j)
{
    const double numbers[] = {s->axis.x,
                              s->axis.y,
                              s->axis.z,
                              s->pitch,
                              s->viscous,
                              s->coulomb_positive,
                              s->coulomb_negative,
                              s->rotor_inertia,
                              s->mimic_ratio,
                              s->mimic_offset,
                              s->start};
    if (s->kind < 0 || s->kind >= ARNE_JOINT_KIND_COUNT)
        return judge_fail(j, ARNE_VALUE, s->place, "joint '%s' has an unknown kind", s->name);
    if (!check_parts_all_finite(numbers, (int)(sizeof numbers / sizeof *numbers)) ||
        !check_parts_all_finite(s->starts, 7) || !check_parts_all_finite(&s->origin.R.x.x, 12) ||
        !check_parts_all_finite(&s->tip.R.x.x, 12))
        return judge_fail(j, ARNE_VALUE, s->place, "joint '%s' has a number that is not finite",
                          s->name);
    if (!is_rotation(&s->origin.R) || !is_rotation(&s->tip.R))
        return judge_fail(j, ARNE_VALUE, s->place, "the origin of joint '%s' is not a rotation",
                          s->name);
    const arne_status status = check_limits(s, j);
    return status_goes_on(status) && arne_joint_kind_facts(s->kind)->has_axis
               ? status_both(status, check_axis(s, j))
               : status;
}

arne_status check_values(const arne_builder *b, const judge *j)
{
    const double largest = largest_inertia(b);
    arne_status  status = ARNE_OK;
    for (int i = 0; status_goes_on(status) && i < b->body_count; i++)
        status = status_both(status, check_body(&b->bodies[i], largest, j));
    for (int i = 0; status_goes_on(status) && i < b->joint_count; i++)
        status = status_both(status, check_joint(&b->joints[i], j));
    for (int i = 0; status_goes_on(status) && i < b->frame_count; i++) {
        const frame_spec *f = &b->frames[i];
        if (!check_parts_all_finite(&f->pose.R.x.x, 12) || !is_rotation(&f->pose.R))
            status =
                judge_fail(j, ARNE_VALUE, f->place,
                           "the pose of frame '%s' is not a finite rotation and position", f->name);
    }
    return status ? status : check_scales(b, j);
}
