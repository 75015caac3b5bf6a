// What a joint of a URDF has besides its place: limits, friction, and the joint that it mimics.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "base/plain.h"
#include "io/urdf.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

int urdf_is_limited(arne_joint_kind kind)
{
    return kind == ARNE_JOINT_REVOLUTE || kind == ARNE_JOINT_PRISMATIC;
}

// A limit may be "inf".
static int urdf_joint_is_infinite(const char *text, double *out)
{
    char word[16] = "";
    sscanf(text, "%15s", word);
    const int   minus = word[0] == '-';
    const char *rest = word + (minus || word[0] == '+');
    if (!plain_same(rest, "inf") && !plain_same(rest, "infinity")) return 0;
    *out = minus ? -INFINITY : INFINITY;
    return 1;
}

// It may also be the largest double, which Gazebo and others write for "no limit".
static arne_status read_limit(xml *x, const char *name, double *out)
{
    const double most = 1e300;
    const char  *text = arne_xml_attribute(x, name);
    if (text && urdf_joint_is_infinite(text, out)) return ARNE_OK;
    const arne_status status = arne_xml_numbers(x, name, 1, out);
    if (fabs(*out) >= most) *out = *out < 0 ? -INFINITY : INFINITY;
    return status;
}

// Exporters write 0 or -1 where they know nothing: a joint that cannot be moved at all is none.
static arne_status not_zero(xml *x, const char *what, double *limit)
{
    const double given = *limit;
    if (given > 0) return ARNE_OK;
    *limit = INFINITY;
    return arne_reader_warn(x->reader, "limit", x->line,
                            "%s: %s is %g, which is taken as not given", x->owner, what, given);
}

// A range that is written the wrong way round is turned.
static arne_status turn_range(xml *x, double *lower, double *upper)
{
    const double low = *lower, high = *upper;
    if (low <= high) return ARNE_OK;
    *lower = high;
    *upper = low;
    return arne_reader_warn(x->reader, "limit", x->line,
                            "%s: lower is above upper (%g, %g); they are exchanged: the range is "
                            "%g to %g",
                            x->owner, low, high, high, low);
}

// A missing velocity or effort is a warning: plans and simulations within limits do not limit it.
static arne_status warn_of_no_limit(xml *x)
{
    const int velocity = arne_xml_attribute(x, "velocity") != NULL;
    const int effort = arne_xml_attribute(x, "effort") != NULL;
    if (velocity && effort) return ARNE_OK;
    return arne_reader_warn(x->reader, "limit", x->line, "%s: <limit> has no %s; %s unlimited",
                            x->owner,
                            velocity ? "effort"
                            : effort ? "velocity"
                                     : "effort and no velocity",
                            velocity || effort ? "it is" : "they are");
}

// Of lower and upper, one that is not given is 0 if the other is. A continuous joint has neither,
// whatever its <limit> says.
arne_status urdf_open_limit(xml *x)
{
    arne_joint_spec *joint = &((urdf *)x->context)->joint;
    if (arne_joint_kind_q_count(joint->kind) == 0) return ARNE_OK;
    const int   range = arne_xml_attribute(x, "lower") || arne_xml_attribute(x, "upper");
    double      lower = urdf_is_limited(joint->kind) && range ? 0 : joint->lower;
    double      upper = urdf_is_limited(joint->kind) && range ? 0 : joint->upper;
    arne_status status = read_limit(x, "lower", &lower);
    status = status_both(status, read_limit(x, "upper", &upper));
    status = status_both(status, read_limit(x, "velocity", &joint->velocity));
    status = status_both(status, read_limit(x, "effort", &joint->effort));
    if (!status) status = warn_of_no_limit(x);
    if (!status) status = not_zero(x, "velocity", &joint->velocity);
    if (!status) status = not_zero(x, "effort", &joint->effort);
    if (!status && urdf_is_limited(joint->kind) && !range)
        status = arne_reader_warn(x->reader, "limit", x->line,
                                  "%s: <limit> has neither lower nor upper; its range is unlimited",
                                  x->owner);
    if (!status && joint->kind != ARNE_JOINT_CONTINUOUS) status = turn_range(x, &lower, &upper);
    if (!status && joint->kind != ARNE_JOINT_CONTINUOUS) {
        joint->lower = lower;
        joint->upper = upper;
    }
    return status;
}

static arne_status urdf_joint_not_negative(xml *x, const char *what, double *value)
{
    const double given = *value;
    if (given >= 0) return ARNE_OK;
    *value = 0;
    return arne_reader_warn(x->reader, "friction", x->line,
                            "%s: %s is negative (%g) and would drive the joint; it is taken as 0",
                            x->owner, what, given);
}

arne_status urdf_open_dynamics(xml *x)
{
    arne_joint_spec *joint = &((urdf *)x->context)->joint;
    arne_status      status = arne_xml_numbers(x, "damping", 1, &joint->viscous);
    if (!status) status = arne_xml_numbers(x, "friction", 1, &joint->coulomb_positive);
    if (!status) status = urdf_joint_not_negative(x, "damping", &joint->viscous);
    if (!status) status = urdf_joint_not_negative(x, "friction", &joint->coulomb_positive);
    joint->coulomb_negative = joint->coulomb_positive;
    return status;
}

arne_status urdf_open_mimic(xml *x)
{
    urdf       *u = x->context;
    const char *joint = arne_xml_attribute(x, "joint");
    if (joint && !*joint)
        return arne_reader_warn(x->reader, "mimic", x->line,
                                "%s: <mimic> names no joint; it moves by itself", x->owner);
    arne_status status = urdf_keep_attribute(x, &u->mimic, "joint");
    u->joint.mimic_ratio = 1;
    u->joint.mimic_offset = 0;
    if (!status) status = arne_xml_numbers(x, "multiplier", 1, &u->joint.mimic_ratio);
    if (!status) status = arne_xml_numbers(x, "offset", 1, &u->joint.mimic_offset);
    return status;
}

// Why a joint cannot follow the one that it names; NULL: it can.
static const char *urdf_joint_why_not(const arne_builder *b, int i)
{
    const arne_joint_spec *s = &b->joints[i];
    const int              of = name_index_find(&b->joint_index, s->mimic);
    if (of < 0) return "which does not exist";
    if (of == i) return "which is itself";
    if (b->joints[of].kind == ARNE_JOINT_FIXED) return "which is fixed";
    if (arne_joint_kind_v_count(s->kind) != 1) return "but has several coordinates";
    return arne_joint_kind_v_count(b->joints[of].kind) != 1 ? "which has several coordinates"
                                                            : NULL;
}

// A mimic of a joint that does not exist is a warning: files of grippers name joints of the arm,
// and parts of files are copied without the joints that they follow.
arne_status urdf_mend_mimics(reader *r, int first)
{
    arne_builder *b = r->builder;
    arne_status   status = ARNE_OK;
    for (int i = first; i < b->joint_count && !status; i++) {
        arne_joint_spec *s = &b->joints[i];
        const char *why = s->mimic && s->kind != ARNE_JOINT_FIXED ? urdf_joint_why_not(b, i) : NULL;
        if (!why) continue;
        status = arne_reader_warn(r, "mimic", s->place.line,
                                  "joint '%.120s': it mimics '%.120s', %s; it moves by itself",
                                  s->name, s->mimic, why);
        s->mimic = NULL;
    }
    return status;
}
