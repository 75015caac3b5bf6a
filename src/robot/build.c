// The last step of a builder: checks, then one block.
//
// Links joined by fixed joints become one body; a body's frame has its joint's axis along z. A free
// base is a free joint between body 0, the world, and the root link. A fixed base's own inertia
// does not matter and is left out.
#include "robot/build.h"
#include "base/error.h"
#include "math/lower.h"
#include "robot/inertia.h"
#include "robot/isa.h"
#include "robot/joint.h"
#include "robot/loop.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pose build_identity(void)
{
    return pose_from(m3(v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)), v3_zero());
}

static arne_pose pose_product(const pose *A, const pose *B)
{
    const pose C = pose_mul(A, B);
    return lower_pose(&C);
}

static pose inverse(const pose *X) { return pose_from(transpose(X->R), neg(into(X, X->p))); }

// A frame whose z is the given direction. Its x is the old x, or the old y, made perpendicular to
// that: axes along x, y or z give exact ones and zeros.
pose build_aligned(vec3 direction)
{
    const vec3 z = scale(direction, 1 / sqrt(dot(direction, direction)));
    const vec3 start = fabs(vx(z)) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
    const vec3 across = add_scaled(start, z, -dot(start, z));
    const vec3 x = scale(across, 1 / sqrt(dot(across, across)));
    return pose_from(m3(x, cross(z, x), z), v3_zero());
}

// ---- counting ----

static int base_kind(const build *s)
{
    const arne_base wanted = s->j.options->base ? s->j.options->base : s->b->base;
    return wanted ? (int)wanted : ARNE_BASE_FIXED;
}

static arne_robot build_count(const build *s)
{
    arne_robot          r;
    const arne_builder *b = s->b;
    memset(&r, 0, sizeof r);
    r.base = base_kind(s);
    r.gravity = s->j.options->gravity ? *s->j.options->gravity : b->gravity;
    r.root_frame = s->g.root;
    r.link_count = b->body_count;
    r.frame_count = b->body_count + b->frame_count;
    size_t names = strlen(b->name) + 1 + 64; // 64: the name of a free base's joint
    for (int i = 0; i < b->body_count; i++) {
        names += strlen(b->bodies[i].name) + 1;
        r.holds_weight |= b->bodies[i].gravity_compensation != 0;
    }
    for (int i = 0; i < b->frame_count; i++)
        names += strlen(b->frames[i].name) + 1;
    const int free_base = r.base == ARNE_BASE_FREE;
    r.body_count = 1 + free_base;
    r.joint_count = free_base;
    r.tree_q_count = r.q_count = 7 * free_base;
    r.tree_v_count = r.v_count = 6 * free_base;
    for (int i = 0; i < b->joint_count; i++) {
        const arne_joint_kind kind = b->joints[i].kind;
        const int             own = s->g.mimic[i] < 0, nq = arne_joint_kind_q_count(kind);
        const int             nv = arne_joint_kind_v_count(kind);
        names += strlen(b->joints[i].name) + 1;
        r.body_count += arne_joint_kind_facts(kind)->body_count;
        r.joint_count += kind != ARNE_JOINT_FIXED;
        r.tree_q_count += nq;
        r.tree_v_count += nv;
        r.q_count += own * nq;
        r.v_count += own * nv;
        r.shares_coordinates |= !own;
    }
    build_count_motors(s, &r, &names);
    r.term_count = s->g.term_count;
    build_count_functions(s, &r);
    build_count_exponents(s, &r);
    for (int i = 0; i < b->loop_count; i++)
        names += strlen(b->loops[i].name) + 1;
    contacts_count(b, &r, &names);
    muscles_count(b, &r, &names);
    r.loop_count = b->loop_count;
    r.loop_row_count = loops_row_count(b);
    r.names_size = (int)names;
    return r;
}

// ---- filling ----

size_t build_name(build *s, const char *name)
{
    const size_t at = (size_t)s->name_end, size = strlen(name) + 1;
    memcpy(s->names + at, name, size);
    s->name_end += (int)size;
    return at;
}

