// The top of a YAML robot file: its sections, in the order in which they build upon each other.
#include "io/yaml_robot.h"
#include "base/error.h"
#include "robot/builder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

yaml_owner arne_yaml_owner(const char *what, const char *name)
{
    yaml_owner owner;
    snprintf(owner.text, sizeof owner.text, "%s '%.120s'", what, name);
    return owner;
}

arne_status arne_yaml_ignore(const yaml_slot *slot, void *unused)
{
    (void)slot, (void)unused;
    return ARNE_OK;
}

static arne_status read_item(const yaml_slot *entry, const char *key, yaml_read_item read,
                             void *context)
{
    const char *name = NULL;
    arne_status status = arne_yaml_expect(entry, YAML_MAP);
    if (status) return status;
    const yaml_slot named = {entry->reader, entry->key, key, arne_yaml_find(entry->value, key)};
    if (!named.value)
        return arne_reader_fail(entry->reader, ARNE_VALUE, entry->value->line,
                                "%s: a %s is missing", entry->key, key);
    status = arne_yaml_text(&named, &name);
    return status ? status : read(entry, name, context);
}

arne_status arne_yaml_each(const yaml_slot *list, const char *key, yaml_read_item read,
                           void *context)
{
    arne_status status = arne_yaml_expect(list, YAML_LIST);
    int         number = 0;
    for (const yaml_item *i = status ? NULL : list->value->first; i && !status; i = i->next) {
        char where[64];
        snprintf(where, sizeof where, "%s[%d]", list->key, number++);
        const yaml_slot entry = {list->reader, "", where, i->value};
        status = read_item(&entry, key, read, context);
    }
    return status;
}

// ---- small sections

static arne_status read_name(const yaml_slot *section)
{
    const char       *name = NULL;
    const arne_status status = arne_yaml_text(section, &name);
    if (status) return status;
    return arne_reader_check(section->reader, arne_builder_set_name(section->reader->builder, name),
                             section->value->line);
}

static arne_status read_gravity(const yaml_slot *section)
{
    arne_vec3         gravity;
    const arne_status status = arne_yaml_vec3(section, &gravity);
    if (status) return status;
    return arne_reader_check(section->reader,
                             arne_builder_set_gravity(section->reader->builder, gravity),
                             section->value->line);
}

static arne_status read_base(const yaml_slot *section)
{
    static const char *const words[] = {"fixed", "prescribed", "free", NULL};
    static const arne_base   bases[] = {ARNE_BASE_FIXED, ARNE_BASE_PRESCRIBED, ARNE_BASE_FREE};
    int                      chosen = 0;
    const arne_status        status = arne_yaml_choice(section, words, &chosen);
    if (status) return status;
    return arne_reader_check(section->reader,
                             arne_builder_set_base(section->reader->builder, bases[chosen]),
                             section->value->line);
}

typedef struct frame_keys {
    const char *link;
    arne_pose   pose;
} frame_keys;

