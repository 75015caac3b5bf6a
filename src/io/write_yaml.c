// The YAML robot file of a builder: docs/robot-file.md. Every number has the digits that it needs
// to read back as itself.
#include "io/read_rotation.h"
#include "io/write_robot.h"
#include "io/yaml_robot.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include <math.h>
#include <string.h>

// ---- scalars ----

static int write_yaml_is_plain(const char *text)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on",  "off", "null", "y",
                                        "n",    "nan",   "inf", "pi", "deg", "rad", NULL};
    char                     lower[8] = "";
    if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_'))
        return 0;
    for (const char *p = text; *p; p++)
        if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
              *p == '_' || *p == '-' || *p == '.'))
            return 0;
    for (int i = 0; i < 7 && text[i]; i++)
        lower[i] = (char)(text[i] | 0x20);
    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], lower) == 0) return 0;
    return 1;
}

void write_yaml_text(robot_writer *w, const char *s)
{
    if (write_yaml_is_plain(s)) {
        put(&w->out, "%s", s);
        return;
    }
    put(&w->out, "\"");
    for (const char *p = s; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            put(&w->out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            put(&w->out, "\\x%02x", c);
        else
            put_bytes(&w->out, p, 1);
    }
    put(&w->out, "\"");
}

void write_yaml_named(robot_writer *w, const char *key, const char *value)
{
    put(&w->out, "    %s: ", key);
    write_yaml_text(w, value);
    put(&w->out, "\n");
}

void write_yaml_first(robot_writer *w, const char *key, const char *value)
{
    put(&w->out, "  - %s: ", key);
    write_yaml_text(w, value);
    put(&w->out, "\n");
}

// A key whose value is the default is left out.
static void write_yaml_number(robot_writer *w, const char *key, double x, double unsaid)
{
    if (x == unsaid && signbit(x) == signbit(unsaid)) return;
    put(&w->out, "    %s: ", key);
    put_shortest(&w->out, x);
    put(&w->out, "\n");
}

void write_yaml_list(robot_writer *w, int count, const double *x)
{
    put(&w->out, "[");
    write_numbers(w, count, x, ", ");
    put(&w->out, "]");
}

static int is_vec3(arne_vec3 v, double x, double y, double z)
{
    return v.x == x && v.y == y && v.z == z && !signbit(v.x) && !signbit(v.y) && !signbit(v.z);
}

static void vec3(robot_writer *w, const char *key, arne_vec3 v)
{
    put(&w->out, "    %s: ", key);
    write_yaml_list(w, 3, &v.x);
    put(&w->out, "\n");
}

// ---- poses ----

static void write_yaml_turn(robot_writer *w, const arne_mat3 *R)
{
    double rpy[3];
    rotation_to_rpy(R, rpy);
    const arne_mat3 again = arne_rotation_rpy(rpy);
    int             same = 1;
    for (int k = 0; k < 9; k++)
        same &= (&again.x.x)[k] == (&R->x.x)[k];
    if (same) {
        put(&w->out, "rpy: ");
        write_yaml_list(w, 3, rpy);
        return;
    }
    const double rows[9] = {R->x.x, R->y.x, R->z.x, R->x.y, R->y.y, R->z.y, R->x.z, R->y.z, R->z.z};
    put(&w->out, "matrix: ");
    write_yaml_list(w, 9, rows);
}

static int is_here(const arne_pose *X) { return is_identity(&X->R) && is_vec3(X->p, 0, 0, 0); }

static void pose_value(robot_writer *w, const arne_pose *X)
{
    put(&w->out, "{xyz: ");
    write_yaml_list(w, 3, &X->p.x);
    if (!is_identity(&X->R)) {
        put(&w->out, ", ");
        write_yaml_turn(w, &X->R);
    }
    put(&w->out, "}");
}

void write_yaml_pose(robot_writer *w, const char *key, const arne_pose *X)
{
    if (is_here(X)) return;
    put(&w->out, "    %s: ", key);
    pose_value(w, X);
    put(&w->out, "\n");
}

// ---- sections ----

static void header(robot_writer *w)
{
    static const char *const bases[] = {"", "fixed", "prescribed", "free"};
    const arne_builder      *b = w->b;
    put(&w->out, "name: ");
    write_yaml_text(w, b->name);
    put(&w->out, "\ngravity: ");
    write_yaml_list(w, 3, &b->gravity.x);
    put(&w->out, "\nbase: %s\n", bases[b->base ? b->base : ARNE_BASE_FIXED]);
}

static void accepted(robot_writer *w, unsigned accept)
{
    if (!accept) return;
    put(&w->out, "    accept: [");
    const char *between = "";
    for (const doc_word *word = arne_yaml_flaws; word->name; word++)
        if (accept & (unsigned)word->value) {
            put(&w->out, "%s%s", between, word->name);
            between = ", ";
        }
    put(&w->out, "]\n");
}

static void write_strain_numbers(robot_writer *w, const char *key, const int *numbers)
{
    const char *between = "";
    for (int k = 0; k < ARNE_STRAIN_COUNT; k++)
        if (numbers[k]) {
            if (*between)
                put(&w->out, "%s", between);
            else
                put(&w->out, "      %s: {", key);
            put(&w->out, "%s: %d", arne_strain_name((arne_strain)k), numbers[k]);
            between = ", ";
        }
    if (*between) put(&w->out, "}\n");
}

// Further keys of a rod with strain modes.
static void flexible_rod(robot_writer *w, const arne_flexible_spec *f)
{
    const struct {
        const char   *key;
        int           count;
        const double *values;
        double        usual;
    } rows[] = {{"curvature", 3, f->curvature, 0},
                {"stiffness", ARNE_STRAIN_COUNT, f->stiffness, 0},
                {"mass_per_length", 1, f->line, 0},
                {"rotary", 3, f->line + 1, 0},
                {"strain_damping", ARNE_STRAIN_COUNT, f->strain_damping, 0},
                {"viscosity", 1, &f->viscosity, 0},
                {"taper", 1, &f->taper, 1},
                {"turn", 1, &f->turn, 1}};
    write_strain_numbers(w, "modes", f->modes);
    write_strain_numbers(w, "natural", f->natural);
    put(&w->out, "      points: %d\n", f->points);
    if (f->pieces > 1) put(&w->out, "      pieces: %d\n", f->pieces);
    if (f->table_count) put(&w->out, "      curvature:\n");
    for (int i = 0; i < f->table_count; i++) { // with the constant part in it
        double row[4] = {f->table[i][0]};
        for (int k = 0; k < 3; k++)
            row[1 + k] = f->table[i][1 + k] + f->curvature[k];
        put(&w->out, "        - ");
        write_yaml_list(w, 4, row);
        put(&w->out, "\n");
    }
    if (f->size_count) put(&w->out, "      taper:\n");
    for (int i = 0; i < f->size_count; i++) {
        put(&w->out, "        - ");
        write_yaml_list(w, 2, f->sizes[i]);
        put(&w->out, "\n");
    }
    for (size_t i = f->table_count ? 1 : 0; i < sizeof rows / sizeof *rows; i++) {
        int other = 0;
        for (int k = 0; k < rows[i].count; k++)
            other |= rows[i].values[k] != rows[i].usual;
        if (!other) continue;
        put(&w->out, "      %s: ", rows[i].key);
        if (rows[i].count == 1)
            put_shortest(&w->out, *rows[i].values);
        else
            write_yaml_list(w, rows[i].count, rows[i].values);
        put(&w->out, "\n");
    }
}

static void flexible_item(robot_writer *w, const arne_flexible_spec *f)
{
    const struct {
        const char *key;
        double      value;
    } rows[] = {{"length", f->length},
                {"E", f->E},
                {"G", f->G},
                {"A", f->A},
                {"J", f->J},
                {"density", f->density},
                {"damping", f->damping}};
    const int is_rod = arne_flexible_is_rod(f);
    put(&w->out, "    flexible:\n      axis: %c\n", 'x' + f->axis);
    if (is_rod)
        flexible_rod(w, f);
    else
        put(&w->out, "      segments: %d\n", f->segments);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].value == 0) continue;
        put(&w->out, "      %s: ", rows[i].key);
        put_shortest(&w->out, rows[i].value);
        put(&w->out, "\n");
    }
    if (!is_rod || f->moments[0] != 0 || f->moments[1] != 0) {
        put(&w->out, "      I: ");
        write_yaml_list(w, 2, f->moments);
        put(&w->out, "\n");
    }
    if (f->stiff[0] != f->stiff[1]) // it moves along one axis by turning about the other
        put(&w->out, "      bends: %c\n", 'x' + (f->axis + (f->stiff[0] ? 1 : 2)) % 3);
}

