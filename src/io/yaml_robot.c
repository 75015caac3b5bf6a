// The top of a YAML robot file: its sections, in the order in which they build upon each other.
#include "io/yaml_robot.h"
#include "io/formats/formats.h"
#include "io/run_folder.h"
#include "io/visual.h"
#include "io/walker.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- small sections

static arne_status read_name(const doc_slot *section, void *unused)
{
    const char       *name = NULL;
    const arne_status status = doc_text(section, &name);
    (void)unused;
    return status ? status
                  : doc_check(section, arne_builder_set_name(section->reader->builder, name));
}

static arne_status read_gravity(const doc_slot *section, void *unused)
{
    arne_vec3         gravity;
    const arne_status status = doc_vec3(section, &gravity);
    (void)unused;
    return status ? status
                  : doc_check(section, arne_builder_set_gravity(section->reader->builder, gravity));
}

const doc_word arne_yaml_bases[] = {
    {"fixed", ARNE_BASE_FIXED, NULL, NULL, NULL},
    {"prescribed", ARNE_BASE_PRESCRIBED, NULL, NULL, "it moves as it is told"},
    {"free", ARNE_BASE_FREE, NULL, NULL, "six coordinates more"},
    {0},
};

static arne_status read_base(const doc_slot *section, void *unused)
{
    const doc_word   *chosen = NULL;
    const arne_status status = doc_choice(section, arne_yaml_bases, &chosen);
    (void)unused;
    if (status) return status;
    return doc_check(section,
                     arne_builder_set_base(section->reader->builder, (arne_base)chosen->value));
}

typedef struct frame_keys {
    const char *name, *link;
    arne_pose   pose;
} frame_keys;

static const doc_key frame_key_table[] = {
    {"name", DOC_TYPE_TEXT, offsetof(frame_keys, name), .needed = 1, .help = "of the frame"},
    {"link", DOC_TYPE_TEXT, offsetof(frame_keys, link), .needed = 1, .help = "that carries it"},
    {"origin", DOC_TYPE_POSE, offsetof(frame_keys, pose), .help = "in the link's frame"},
    {0},
};
static const doc_schema frame_schema = {"frame", "name", frame_key_table, NULL};