body *build_body(build *s, int kind, int parent, const pose *placement, double pitch)
{
    body *b = ROBOT_ARRAY(s->r, body, bodies) + s->bodies++;
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->parent = parent;
    b->placement = constant_pose_from(placement);
    b->pitch = pitch;
    b->joint = s->joints;
    b->q_start = s->tree_q;
    b->v_start = s->dofs;
    return b;
}

// The velocity coordinates of a body that was just made.
void build_dofs(build *s, body *b, const arne_joint_info *j)
{
    axis      axes[6];
    const int wants_friction = j && !s->j.options->no_friction;
    const int wants_rotor = j && !s->j.options->no_rotor;
    b->v_count = joint_axes(b->kind, axes);
    for (int k = 0; k < b->v_count; k++) {
        dof *d = ROBOT_ARRAY(s->r, dof, dofs) + s->dofs++;
        memset(d, 0, sizeof *d);
        d->axis = (int)axes[k];
        d->body = s->bodies - 1;
        d->pitch = b->pitch;
        d->rotor = wants_rotor ? j->rotor_inertia : 0;
        d->viscous = wants_friction ? j->viscous : 0;
        d->coulomb = wants_friction ? 0.5 * (j->coulomb_positive + j->coulomb_negative) : 0;
        d->coulomb_skew = wants_friction ? 0.5 * (j->coulomb_positive - j->coulomb_negative) : 0;
        s->r->has_rotor |= d->rotor != 0;
        s->r->has_friction |= d->viscous != 0 || d->coulomb != 0 || d->coulomb_skew != 0;
    }
    s->tree_q +=
        b->kind == ARNE_JOINT_ROTOR ? 1 : arne_joint_kind_q_count((arne_joint_kind)b->kind);
}

// The joint of the robot for a spec: its facts and its place in the user's coordinates.
static joint_record *new_joint(build *s, const arne_joint_spec *spec, int parent, int child,
                               int mimic)
{
    joint_record *record = ROBOT_ARRAY(s->r, joint_record, joints) + s->joints;
    memset(record, 0, sizeof *record);
    arne_joint_info *j = &record->info;
    record->name = build_name(s, spec->name);
    j->kind = spec->kind;
    j->parent = parent;
    j->child = child;
    j->pitch = arne_joint_kind_facts(spec->kind)->has_pitch ? spec->pitch : 0;
    j->lower = spec->lower;
    j->upper = spec->upper;
    j->soft = spec->soft;
    j->velocity = spec->velocity;
    j->effort = spec->effort;
    j->viscous = spec->viscous;
    j->coulomb_positive = spec->coulomb_positive;
    j->coulomb_negative = spec->coulomb_negative;
    j->rotor_inertia = spec->rotor_inertia;
    j->mimic = mimic;
    j->passive = loops_passive(s->b, spec);
    j->start = spec->start;
    memcpy(j->starts, spec->starts, sizeof j->starts);
    j->q_start = s->q;
    j->v_start = s->v;
    j->q_count = mimic < 0 ? arne_joint_kind_q_count(spec->kind) : 0;
    j->v_count = mimic < 0 ? arne_joint_kind_v_count(spec->kind) : 0;
    s->q += j->q_count;
    s->v += j->v_count;
    return record;
}

// Coordinates of exponential joints move nothing themselves: their bodies come after the others, on
// the base, where recursions can stop before them.
static int build_is_still(const build *s, const arne_joint_spec *spec)
{
    return spec->kind == ARNE_JOINT_STRAIN && s->b->strain_count;
}
static void build_place_still(build *s)
{
    const pose here = build_identity();
    s->r->still_start = s->bodies;
    for (int i = 0; i < s->b->joint_count; i++) {
        const int joint = s->g.order[i];
        if (!build_is_still(s, &s->b->joints[joint])) continue;
        joint_record *record = ROBOT_ARRAY(s->r, joint_record, joints) + s->joint_index[joint];
        body         *b = build_body(s, ARNE_JOINT_STRAIN, 0, &here, 0);
        b->joint = s->joint_index[joint];
        build_dofs(s, b, &record->info);
        record->body = s->bodies - 1;
    }
}