static void body_item(robot_writer *w, const arne_body_spec *s)
{
    write_yaml_first(w, "name", s->name);
    if (s->flexible.segments || arne_flexible_is_rod(&s->flexible)) {
        flexible_item(w, &s->flexible);
        accepted(w, s->accept);
        return;
    }
    write_yaml_number(w, "mass", s->mass, 0);
    if (!is_vec3(s->com, 0, 0, 0)) vec3(w, "com", s->com);
    double about[6], principal[3];
    int    any = 0;
    inertia_about_com(s, about, principal); // and in the body's axes, as a robot keeps it
    for (int k = 0; k < 6; k++)
        any |= about[k] != 0;
    if (any) {
        put(&w->out, "    inertia: ");
        write_yaml_list(w, 6, about);
        put(&w->out, "\n");
    }
    if (s->gravity_compensation != 0)
        write_yaml_number(w, "gravity_compensation", s->gravity_compensation, 0);
    accepted(w, s->accept);
}

static void limit(robot_writer *w, const char **between, const char *key, double x)
{
    if (isinf(x)) return;
    put(&w->out, "%s%s: ", *between, key);
    put_shortest(&w->out, x);
    *between = ", ";
}

static void limits(robot_writer *w, const arne_joint_spec *s)
{
    if (isinf(s->lower) && isinf(s->upper) && isinf(s->velocity) && isinf(s->effort)) return;
    const char *between = "";
    put(&w->out, "    limits: {");
    limit(w, &between, "lower", s->lower);
    limit(w, &between, "upper", s->upper);
    limit(w, &between, "velocity", s->velocity);
    limit(w, &between, "effort", s->effort);
    put(&w->out, "%s}\n", s->soft ? ", soft: true" : "");
}

