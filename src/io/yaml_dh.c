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
static int yaml_dh_find_body(const dh_table *table, const reader *r, const char *name,
                             arne_body_spec *spec)
{
    return table->bodies_known && arne_builder_get_body(r->builder, name, spec) == ARNE_OK;
}

#define AT(field) offsetof(dh_row, field)
#define AT_JOINT(field) offsetof(dh_row, joint.field)
#define AT_BODY(field) offsetof(dh_row, body.field)
static const doc_key row_keys[] = {
    {"joint", DOC_TYPE_TEXT, AT_JOINT(name), .needed = 1, .help = "name of the joint"},
    {"link", DOC_TYPE_TEXT, AT_JOINT(child), .needed = 1, .help = "name of the link it moves"},
    {"parent", DOC_TYPE_TEXT, AT_JOINT(parent), .help = "default: the link of the row before"},
    {"kind", DOC_TYPE_WORD, AT_JOINT(kind), .word = arne_yaml_joint_kind, .otherwise = "revolute",
     .help = "of the joint"},
    {"pitch", DOC_TYPE_NUMBER, AT_JOINT(pitch), .unit = "m/rad"},
    {"root", DOC_TYPE_POSE, AT(root), .help = "constant transform before that of the row"},
    {"theta", DOC_TYPE_NUMBER, AT(theta), .unit = "rad", .otherwise = "0"},
    {"d", DOC_TYPE_NUMBER, AT(d), .unit = "m", .otherwise = "0"},
    {"a", DOC_TYPE_NUMBER, AT(a), .unit = "m", .otherwise = "0"},
    {"alpha", DOC_TYPE_NUMBER, AT(alpha), .unit = "rad", .otherwise = "0"},
    {"gamma", DOC_TYPE_NUMBER, AT(gamma), .unit = "rad", .otherwise = "0", .help = "khalil"},
    {"b", DOC_TYPE_NUMBER, AT(b), .unit = "m", .otherwise = "0", .help = "khalil"},
    {"r", DOC_TYPE_NUMBER, AT(r), .unit = "m", .otherwise = "0", .help = "khalil"},
    {"mimic", DOC_TYPE_MAP, AT(joint), .read = arne_yaml_mimic, .inside = &arne_yaml_mimic_schema,
     .help = "the joint follows another one"},
    {"start", DOC_TYPE_NUMBER, AT_JOINT(start), .unit = "rad, m"},
    DRIVE_KEYS(AT_JOINT),
    INERTIAL_KEYS(AT_BODY),
    {0},
};
#undef AT_JOINT
#undef AT_BODY
#undef AT
static const doc_schema row_schema = {"joint", "joint", row_keys, NULL};

static arne_status yaml_dh_refuse(const doc_slot *map, const char *key, const char *why)
{
    const doc_node *value = doc_find(map->value, key);
    const doc_slot  slot = {map->reader, map->owner, key, value ? value : map->value};
    return doc_fail(&slot, ARNE_VALUE, "%s", why);
}

// A parameter of the other convention is an error; it must not be ignored.
static arne_status check_row(const doc_slot *map, dh_form form, arne_joint_kind kind)
{
    static const char *const khalil_only[] = {"gamma", "b", "r"};
    if (arne_joint_kind_v_count(kind) > 1)
        return yaml_dh_refuse(map, "kind", "must turn about or slide along one axis in a dh table");
    if (!arne_joint_kind_facts(kind)->has_pitch && doc_find(map->value, "pitch"))
        return yaml_dh_refuse(map, "pitch", "is for helical joints only");
    if (form == DH_KHALIL && doc_find(map->value, "a"))
        return yaml_dh_refuse(
            map, "a", "is not a parameter of a khalil table (gamma, b, alpha, d, theta, r)");
    for (int i = 0; i < 3; i++)
        if (form != DH_KHALIL && doc_find(map->value, khalil_only[i]))
            return yaml_dh_refuse(
                map, khalil_only[i],
                "is not a parameter of this table (theta, d, a, alpha); is it `table: khalil`?");
    return ARNE_OK;
}

static arne_pose after(const arne_pose *A, const arne_pose *B)
{
    const pose first = pose_lift(*A), second = pose_lift(*B), both = pose_mul(&first, &second);
    return lower_pose(&both);
}

static void yaml_dh_place_joint(const dh_table *table, dh_row *row)
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