// What of the bodies and their coordinates recursions can leave out.
static void build_find_moving(build *s)
{
    arne_robot *r = s->r;
    r->moving_count = r->rotor_start < r->body_count ? r->body_count : r->still_start;
    for (int i = r->still_start - 1; i > 0; i--) {
        const body *b = robot_bodies(r) + i;
        if (b->kind == ARNE_JOINT_FREE) continue;
        r->angle_start = b->q_start;
        if (r->angle_end == 0)
            r->angle_end = b->q_start + arne_joint_kind_q_count((arne_joint_kind)b->kind);
    }
}

static void build_place_joint(build *s, int index)
{
    const arne_joint_spec      *spec = &s->b->joints[index];
    const site                 *from = &s->sites[s->g.parent[index]];
    site                       *to = &s->sites[s->g.child[index]];
    const pose                  parent_at = pose_lift(from->at), origin = pose_lift(spec->origin);
    const pose                  tip = pose_lift(spec->tip), at = pose_mul(&parent_at, &origin);
    const arne_joint_kind_info *kind = arne_joint_kind_facts(spec->kind);

    if (kind->body_count == 0) {
        to->fixed = spec;
        to->body = from->body;
        to->at = pose_product(&at, &tip);
        s->joint_index[index] = -1;
        return;
    }
    joint_record *record =
        new_joint(s, spec, s->g.parent[index], s->g.child[index], s->g.mimic[index]);
    record->origin = spec->origin;
    record->tip = spec->tip;
    record->axis = spec->axis;
    record->info.mimic_ratio = s->g.ratio[index];
    record->info.mimic_offset = s->g.offset[index];
    if (build_is_still(s, spec)) { // what it carries is on its parent
        to->body = from->body;
        to->at = pose_product(&at, &tip);
        s->joint_index[index] = s->joints++;
        return;
    }
    pose frame = build_identity(), placement = at;
    int  parent = from->body;
    if (kind->body_count == 2) { // about x, then about y
        const pose about_x = build_aligned(v3(1, 0, 0)), first = pose_mul(&at, &about_x);
        build_dofs(s, build_body(s, (int)kind->body_kind, parent, &first, 0), &record->info);
        parent = s->bodies - 1;
        frame = build_aligned(v3(0, 1, 0));
        placement = inverse(&about_x);
    } else if (kind->has_axis) {
        frame = build_aligned(lift(spec->axis));
        record->info.axis = lower(into(&tip, frame.R.z));
    }
    placement = pose_mul(&placement, &frame);
    body *b = build_body(s, (int)kind->body_kind, parent, &placement, record->info.pitch);
    build_dofs(s, b, &record->info);
    to->body = record->body = s->bodies - 1;
    frame = inverse(&frame);
    to->at = pose_product(&frame, &tip);
    s->joint_index[index] = s->joints++;
}

// The name of a free base's joint: "base", longer where the file has such a joint.
static void free_base_name(const build *s, char name[64])
{
    memcpy(name, "base", sizeof "base");
    for (int i = 0, length = 4; i < s->b->joint_count && length < 60; i++)
        if (!strcmp(s->b->joints[i].name, name)) {
            name[length++] = '_';
            name[length] = 0;
            i = -1;
        }
}

static void place_root(build *s)
{
    site      *root = &s->sites[s->g.root];
    const pose here = build_identity();
    build_body(s, ARNE_JOINT_FIXED, 0, &here, 0)->joint = -1; // the base
    root->body = 0;
    root->at = lower_pose(&here);
    if (s->r->base != ARNE_BASE_FREE) return;
    arne_joint_spec spec = arne_joint_spec_default();
    char            name[64];
    free_base_name(s, name);
    spec.name = name;
    spec.kind = ARNE_JOINT_FREE;
    joint_record *record = new_joint(s, &spec, -1, s->g.root, -1);
    build_dofs(s, build_body(s, ARNE_JOINT_FREE, 0, &here, 0), &record->info);
    root->body = record->body = 1;
    s->joints++;
}