static void friction(robot_writer *w, double viscous, double positive, double negative)
{
    const double both[2] = {positive, negative};
    if (viscous == 0 && positive == 0 && negative == 0) return;
    put(&w->out, "    friction: {viscous: ");
    put_shortest(&w->out, viscous);
    put(&w->out, ", coulomb: ");
    write_yaml_list(w, 2, both);
    put(&w->out, "}\n");
}

static void write_yaml_start(robot_writer *w, const arne_joint_spec *s)
{
    int last = 0;
    write_yaml_number(w, "start", s->start, 0);
    for (int i = 0; i < 7; i++)
        if (s->starts[i] != 0) last = i + 1;
    if (s->start != 0 || last == 0) return;
    put(&w->out, "    start: ");
    write_yaml_list(w, last, s->starts);
    put(&w->out, "\n");
}

static void sine(robot_writer *w, const double *y)
{
    static const char *const keys[] = {"amplitude", "frequency", "phase", "offset"};
    put(&w->out, "{");
    for (int i = 0; i < 4; i++) {
        put(&w->out, "%s%s: ", i ? ", " : "", keys[i]);
        put_shortest(&w->out, y[i]);
    }
    put(&w->out, "}");
}

static void write_yaml_spline(robot_writer *w, const arne_function *f)
{
    put(&w->out, "{x: ");
    write_yaml_list(w, f->count, f->x);
    put(&w->out, ", y: ");
    write_yaml_list(w, f->count, f->y);
    put(&w->out, ", ends: %s", arne_spline_ends_name(f->ends));
    if (f->ends == ARNE_ENDS_CLAMPED) {
        put(&w->out, ", slopes: ");
        write_yaml_list(w, 2, f->slopes);
    }
    put(&w->out, "}");
}