// The link of a row starts with the values of the body of that name, if there is one.
static arne_status begin_row(const doc_slot *map, const dh_table *table, dh_row *row)
{
    const doc_node  *link = doc_find(map->value, "link");
    const arne_place place = doc_place(map->reader, map->value);
    *row = (dh_row){.joint = arne_joint_spec_default(), .root = identity};
    row->joint.place = place;
    row->link_known = link && link->kind == DOC_TEXT &&
                      yaml_dh_find_body(table, map->reader, link->text, &row->body);
    if (!row->link_known) {
        row->body = arne_body_spec_default();
        row->body.place = place;
    }
    return arne_yaml_begin_inertial(map, &row->body);
}

static arne_status yaml_dh_add_row(const doc_slot *map, dh_row *row)
{
    reader *r = map->reader;
    row->body.name = row->joint.child;
    const arne_status status =
        doc_check(map, row->link_known ? arne_builder_set_body(r->builder, &row->body, r->error)
                                       : arne_builder_add_body(r->builder, &row->body, r->error));
    return status ? status
                  : doc_check(map, arne_builder_add_joint(r->builder, &row->joint, r->error));
}

static arne_status read_row(const doc_slot *item, const char *name, void *context)
{
    dh_table   *table = context;
    dh_row      row;
    arne_status status = begin_row(item, table, &row);
    status = status_both(status, doc_read_map(item, &row_schema, &row, 0));
    if (!status) status = check_row(item, table->form, row.joint.kind);
    if (!row.joint.child) {
        item->reader->builder->incomplete = 1;
        return status;
    }
    row.joint.name = name;
    if (!row.joint.parent) row.joint.parent = table->previous;
    yaml_dh_place_joint(table, &row);
    table->previous = row.joint.child;
    return status_both(status, yaml_dh_add_row(item, &row));
}

// ---- the section

typedef struct dh_section {
    int             modified, khalil;
    const char     *base;
    arne_pose       root;
    const doc_node *rows;
} dh_section;

static const doc_word conventions[] = {
    {"standard", 0, NULL, NULL, NULL}, {"modified", 1, NULL, NULL, NULL}, {0}};
static const doc_word tables[] = {
    {"craig", 0, NULL, NULL, NULL}, {"khalil", 1, NULL, NULL, NULL}, {0}};

static const doc_key section_keys[] = {
    {"convention", DOC_TYPE_WORD, offsetof(dh_section, modified), .needed = 1, .words = conventions,
     .help = "which Denavit-Hartenberg convention the rows follow"},
    {"table", DOC_TYPE_WORD, offsetof(dh_section, khalil), .words = tables, .otherwise = "craig",
     .help = "form of a modified table"},
    {"base", DOC_TYPE_TEXT, offsetof(dh_section, base), .otherwise = "base",
     .help = "the link that carries the first row"},
    {"root", DOC_TYPE_POSE, offsetof(dh_section, root),
     .help = "constant transform between that link and the table"},
    {"rows", DOC_TYPE_NODE, offsetof(dh_section, rows), .needed = 1, .inside = &row_schema,
     .help = "one row for each joint, from the base outward"},
    {0},
};
const doc_schema arne_yaml_dh_schema = {"dh", NULL, section_keys, NULL};

// The body that the table stands on is made here, unless it is there already.
static arne_status yaml_dh_add_base(const doc_slot *section, const dh_table *table)
{
    reader        *r = section->reader;
    arne_body_spec spec;
    if (yaml_dh_find_body(table, r, table->base, &spec)) return ARNE_OK;
    spec = arne_body_spec_default();
    spec.name = table->base;
    spec.place = doc_place(r, section->value);
    return doc_check(section, arne_builder_add_body(r->builder, &spec, r->error));
}

arne_status arne_yaml_dh(const doc_slot *section, void *unused)
{
    const doc_slot map = {section->reader, "dh", "", section->value};
    dh_section     dh = {.base = "base", .root = identity};
    (void)unused;
    arne_status status = doc_read_map(&map, &arne_yaml_dh_schema, &dh, 0);
    if (!status && !dh.modified && doc_find(section->value, "table"))
        status = yaml_dh_refuse(&map, "table", "is for the modified convention only");
    if (!dh.rows) return status;
    dh_table table = {
        .form = !dh.modified ? DH_STANDARD
                : dh.khalil  ? DH_KHALIL
                             : DH_CRAIG,
        .bodies_known = section->reader->builder->body_count > 0,
        .base = dh.base,
        .previous = dh.base,
        .root = dh.root,
    };
    const doc_slot rows = {section->reader, "", "rows", dh.rows};
    status = status_both(status, yaml_dh_add_base(section, &table));
    return status_both(status, doc_each(&rows, &row_schema, read_row, &table));
}