// What gravity compensation holds of a link is part of what it holds of the body.
static void build_hold(build *s, const arne_frame_info *f)
{
    held_weight *held = ROBOT_ARRAY(s->r, held_weight, held_weights) + f->body;
    const pose   X = pose_lift(f->pose);
    const double m = f->gravity_compensation * f->mass;
    const vec3   h = scale(add(X.p, out_of(&X, lift(f->com))), m);
    held->m += m;
    held->h.x += vx(h);
    held->h.y += vy(h);
    held->h.z += vz(h);
}

int build_counts(const build *s, int of) { return of > 0 || s->r->base == ARNE_BASE_PRESCRIBED; }

static void build_place_frames(build *s)
{
    const arne_builder *b = s->b;
    body               *bodies = ROBOT_ARRAY(s->r, body, bodies);
    for (int i = 0; i < s->r->frame_count; i++) {
        frame_record *record = ROBOT_ARRAY(s->r, frame_record, frames) + i;
        memset(record, 0, sizeof *record);
        arne_frame_info *f = &record->info;
        f->is_link = i < b->body_count;
        if (!f->is_link) {
            const frame_spec *spec = &b->frames[i - b->body_count];
            f->parent = s->g.frame_body[i - b->body_count];
            f->body = s->sites[f->parent].body;
            const pose link = pose_lift(s->sites[f->parent].at), own = pose_lift(spec->pose);
            f->pose = pose_product(&link, &own);
            record->origin = spec->pose;
            record->name = build_name(s, spec->name);
            continue;
        }
        const arne_body_spec *spec = &b->bodies[i];
        double                principal[3];
        record->name = build_name(s, spec->name);
        f->body = s->sites[i].body;
        f->pose = s->sites[i].at;
        record->accept = spec->accept;
        const arne_joint_spec *fixed = s->sites[i].fixed;
        if (fixed) {
            record->fixed_joint = build_name(s, fixed->name);
            record->origin = fixed->origin;
            record->tip = fixed->tip;
        }
        f->parent = s->g.above[i] < 0 ? -1 : s->g.parent[s->g.above[i]];
        f->mass = spec->mass;
        f->com = spec->com;
        f->gravity_compensation = spec->gravity_compensation;
        inertia_about_com(spec, f->inertia, principal);
        // What is negative by rounding, or by as little as the checks let pass, is zero.
        for (int k = 0; k < 3 && principal[0] < 0 && !(spec->accept & ARNE_ACCEPT_NEGATIVE); k++)
            f->inertia[k] -= principal[0];
        if (!build_counts(s, f->body)) continue;
        body_add_mass(&bodies[f->body], f->pose, f->mass, f->com, f->inertia);
        if (f->gravity_compensation != 0) build_hold(s, f);
    }
}

// Which user coordinate each coordinate of the tree comes from.
static void fill_sources(build *s)
{
    arne_robot *r = s->r;
    if (!r->shares_coordinates) return;
    for (int i = 1; i < s->bodies; i++) {
        const body            *b = robot_bodies(r) + i;
        const arne_joint_info *j = &robot_joints(r)[b->joint].info;
        const arne_joint_info *of = j->mimic < 0 ? j : &robot_joints(r)[j->mimic].info;
        const int              second = i > 1 && b->joint == b[-1].joint; // of a universal joint
        const int    curves = j->kind == ARNE_JOINT_EXPONENTIAL; // build_exponents.c has the rest
        const double ratio = j->mimic < 0 ? 1 : j->mimic_ratio,
                     offset = j->mimic < 0 ? 0 : j->mimic_offset;
        for (int k = 0; k < arne_joint_kind_q_count((arne_joint_kind)b->kind); k++) {
            const source from = {of->q_start + (curves ? 0 : second + k), ratio, offset};
            ROBOT_ARRAY(r, source, q_sources)[b->q_start + k] = from;
        }
        for (int k = 0; k < b->v_count; k++) {
            const source from = {of->v_start + (curves ? 0 : second + k), ratio, 0};
            ROBOT_ARRAY(r, source, v_sources)[b->v_start + k] = from;
        }
    }
}