void write_yaml_function(robot_writer *w, const arne_function_spec *s)
{
    const arne_function *f = &s->function;
    put(&w->out, "{");
    if (s->with) {
        put(&w->out, "joint: ");
        write_yaml_text(w, s->with);
        put(&w->out, ", ");
    }
    if (f->factor != 1) {
        put(&w->out, "factor: ");
        put_shortest(&w->out, f->factor);
        put(&w->out, ", ");
    }
    put(&w->out, "%s: ", s->times ? "times" : arne_function_kind_name(f->kind));
    if (s->times)
        write_yaml_text(w, s->times);
    else if (f->kind == ARNE_FUNCTION_SPLINE)
        write_yaml_spline(w, f);
    else if (f->kind == ARNE_FUNCTION_SINE)
        sine(w, f->y);
    else
        write_yaml_list(w, f->count, f->y);
    put(&w->out, "}");
}

static void write_yaml_follows(robot_writer *w, const char *joint)
{
    if (!builder_has_function(w->b, joint)) return;
    put(&w->out, "    follows:\n");
    for (int i = 0; i < w->b->function_count; i++)
        if (!strcmp(w->b->functions[i].joint, joint)) {
            put(&w->out, "      - ");
            write_yaml_function(w, &w->b->functions[i]);
            put(&w->out, "\n");
        }
}

// Strains, length, rest and turn of an exponential joint.
static void write_yaml_strains(robot_writer *w, const arne_joint_spec *s)
{
    if (s->kind != ARNE_JOINT_EXPONENTIAL) return;
    write_yaml_number(w, "length", s->length, 1);
    write_yaml_number(w, "turn", s->turn, 1);
    put(&w->out, "    rest: [");
    write_yaml_list(w, ARNE_STRAIN_COUNT, s->rest[0]);
    put(&w->out, ", ");
    write_yaml_list(w, ARNE_STRAIN_COUNT, s->rest[1]);
    put(&w->out, "]\n    strains:\n");
    for (int i = 0; i < w->b->strain_count; i++) {
        const arne_strain_spec *x = &w->b->strains[i];
        if (strcmp(x->joint, s->name) != 0) continue;
        put(&w->out, "      - {joint: ");
        write_yaml_text(w, x->with);
        put(&w->out, ", strain: %s, weights: ", arne_strain_name(x->strain));
        write_yaml_list(w, 2, x->weight);
        put(&w->out, "}\n");
    }
}

static void write_yaml_joint_item(robot_writer *w, const arne_joint_spec *s)
{
    write_yaml_first(w, "name", s->name);
    put(&w->out, "    kind: %s\n", arne_joint_kind_name(s->kind));
    write_yaml_named(w, "parent", s->parent);
    write_yaml_named(w, "child", s->child);
    write_yaml_pose(w, "origin", &s->origin);
    write_yaml_pose(w, "tip", &s->tip);
    if (arne_joint_kind_q_count(s->kind) > 0 && !is_vec3(s->axis, 0, 0, 1))
        vec3(w, "axis", s->axis);
    if (arne_joint_kind_facts(s->kind)->has_pitch) write_yaml_number(w, "pitch", s->pitch, 0);
    limits(w, s);
    if (s->mimic) {
        put(&w->out, "    mimic: {joint: ");
        write_yaml_text(w, s->mimic);
        put(&w->out, ", ratio: ");
        put_shortest(&w->out, s->mimic_ratio);
        put(&w->out, ", offset: ");
        put_shortest(&w->out, s->mimic_offset);
        put(&w->out, "}\n");
    }
    write_yaml_follows(w, s->name);
    write_yaml_strains(w, s);
    friction(w, s->viscous, s->coulomb_positive, s->coulomb_negative);
    write_yaml_number(w, "rotor_inertia", s->rotor_inertia, 0);
    if (s->actuation != ARNE_ACTUATION_DEFAULT)
        put(&w->out, "    passive: %s\n",
            s->actuation == ARNE_ACTUATION_PASSIVE ? "true" : "false");
    write_yaml_start(w, s);
}

