// Denavit-Hartenberg tables: every row is a joint and the link behind it.
//
// The transform of a row is root * DH(row), where root is constant: that of the row, behind that of
// the table for a row that starts at the base.
#include "io/yaml_robot.h"
#include "math/lower.h"
#include "robot/builder.h"
#include <string.h>

typedef enum dh_form { DH_STANDARD, DH_CRAIG, DH_KHALIL } dh_form;

typedef struct dh_row {
    arne_joint_spec joint;
    arne_body_spec  body;
    int             link_known; // the body is there already
    double          theta, d, a, alpha, gamma, b, r;
    arne_pose       root;
} dh_row;

typedef struct dh_table {
    dh_form     form;
    int         bodies_known; // there were bodies before this table
    const char *base;         // the body that the first row starts from
    const char *previous;     // the link of the row before
    arne_pose   root;
} dh_table;

static const arne_pose identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

// What is known about a body from elsewhere: the bodies of this file, or a file that it extends.
static int find_body(const dh_table *table, const reader *r, const char *name, arne_body_spec *spec)
{
    return table->bodies_known && arne_builder_get_body(r->builder, name, spec) == ARNE_OK;
}

static arne_status read_row_fields(const yaml_slot *map, dh_row *row)
{
    static const yaml_field fields[] = {
        {"joint", arne_yaml_ignore, 0},
        {"link", arne_yaml_text, offsetof(dh_row, joint.child)},
        {"parent", arne_yaml_text, offsetof(dh_row, joint.parent)},
        {"kind", arne_yaml_kind, offsetof(dh_row, joint.kind)},
        {"pitch", arne_yaml_number, offsetof(dh_row, joint.pitch)},
        {"root", arne_yaml_pose, offsetof(dh_row, root)},
        {"theta", arne_yaml_number, offsetof(dh_row, theta)},
        {"d", arne_yaml_number, offsetof(dh_row, d)},
        {"a", arne_yaml_number, offsetof(dh_row, a)},
        {"alpha", arne_yaml_number, offsetof(dh_row, alpha)},
        {"gamma", arne_yaml_number, offsetof(dh_row, gamma)},
        {"b", arne_yaml_number, offsetof(dh_row, b)},
        {"r", arne_yaml_number, offsetof(dh_row, r)},
        {"limits", arne_yaml_limits, offsetof(dh_row, joint)},
        {"mimic", arne_yaml_mimic, offsetof(dh_row, joint)},
        {"friction", arne_yaml_friction, offsetof(dh_row, joint)},
        {"rotor_inertia", arne_yaml_number, offsetof(dh_row, joint.rotor_inertia)},
        {"passive", arne_yaml_passive, offsetof(dh_row, joint.actuation)},
        {"active", arne_yaml_active, offsetof(dh_row, joint.actuation)},
        {"start", arne_yaml_number, offsetof(dh_row, joint.start)},
        {"mass", arne_yaml_number, offsetof(dh_row, body.mass)},
        {"com", arne_yaml_vec3, offsetof(dh_row, body.com)},
        {"inertia", arne_yaml_inertia, offsetof(dh_row, body)},
        {"inertia_about", arne_yaml_inertia_about, offsetof(dh_row, body.about_origin)},
        {"accept", arne_yaml_accept, offsetof(dh_row, body.accept)},
        YAML_FIELDS_END,
    };
    return arne_yaml_fields(map, fields, row);
}

static arne_status refuse(const yaml_slot *map, const char *key, const char *why)
{
    const yaml_node *value = arne_yaml_find(map->value, key);
    const yaml_slot  slot = {map->reader, map->owner, key, value ? value : map->value};
    return arne_yaml_fail(&slot, ARNE_VALUE, "%s", why);
}

// A parameter of another form is a mistake, not something to pass over.
static arne_status check_row(const yaml_slot *map, dh_form form, arne_joint_kind kind)
{
    static const char *const khalil_only[] = {"gamma", "b", "r"};
    if (kind == ARNE_JOINT_BALL || kind == ARNE_JOINT_UNIVERSAL || kind == ARNE_JOINT_PLANAR ||
        kind == ARNE_JOINT_FREE)
        return refuse(map, "kind", "must turn about or slide along one axis in a dh table");
    if (kind != ARNE_JOINT_HELICAL && arne_yaml_find(map->value, "pitch"))
        return refuse(map, "pitch", "is for helical joints only");
    if (form == DH_KHALIL && arne_yaml_find(map->value, "a"))
        return refuse(map, "a",
                      "is not a parameter of a khalil table (gamma, b, alpha, d, theta, r)");
    for (int i = 0; i < 3; i++)
        if (form != DH_KHALIL && arne_yaml_find(map->value, khalil_only[i]))
            return refuse(
                map, khalil_only[i],
                "is not a parameter of this table (theta, d, a, alpha); is it `table: khalil`?");
    return ARNE_OK;
}

static arne_pose after(const arne_pose *A, const arne_pose *B)
{
    const pose first = pose_lift(*A), second = pose_lift(*B), both = pose_mul(&first, &second);
    return lower_pose(&both);
}