// What coordinates of the tree take up besides.
static void fill_terms(build *s)
{
    for (int i = 0; i < s->g.term_count; i++) {
        const graph_term   *said = &s->g.terms[i];
        term               *t = ROBOT_ARRAY(s->r, term, terms) + i;
        const int           of = said->joint >= 0 ? s->joint_index[said->joint] : -1;
        const int           motor = said->motor >= 0 ? s->motor_index[said->motor] : -1;
        const int           with = s->joint_index[said->with];
        const joint_record *joints = robot_joints(s->r);
        const int           at = of >= 0 ? joints[of].body : robot_motors(s->r)[motor].body;
        const body         *b = robot_bodies(s->r) + at;
        *t = (term){
            b->q_start, b->v_start, joints[with].info.q_start, joints[with].info.v_start, of, motor,
            with,       said->ratio};
    }
}

// The sparsity of the mass matrix: the velocity coordinate before each one on the way to the base.
static void fill_ancestors(build *s)
{
    arne_robot *r = s->r;
    dof        *dofs = ROBOT_ARRAY(r, dof, dofs);
    r->is_chain = 1;
    r->pair_count = 0;
    for (int k = 0; k < r->tree_v_count; k++) {
        const body *b = robot_bodies(r) + dofs[k].body, *p = robot_bodies(r) + b->parent;
        dofs[k].above = k > b->v_start ? k - 1 : p->v_count ? p->v_start + p->v_count - 1 : -1;
        dofs[k].run = k > 0 && dofs[k].above == k - 1 ? dofs[k - 1].run : k;
        r->is_chain &= dofs[k].above == k - 1;
        dofs[k].last = k;
        dofs[k].way = (dofs[k].above >= 0 ? dofs[dofs[k].above].way : 0) | (uint64_t)(k < WAY_BITS)
                                                                               << k % WAY_BITS;
        dofs[k].depth = dofs[k].above >= 0 ? dofs[dofs[k].above].depth + 1 : 1;
        r->pair_count += dofs[k].depth;
    }
    for (int k = r->tree_v_count - 1; k >= 0; k--)
        if (dofs[k].above >= 0 && dofs[dofs[k].above].last < dofs[k].last)
            dofs[dofs[k].above].last = dofs[k].last;
    int64_t spans = 0; // as many as there are pairs, or more
    for (int k = 0; k < r->tree_v_count; k++)
        spans += dofs[k].last - k + 1;
    r->is_nested = spans == r->pair_count;
    body *bodies = ROBOT_ARRAY(r, body, bodies);
    for (int i = 1; i < r->body_count; i++) {
        const int p = bodies[i].parent;
        bodies[i].root = p ? bodies[p].root : i;
        bodies[i].run = p && p == i - 1 ? bodies[p].run : i;
        bodies[p].forks |= p != i - 1;
    }
    for (int k = 0; k < r->v_count; k++) // full, where one coordinate moves several joints
        ROBOT_ARRAY(r, int, factor_parents)[k] = r->shares_coordinates ? k - 1 : dofs[k].above;
}

static arne_status build_fill(build *s)
{
    const arne_robot header = build_count(s);
    arne_robot       sized = header;
    robot_lay_out(&sized);
    s->r = malloc(sized.size);
    s->sites = calloc((size_t)s->b->body_count + 1, sizeof(site));
    s->joint_index =
        malloc(((size_t)s->b->joint_count + (size_t)s->b->motor_count + 1) * sizeof(int));
    s->motor_index = s->joint_index ? s->joint_index + s->b->joint_count : NULL;
    if (!s->r || !s->sites || !s->joint_index) return arne_fail_memory(s->j.error);
    memset(s->r, 0, sized.size);
    *s->r = sized;
    s->r->isa = isa_index(s->j.options->isa);
    s->names = ROBOT_ARRAY(s->r, char, names);
    s->r->name = build_name(s, s->b->name);
    place_root(s);
    for (int i = 0; i < s->b->joint_count; i++)
        build_place_joint(s, s->g.order[i]);
    build_place_still(s);
    for (int i = 0; i < s->joints; i++) { // mimic names specs until all joints have their place
        arne_joint_info *j = &ROBOT_ARRAY(s->r, joint_record, joints)[i].info;
        j->mimic = j->mimic < 0 ? -1 : s->joint_index[j->mimic];
    }
    build_place_frames(s);
    fill_sources(s);
    arne_status status = build_place_motors(s);
    build_find_moving(s);
    if (!status) fill_terms(s);
    if (!status) status = build_place_functions(s);
    build_place_exponents(s);
    fill_ancestors(s);
    for (int i = 0; i < s->r->loop_count; i++)
        ROBOT_ARRAY(s->r, loop_record, loops)[i].name = build_name(s, s->b->loops[i].name);
    if (!status) status = loops_place(s->b, &s->j, s->r);
    contacts_place(s);
    if (!status) status = muscles_place(s);
    if (!status) status = build_handles(s);
    if (!status) robot_mark_layout(s->r);
    if (!status) robot_find_least(s->r);
    if (!status) robot_find_length(s->r);
    return status ? status : build_check_moving(s);
}