static arne_status read_frame(const doc_slot *item, const char *name, void *context)
{
    (void)context;
    reader     *r = item->reader;
    frame_keys  spec = {NULL, NULL, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    arne_status status = doc_read_map(item, &frame_schema, &spec, 0);
    if (!spec.link) return status;
    return status_both(
        status, doc_check(item, arne_builder_add_frame(r->builder, name, spec.link, &spec.pose,
                                                       doc_place(r, item->value), r->error)));
}

// ---- extends

static int has_parts(const reader *r)
{
    return r->builder->body_count + r->builder->joint_count > 0;
}

// What was found in the extended file joins the rest. Of one that cannot be read this file's line
// is the place.
static arne_status take_findings(const doc_slot *section, const char *path, const findings *sub,
                                 arne_status result)
{
    reader *r = section->reader;
    if (result == ARNE_FILE && sub->count == 1 && sub->item[0].line == 0)
        return doc_fail(section, result, "'%.80s': %s", path, sub->item[0].text);
    for (int i = 0; i < sub->count; i++)
        if (!findings_add(r->found, &sub->item[i], sub->item[i].file, sub->item[i].text))
            return arne_fail_memory(r->error);
    return result;
}

static arne_status read_extends(const doc_slot *section, void *unused)
{
    reader           *r = section->reader;
    const char       *path = NULL;
    findings          sub = {0};
    const arne_status status = doc_text(section, &path);
    (void)unused;
    if (status) return status;
    if (r->extends == ARNE_READ_MAX_EXTENDS)
        return doc_fail(section, ARNE_TOO_LARGE, "goes through more than %d files (in a circle?)",
                        ARNE_READ_MAX_EXTENDS);
    char *file = arne_path_beside(r->file, path);
    if (!file) return arne_fail_memory(r->error);
    reader      extended = {.builder = r->builder,
                            .file = file,
                            .found = &sub,
                            .error = r->error,
                            .files = r->files,
                            .looks = r->looks,
                            .sections = r->sections,
                            .extends = r->extends + 1,
                            .unknown_count = r->unknown_count};
    arne_status result = arne_reader_file(&extended);
    r->unknown_count = extended.unknown_count;
    if (result) r->builder->incomplete = 1;
    if (result != ARNE_NO_MEMORY) result = take_findings(section, path, &sub, result);
    findings_free(&sub);
    free(file);
    r->amends = has_parts(r); // from here on the file's own names count
    return result;
}

// ---- scale

typedef struct scale_keys {
    double length, mass;
} scale_keys;

static const doc_key scale_key_table[] = {
    {"length", DOC_TYPE_NUMBER, offsetof(scale_keys, length), .range = DOC_POSITIVE,
     .otherwise = "1", .help = "times all lengths"},
    {"mass", DOC_TYPE_NUMBER, offsetof(scale_keys, mass), .range = DOC_POSITIVE, .otherwise = "1",
     .help = "times all masses"},
    {0},
};
static const doc_schema scale_schema = {"scale", NULL, scale_key_table, NULL};

static arne_status read_scale(const doc_slot *section, void *unused)
{
    const doc_slot    map = {section->reader, "scale", "", section->value};
    scale_keys        scale = {1, 1};
    const arne_status status = doc_read_map(&map, &scale_schema, &scale, 0);
    (void)unused;
    if (status) return status;
    if (!section->reader->amends)
        return doc_fail(section, ARNE_VALUE, "is for what the file extends; it extends none");
    return doc_check(section,
                     arne_builder_scale(section->reader->builder, scale.length, scale.mass));
}

int arne_yaml_beside(const doc_node *root, const char *file, char *name, size_t size)
{
    static const char *const own[] = {"extends", "bodies", "joints", "dh", "parallel"};
    if (!doc_find(root, "closed_loop")) return 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (doc_find(root, own[i])) return 0;
    const char  *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    const char  *start = slash ? slash + 1 : file;
    const size_t stem = dot && dot > start ? (size_t)(dot - start) : strlen(start);
    if (stem + sizeof ".urdf" > size) return 0;
    snprintf(name, size, "%.*s.urdf", (int)stem, start);
    return 1;
}

static arne_status read_beside(reader *r, const doc_node *root)
{
    const doc_node *loops = doc_find(root, "closed_loop");
    char            name[256];
    if (r->builder->body_count > 0 || !arne_yaml_beside(root, r->file, name, sizeof name))
        return ARNE_OK;
    const doc_node beside = {
        .kind = DOC_TEXT, .line = loops->line, .column = loops->column, .text = name};
    const doc_slot slot = {r, "", "closed_loop", &beside};
    return read_extends(&slot, NULL);
}

// ---- the file

// In the order of reading: what is extended is there before it is amended, joints before their
// friction.
static const doc_key section_table[] = {
    {"extends", DOC_TYPE_TEXT, 0, .read = read_extends,
     .help = "a robot file that this one amends"},
    {"scale", DOC_TYPE_MAP, 0, .read = read_scale, .inside = &scale_schema,
     .help = "makes the robot larger or heavier"},
    {"name", DOC_TYPE_TEXT, 0, .read = read_name, .otherwise = "robot", .help = "of the robot"},
    {"gravity", DOC_TYPE_VEC3, 0, .read = read_gravity, .unit = "m/s^2",
     .help = "free fall; default [0, 0, -9.81]"},
    {"base", DOC_TYPE_WORD, 0, .read = read_base, .words = arne_yaml_bases, .otherwise = "fixed",
     .help = "how the root is connected with the world"},
    {"bodies", DOC_TYPE_LIST, 0, .each = arne_yaml_body, .inside = &arne_yaml_body_schema,
     .help = "the links"},
    {"joints", DOC_TYPE_LIST, 0, .each = arne_yaml_joint, .inside = &arne_yaml_joint_schema,
     .help = "the joints between links"},
    {"custom_joints", DOC_TYPE_LIST, 0, .each = arne_yaml_custom_joint,
     .inside = &arne_yaml_custom_schema,
     .help = "joints of rotations and translations that are functions of coordinates"},
    {"dh", DOC_TYPE_MAP, 0, .read = arne_yaml_dh, .inside = &arne_yaml_dh_schema,
     .help = "a Denavit-Hartenberg table"},
    {"parallel", DOC_TYPE_MAP, 0, .read = arne_yaml_parallel, .inside = &arne_yaml_parallel_schema,
     .help = "a platform on legs of one kind"},
    {"frames", DOC_TYPE_LIST, 0, .each = read_frame, .inside = &frame_schema,
     .help = "named places on links"},
    {"fatigue", DOC_TYPE_SKIP, 0, .takes = "by joint",
     .help = "by joint: rates of fatigue and recovery, for plans; as in problem files"},
    {"strength", DOC_TYPE_SKIP, 0, .takes = "by joint",
     .help = "by joint: torque limits as functions of angle and velocity, for plans; as in problem "
             "files"},
    {"walker", DOC_TYPE_MAP, 0, .read = walker_check, .inside = &walker_schema,
     .help = "joints and frames of a walking person, for problems with `gait`"},
    {"friction", DOC_TYPE_NAMES, 0, .read = arne_yaml_friction_section,
     .inside = &arne_yaml_friction, .help = "by joint"},
    {"rotors", DOC_TYPE_NAMES, 0, .read = arne_yaml_rotors, .inside = &arne_yaml_rotor_schema,
     .help = "by joint: the reflected inertia, or that of the rotor and its gear"},
    {"motors", DOC_TYPE_LIST, 0, .each = arne_yaml_motor, .inside = &arne_yaml_motor_schema,
     .help = "motors of joints, with rotors and gears"},
    {"couplings", DOC_TYPE_LIST, 0, .each = arne_yaml_coupling,
     .inside = &arne_yaml_coupling_schema,
     .help = "joints that follow several others, and motors that turn several joints"},
    {"elastic", DOC_TYPE_LIST, 0, .each = arne_yaml_spring, .inside = &arne_yaml_spring_schema,
     .help = "springs between links"},
    {"loops", DOC_TYPE_LIST, 0, .each = arne_yaml_loop, .inside = &arne_yaml_loop_schema,
     .help = "joints that close kinematic loops"},
    {"contacts", DOC_TYPE_LIST, 0, .read = arne_yaml_contacts, .inside = &arne_yaml_contact_schema,
     .help = "contact shapes of links; they replace those of the extended file"},
    {"wraps", DOC_TYPE_LIST, 0, .read = arne_yaml_wraps, .inside = &arne_yaml_wrap_schema,
     .help = "surfaces that muscles wrap"},
    {"muscles", DOC_TYPE_LIST, 0, .read = arne_yaml_muscles, .inside = &arne_yaml_muscle_schema,
     .help = "muscles, ligaments and springs along paths"},
    {"closed_loop", DOC_TYPE_LIST, 0, .read = arne_yaml_closed_loop,
     .takes = "a list of pairs of frames", .help = "of a file beside a URDF"},
    {"type", DOC_TYPE_LIST, 0, .read = arne_yaml_closed_loop_type, .takes = "a list of 3d or 6d",
     .help = "of closed_loop"},
    {"joint_name", DOC_TYPE_LIST, 0, .read = arne_yaml_joint_name, .takes = "a list of joints",
     .help = "joints of a URDF whose kind differs from the file"},
    {"joint_type", DOC_TYPE_LIST, 0, .read = arne_yaml_joint_type,
     .takes = "a list of SPHERICAL, CARDAN or FIXED", .help = "of joint_name"},
    {"name_mot", DOC_TYPE_LIST, 0, .read = arne_yaml_name_mot, .takes = "a list of joints",
     .help = "that are active"},
    {0},
};
const doc_schema arne_yaml_robot_schema = {"robot", NULL, section_table, NULL};

arne_status arne_reader_robot(reader *r, document *doc)
{
    const doc_slot root = {r, "", "", doc->root};
    arne_status    status = ARNE_OK;
    if (!doc->root) return arne_reader_fail(r, ARNE_SYNTAX, 1, "the file is empty");
    if (doc->root->kind != DOC_MAP)
        return arne_reader_fail_at(r, ARNE_SYNTAX, doc->root->line, doc->root->column,
                                   "this is neither a URDF (XML) nor a YAML robot file: "
                                   "it has no sections such as bodies, joints or dh");
    r->document = doc;
    r->amends = has_parts(r);
    status = read_beside(r, doc->root);
    if (status_goes_on(status))
        status = status_both(status, doc_read_map(&root, &arne_yaml_robot_schema, NULL, 0));
    if (r->looks && status_goes_on(status))
        status = status_both(status, yaml_visuals(r, doc->root, r->looks));
    if (r->sections && status_goes_on(status) && !robot_sections_add(r->sections, r->file, doc))
        status = arne_fail_memory(r->error);
    return status;
}

arne_status yaml_read(reader *r, const char *text, size_t size)
{
    document    doc = {0};
    arne_status status = document_parse(r, text, size, &doc);
    if (!status || (status == ARNE_VALUE && doc.root)) // a key that is there twice leaves the rest
        status = status_both(status, arne_reader_robot(r, &doc));
    r->document = NULL;
    document_free(&doc);
    return status;
}