static void motor_item(robot_writer *w, const arne_motor_spec *s)
{
    write_yaml_first(w, "joint", s->joint);
    if (s->name) write_yaml_named(w, "name", s->name);
    if (s->link) write_yaml_named(w, "link", s->link);
    if (!is_vec3(s->axis, 0, 0, 1)) vec3(w, "axis", s->axis);
    if (!is_vec3(s->position, 0, 0, 0)) vec3(w, "position", s->position);
    write_yaml_number(w, "gear", s->gear, 1);
    if (s->reflected) put(&w->out, "    rotor: reflected\n");
    write_yaml_number(w, "inertia", s->inertia, 0);
    write_yaml_number(w, "transverse", s->transverse, 0);
    write_yaml_number(w, "mass", s->mass, 0);
    if (s->mass_included || s->inertia_included)
        put(&w->out, "    link_contains: [%s%s%s]\n", s->mass_included ? "mass" : "",
            s->mass_included && s->inertia_included ? ", " : "",
            s->inertia_included ? "inertia" : "");
    if (!isinf(s->stiffness)) write_yaml_number(w, "stiffness", s->stiffness, INFINITY);
    write_yaml_number(w, "damping", s->damping, 0);
    friction(w, s->viscous, s->coulomb_positive, s->coulomb_negative);
    if (!isinf(s->effort) || !isinf(s->effort_rate)) {
        const char *between = "";
        put(&w->out, "    limits: {");
        limit(w, &between, "effort", s->effort);
        limit(w, &between, "effort_rate", s->effort_rate);
        put(&w->out, "}\n");
    }
}

// The first joint that a joint follows is in its mimic.
static void coupling_item(robot_writer *w, const arne_coupling_spec *s)
{
    write_yaml_first(w, s->motor ? "motor" : "joint", s->motor ? s->motor : s->joint);
    put(&w->out, "    with: {");
    write_yaml_text(w, s->with);
    put(&w->out, ": ");
    put_shortest(&w->out, s->ratio);
    put(&w->out, "}\n");
}

static void write_yaml_pair(robot_writer *w, const char *key, const double x[2])
{
    if (x[0] == 0 && x[1] == 0) return;
    put(&w->out, "    %s: ", key);
    write_yaml_list(w, 2, x);
    put(&w->out, "\n");
}

static void spring_item(robot_writer *w, const arne_spring_spec *s)
{
    write_yaml_first(w, "joint", s->joint);
    write_yaml_number(w, "stiffness", s->stiffness, INFINITY);
    write_yaml_number(w, "damping", s->damping, 0);
    write_yaml_pair(w, "stiffness_more", s->stiffness_more);
    write_yaml_pair(w, "damping_more", s->damping_more);
    write_yaml_number(w, "rest", s->rest, 0);
}

static void write_yaml_loop_end(robot_writer *w, const char *key, const char *frame,
                                const arne_pose *X)
{
    if (is_here(X)) {
        write_yaml_named(w, key, frame);
        return;
    }
    put(&w->out, "    %s: {frame: ", key);
    write_yaml_text(w, frame);
    put(&w->out, ", origin: ");
    pose_value(w, X);
    put(&w->out, "}\n");
}