static arne_status read_frame(const yaml_slot *item, const char *name, void *context)
{
    static const yaml_field fields[] = {
        {"name", arne_yaml_ignore, 0},
        {"link", arne_yaml_text, offsetof(frame_keys, link)},
        {"origin", arne_yaml_pose, offsetof(frame_keys, pose)},
        YAML_FIELDS_END,
    };
    (void)context;
    const yaml_owner owner = arne_yaml_owner("frame", name);
    const yaml_slot  map = {item->reader, owner.text, "", item->value};
    const arne_place place = {item->reader->file, item->value->line};
    frame_keys       spec = {NULL, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    arne_status      status = arne_yaml_fields(&map, fields, &spec);
    if (!status && !spec.link)
        return arne_reader_fail(item->reader, ARNE_VALUE, place.line, "%s: a link is missing",
                                owner.text);
    if (!status)
        status = arne_builder_add_frame(item->reader->builder, name, spec.link, &spec.pose, place,
                                        item->reader->error);
    return arne_reader_check(item->reader, status, place.line);
}

static arne_status read_frames(const yaml_slot *section)
{
    return arne_yaml_each(section, "name", read_frame, NULL);
}

// ---- extends

// A path that is not absolute starts where this file is.
static char *path_beside(const char *file, const char *path)
{
    const char  *slash = strrchr(file, '/');
    const size_t folder = *path != '/' && slash ? (size_t)(slash - file) + 1 : 0;
    const size_t size = strlen(path) + 1;
    char        *joined = malloc(folder + size);
    if (joined) {
        memcpy(joined, file, folder);
        memcpy(joined + folder, path, size);
    }
    return joined;
}

static arne_status read_extends(const yaml_slot *section)
{
    reader           *r = section->reader;
    const char       *path = NULL;
    const arne_status status = arne_yaml_text(section, &path);
    if (status) return status;
    if (r->extends == ARNE_READ_MAX_EXTENDS)
        return arne_yaml_fail(section, ARNE_TOO_LARGE,
                              "goes through more than %d files (in a circle?)",
                              ARNE_READ_MAX_EXTENDS);
    char *file = path_beside(r->file, path);
    if (!file) return arne_fail_memory(r->error);
    reader extended = {r->builder, file, r->error, r->extends + 1, r->unknown_count, 0, NULL};
    const arne_status result = arne_reader_file(&extended);
    r->unknown_count = extended.unknown_count;
    free(file);
    if (result != ARNE_FILE || !r->error || r->error->line) return result;
    const arne_error why = *r->error; // of a file that cannot be read this one's line is the place
    return arne_yaml_fail(section, result, "'%.80s': %s", path, why.text);
}

// ---- scale

typedef struct scale_keys {
    double length, mass;
} scale_keys;

static arne_status read_scale(const yaml_slot *section)
{
    static const yaml_field fields[] = {
        {"length", arne_yaml_number, offsetof(scale_keys, length)},
        {"mass", arne_yaml_number, offsetof(scale_keys, mass)},
        YAML_FIELDS_END,
    };
    arne_builder   *builder = section->reader->builder;
    const yaml_slot map = {section->reader, "scale", "", section->value};
    scale_keys      scale = {1, 1};
    arne_status     status = arne_yaml_fields(&map, fields, &scale);
    if (status) return status;
    if (!section->reader->amends)
        return arne_yaml_fail(section, ARNE_VALUE, "is for what the file extends; it extends none");
    if (arne_builder_scale(builder, scale.length, scale.mass) != ARNE_OK)
        return arne_yaml_fail(section, ARNE_VALUE, "must be positive");
    return ARNE_OK;
}

int arne_yaml_beside(const yaml_node *root, const char *file, char *name, size_t size)
{
    static const char *const own[] = {"extends", "bodies", "joints", "dh", "parallel"};
    if (!arne_yaml_find(root, "closed_loop")) return 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (arne_yaml_find(root, own[i])) return 0;
    const char  *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    const char  *start = slash ? slash + 1 : file;
    const size_t stem = dot && dot > start ? (size_t)(dot - start) : strlen(start);
    if (stem + sizeof ".urdf" > size) return 0;
    snprintf(name, size, "%.*s.urdf", (int)stem, start);
    return 1;
}

static arne_status read_beside(reader *r, const yaml_node *root)
{
    const yaml_node *loops = arne_yaml_find(root, "closed_loop");
    char             name[256];
    if (r->builder->body_count > 0 || !arne_yaml_beside(root, r->file, name, sizeof name))
        return ARNE_OK;
    const yaml_node beside = {.kind = YAML_TEXT, .line = loops->line, .text = name};
    const yaml_slot slot = {r, "", "closed_loop", &beside};
    return read_extends(&slot);
}

// ---- the file

typedef struct section {
    const char *key;
    arne_status (*read)(const yaml_slot *section); // NULL: not yet
} section;

// In the order of reading: what is extended is there before it is amended, joints before their
// friction.
static const section sections[] = {
    {"extends", read_extends},
    {"scale", read_scale},
    {"name", read_name},
    {"gravity", read_gravity},
    {"base", read_base},
    {"bodies", arne_yaml_bodies},
    {"joints", arne_yaml_joints},
    {"dh", arne_yaml_dh},
    {"parallel", arne_yaml_parallel},
    {"frames", read_frames},
    {"friction", arne_yaml_friction_section},
    {"rotors", arne_yaml_rotors},
    {"motors", arne_yaml_motors},
    {"elastic", arne_yaml_springs},
    {"loops", arne_yaml_loops},
    {"closed_loop", arne_yaml_closed_loop},
    {"type", arne_yaml_closed_loop_type},
    {"name_mot", arne_yaml_name_mot},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

static arne_status check_section(reader *r, const yaml_item *item)
{
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (strcmp(sections[i].key, item->key) != 0) continue;
        if (sections[i].read) return ARNE_OK;
        return arne_reader_fail(r, ARNE_UNSUPPORTED, item->line,
                                "section '%s' is not supported by this version", item->key);
    }
    return arne_reader_unknown(r, item->line, "unknown section '%s' is ignored", item->key);
}

static arne_status read_sections(reader *r, const yaml_node *root)
{
    arne_status status = ARNE_OK;
    r->document = root;
    for (const yaml_item *i = root->first; i && !status; i = i->next)
        status = check_section(r, i);
    if (!status) status = read_beside(r, root);
    for (int i = 0; i < SECTION_COUNT && !status; i++) {
        const yaml_node *value = arne_yaml_find(root, sections[i].key);
        const yaml_slot  slot = {r, "", sections[i].key, value};
        if (value) status = sections[i].read(&slot);
        if (i == 0) // extends, if there is one: from here on the file's own names count
            r->amends = r->builder->body_count + r->builder->joint_count > 0;
    }
    return status;
}

arne_status arne_reader_yaml(reader *r, const char *text, size_t size)
{
    yaml_tree   tree;
    arne_status status = arne_yaml_parse(r, text, size, &tree);
    if (!status && !tree.root)
        status = arne_reader_fail(r, ARNE_SYNTAX, 1, "the file is empty");
    else if (!status && tree.root->kind != YAML_MAP)
        status = arne_reader_fail(r, ARNE_SYNTAX, tree.root->line,
                                  "this is neither a URDF (XML) nor a YAML robot file: "
                                  "it has no sections such as bodies, joints or dh");
    else if (!status)
        status = read_sections(r, tree.root);
    arne_yaml_free(&tree);
    return status;
}