static arne_status build_check_options(const build *s)
{
    const arne_vec3 *g = s->j.options->gravity;
    if (g && !(isfinite(g->x) && isfinite(g->y) && isfinite(g->z)))
        return judge_fail(&s->j, ARNE_VALUE, (arne_place){0}, "gravity is not finite");
    if (s->j.options->base < ARNE_BASE_DEFAULT || s->j.options->base > ARNE_BASE_FREE)
        return judge_fail(&s->j, ARNE_VALUE, (arne_place){0}, "there is no such kind of base");
    if (isa_index(s->j.options->isa) < 0) {
        const char *name = arne_isa_name(s->j.options->isa);
        return judge_fail(&s->j, ARNE_UNSUPPORTED, (arne_place){0},
                          name ? "this processor or this build has no instruction set %s"
                               : "there is no such instruction set",
                          name);
    }
    return ARNE_OK;
}

// Reports the findings of the readers together with those of the checks.
static arne_status repeat_findings(const build *s)
{
    const findings *read = &s->b->found;
    arne_status     status = ARNE_OK;
    for (int i = 0; i < read->count && status_goes_on(status); i++)
        status = status_both(status, judge_repeat(&s->j, &read->item[i]));
    return status;
}

// All checks, whatever the first of them say; then the robot, if all are content.
static arne_status check_and_fill(build *s)
{
    arne_status status = repeat_findings(s);
    if (status_goes_on(status)) status = status_both(status, build_check_options(s));
    if (status_goes_on(status)) status = status_both(status, build_segments(s));
    if (status_goes_on(status)) status = status_both(status, check_values(s->b, &s->j));
    if (status_goes_on(status)) status = status_both(status, graph_make(s->b, &s->j, &s->g));
    if (status_goes_on(status)) status = status_both(status, build_check_motors(s));
    if (status_goes_on(status)) status = status_both(status, loops_check(s->b, &s->j));
    if (status_goes_on(status)) status = status_both(status, contacts_check(s->b, &s->j));
    if (status_goes_on(status)) status = status_both(status, muscles_check(s->b, &s->j));
    return status ? status : build_fill(s);
}

arne_status arne_builder_finish(const arne_builder *builder, const arne_build_options *options,
                                arne_robot **out, arne_error *error)
{
    arne_build_options own_options;
    if (out) *out = NULL;
    const arne_status known = builder_take_options(&options, &own_options, error);
    if (known) return known;
    const arne_build_options plain = {0};
    arne_error               own;
    findings                 found = {0};
    const judge              j = {options ? options : &plain, error ? error : &own, &found};
    const listeners          to = {j.options->warn, j.options->warn_context, j.options->fail,
                                   j.options->fail_context};
    build                    s = {.b = builder, .j = j};
    if (!builder || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    arne_status status = check_and_fill(&s);
    findings_sort(&found);
    findings_tell(&found, &to);
    if (status && status != ARNE_NO_MEMORY && found.errors) status = findings_first(&found, error);
    graph_free(&s.g);
    arne_builder_free(s.segments);
    free(s.sites);
    free(s.joint_index);
    findings_free(&found);
    if (status)
        free(s.r);
    else
        *out = s.r;
    return status;
}