static void place_joint(const dh_table *table, dh_row *row)
{
    arne_joint_spec *joint = &row->joint;
    if (table->form == DH_STANDARD)
        arne_dh_standard(joint, row->theta, row->d, row->a, row->alpha);
    else if (table->form == DH_CRAIG)
        arne_dh_modified(joint, 0, 0, row->alpha, row->a, row->theta, row->d);
    else
        arne_dh_modified(joint, row->gamma, row->b, row->alpha, row->d, row->theta, row->r);
    joint->origin = after(&row->root, &joint->origin);
    if (strcmp(joint->parent, table->base) == 0)
        joint->origin = after(&table->root, &joint->origin);
}

// The row starts from what is known about its link, if anything is.
static arne_status begin_row(const yaml_slot *map, const dh_table *table, dh_row *row)
{
    const yaml_node *link = arne_yaml_find(map->value, "link");
    const arne_place place = {map->reader->file, map->value->line};
    if (!link)
        return arne_reader_fail(map->reader, ARNE_VALUE, place.line, "%s: a link is missing",
                                map->owner);
    *row = (dh_row){.joint = arne_joint_spec_default(), .root = identity};
    row->joint.place = place;
    row->link_known =
        link->kind == YAML_TEXT && find_body(table, map->reader, link->text, &row->body);
    if (!row->link_known) {
        row->body = arne_body_spec_default();
        row->body.place = place;
    }
    return arne_yaml_begin_inertial(map, &row->body);
}

static arne_status add_row(const yaml_slot *map, dh_row *row)
{
    reader *r = map->reader;
    row->body.name = row->joint.child;
    arne_status status = row->link_known ? arne_builder_set_body(r->builder, &row->body, r->error)
                                         : arne_builder_add_body(r->builder, &row->body, r->error);
    if (!status) status = arne_builder_add_joint(r->builder, &row->joint, r->error);
    return arne_reader_check(r, status, map->value->line);
}

static arne_status read_row(const yaml_slot *item, const char *name, void *context)
{
    dh_table        *table = context;
    const yaml_owner owner = arne_yaml_owner("joint", name);
    const yaml_slot  map = {item->reader, owner.text, "", item->value};
    dh_row           row;
    arne_status      status = begin_row(&map, table, &row);
    if (!status) status = read_row_fields(&map, &row);
    if (!status) status = check_row(&map, table->form, row.joint.kind);
    if (status) return status;
    row.joint.name = name;
    if (!row.joint.parent) row.joint.parent = table->previous;
    place_joint(table, &row);
    table->previous = row.joint.child;
    return add_row(&map, &row);
}

// ---- the section

typedef struct dh_section {
    int         modified, khalil;
    const char *base;
    arne_pose   root;
} dh_section;

static arne_status read_convention(const yaml_slot *slot, void *modified)
{
    static const char *const words[] = {"standard", "modified", NULL};
    return arne_yaml_choice(slot, words, modified);
}

static arne_status read_table(const yaml_slot *slot, void *khalil)
{
    static const char *const words[] = {"craig", "khalil", NULL};
    return arne_yaml_choice(slot, words, khalil);
}

static arne_status read_section(const yaml_slot *section, dh_section *out)
{
    static const yaml_field fields[] = {
        {"convention", read_convention, offsetof(dh_section, modified)},
        {"table", read_table, offsetof(dh_section, khalil)},
        {"base", arne_yaml_text, offsetof(dh_section, base)},
        {"root", arne_yaml_pose, offsetof(dh_section, root)},
        {"rows", arne_yaml_ignore, 0},
        YAML_FIELDS_END,
    };
    const yaml_slot   map = {section->reader, "dh", "", section->value};
    const arne_status status = section->value->kind == YAML_MAP
                                   ? arne_yaml_fields(&map, fields, out)
                                   : arne_yaml_expect(section, YAML_MAP);
    if (status) return status;
    if (!arne_yaml_find(section->value, "convention"))
        return arne_yaml_fail(section, ARNE_VALUE, "needs a convention: standard or modified");
    if (!out->modified && arne_yaml_find(section->value, "table"))
        return refuse(&map, "table", "is for the modified convention only");
    if (!arne_yaml_find(section->value, "rows"))
        return arne_yaml_fail(section, ARNE_VALUE, "needs rows");
    return ARNE_OK;
}

// The body that the table stands on is made here, unless it is there already.
static arne_status add_base(const yaml_slot *section, const dh_table *table)
{
    reader        *r = section->reader;
    const int      line = section->value->line;
    arne_body_spec spec;
    if (find_body(table, r, table->base, &spec)) return ARNE_OK;
    spec = arne_body_spec_default();
    spec.name = table->base;
    spec.place = (arne_place){r->file, line};
    return arne_reader_check(r, arne_builder_add_body(r->builder, &spec, r->error), line);
}

arne_status arne_yaml_dh(const yaml_slot *section)
{
    dh_section  dh = {.base = "base", .root = identity};
    arne_status status = read_section(section, &dh);
    if (status) return status;
    dh_table table = {
        .form = !dh.modified ? DH_STANDARD
                : dh.khalil  ? DH_KHALIL
                             : DH_CRAIG,
        .bodies_known = section->reader->builder->body_count > 0,
        .base = dh.base,
        .previous = dh.base,
        .root = dh.root,
    };
    const yaml_slot rows = {section->reader, "", "rows", arne_yaml_find(section->value, "rows")};
    status = add_base(section, &table);
    return status ? status : arne_yaml_each(&rows, "joint", read_row, &table);
}