static void write_yaml_loop_item(robot_writer *w, const arne_loop_spec *s)
{
    write_yaml_first(w, "name", s->name);
    put(&w->out, "    kind: %s\n", arne_loop_kind_name(s->kind));
    write_yaml_loop_end(w, "predecessor", s->predecessor, &s->predecessor_origin);
    write_yaml_loop_end(w, "successor", s->successor, &s->successor_origin);
    if (!is_vec3(s->axis, 0, 0, 1)) vec3(w, "axis", s->axis);
    if (s->kind == ARNE_LOOP_ROD) write_yaml_number(w, "length", s->length, 0);
    if (s->kind == ARNE_LOOP_ROLLING) write_yaml_number(w, "radius", s->length, 0);
    if (!s->leg_link || s->leg.kind == ARNE_LEG_NONE) return;
    put(&w->out, "    leg: {kind: %s, link: ", arne_leg_kind_name(s->leg.kind));
    write_yaml_text(w, s->leg_link);
    put(&w->out, ", origin: ");
    pose_value(w, &s->leg.base);
    put(&w->out, ", crank: ");
    put_shortest(&w->out, s->leg.crank);
    put(&w->out, ", rod: ");
    put_shortest(&w->out, s->leg.rod);
    put(&w->out, ", slide: ");
    write_yaml_list(w, 3, &s->leg.slide.x);
    put(&w->out, "}\n");
}

static void contact_item(robot_writer *w, const arne_contact_spec *s)
{
    write_yaml_first(w, "link", s->link);
    if (s->name) write_yaml_named(w, "name", s->name);
    put(&w->out, "    %s: ", arne_shape_name(s->shape));
    if (s->shape == ARNE_SHAPE_POINT) {
        write_yaml_list(w, 3, &s->origin.p.x);
    } else if (arne_shape_size_count(s->shape) == 1) {
        put_shortest(&w->out, s->size[0]);
    } else {
        write_yaml_list(w, arne_shape_size_count(s->shape), s->size);
    }
    put(&w->out, "\n");
    if (s->shape != ARNE_SHAPE_POINT) write_yaml_pose(w, "origin", &s->origin);
    if (!is_vec3(s->axis, 0, 0, 1)) vec3(w, "axis", s->axis);
    if (s->friction >= 0) write_yaml_number(w, "friction", s->friction, -1);
    if (s->tyre[0] == 0) return;
    put(&w->out, "    tyre: {longitudinal: ");
    put_shortest(&w->out, s->tyre[0]);
    put(&w->out, ", lateral: ");
    put_shortest(&w->out, s->tyre[1]);
    put(&w->out, "}\n");
}

static void write_yaml_frame_item(robot_writer *w, const frame_spec *s)
{
    write_yaml_first(w, "name", s->name);
    write_yaml_named(w, "link", s->body);
    write_yaml_pose(w, "origin", &s->pose);
}

void write_yaml(robot_writer *w)
{
    const arne_builder *b = w->b;
    header(w);
#define SECTION(title, count, item, specs)                                                         \
    if ((count) > 0) put(&w->out, "\n" title ":\n");                                               \
    for (int i = 0; i < (count); i++)                                                              \
        item(w, &(specs)[i]);
    SECTION("bodies", b->body_count, body_item, b->bodies)
    SECTION("joints", b->joint_count, write_yaml_joint_item, b->joints)
    SECTION("frames", b->frame_count, write_yaml_frame_item, b->frames)
    SECTION("motors", b->motor_count, motor_item, b->motors)
    SECTION("couplings", b->coupling_count, coupling_item, b->couplings)
    SECTION("elastic", b->spring_count, spring_item, b->springs)
    SECTION("loops", b->loop_count, write_yaml_loop_item, b->loops)
    SECTION("contacts", b->contact_count, contact_item, b->contacts)
    SECTION("wraps", b->wrap_count, write_yaml_wrap, b->wraps)
    SECTION("muscles", b->muscle_count, write_yaml_muscle, b->muscles)
#undef SECTION
}
