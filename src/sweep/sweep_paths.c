// The run's files as trees, and parameters by path in them. A row writes its values into the trees;
// then these are interpreted, as the files are.
#include "base/decimal.h"
#include "io/named_file.h"
#include "io/run_folder.h"
#include "sweep/sweep.h"
#include <arne/document.h>
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the trees

static arne_status load_tree(arne_sweep *s, const char *path, document *out)
{
    reader      r = {.file = path, .named = 1, .found = &s->found, .error = s->reader.error};
    arne_status status = sweep_add_input(s, path);
    return status ? status : document_load(&r, out);
}

// A document that extends the robot's file has a name of its own, for messages.
static arne_status name_edited(arne_sweep *s)
{
    s->robot_name = arne_join(s->robot_path, " (edited)", "");
    s->given.robot_file = s->robot_name;
    return s->robot_name ? ARNE_OK : arne_fail_memory(s->reader.error);
}

static arne_status load_robot(arne_sweep *s, const doc_slot *at)
{
    const doc_node *said = s->run_tree.root ? doc_find(s->run_tree.root, "robot") : NULL;
    char           *text = NULL;
    size_t          size = 0;
    int             extends = 0;
    if (!said || said->kind != DOC_TEXT)
        return s->kind == SWEEP_COMPUTE ? doc_missing(at, "robot")
                                        : ARNE_OK; // the reader will say so
    s->robot_path = arne_path_beside(s->run_path, said->text);
    if (!s->robot_path) return arne_fail_memory(s->reader.error);
    reader         run = {.file = s->run_path, .found = &s->found, .error = s->reader.error};
    reader         r = {.file = s->robot_path, .named = 1, .error = s->reader.error};
    const doc_slot slot = {&run, s->kind == SWEEP_COMPUTE ? "run" : "", "robot", said};
    arne_status    status = sweep_add_input(s, s->robot_path);
    if (!status) status = doc_check(&slot, arne_reader_load(&r, &text, &size));
    r.found = &s->found;
    if (!status) status = document_of_robot(&r, text, size, &s->robot_tree, &extends);
    free(text);
    if (!status && extends) status = name_edited(s);
    s->given.robot = &s->robot_tree;
    return status;
}

static arne_status load_file(arne_sweep *s, const doc_slot *slot)
{
    arne_document kind;
    arne_status   status = doc_text(slot, &s->run_said);
    if (status) return status;
    s->run_path = arne_path_beside(s->path, s->run_said);
    if (!s->run_path) return arne_fail_memory(s->reader.error);
    status = doc_check(slot, named_file_check(s->run_path, s->reader.error));
    if (status) return status;
    status = doc_check(slot, arne_document_kind(s->run_path, &kind, s->reader.error));
    if (status) return status;
    if (kind != ARNE_DOCUMENT_SCENARIO && kind != ARNE_DOCUMENT_PROBLEM)
        return doc_fail(slot, ARNE_VALUE, "must name a scenario or a problem; '%.100s' is a %s",
                        s->run_said, arne_document_name(kind));
    s->kind = kind == ARNE_DOCUMENT_SCENARIO ? SWEEP_SCENARIO : SWEEP_PROBLEM;
    return load_tree(s, s->run_path, &s->run_tree);
}

// A quantity, in the sweep's file itself.
static arne_status load_quantity(arne_sweep *s, const doc_slot *slot)
{
    const doc_slot map = {&s->reader, "run", "", slot->value};
    const doc_slot compute = doc_under(&map, "compute");
    const char    *name = NULL;
    const document whole = {.root = (doc_node *)(size_t)slot->value};
    if (!compute.value) return doc_missing(&map, "compute");
    arne_status status = doc_text(&compute, &name);
    if (status) return status;
    s->kind = strcmp(name, "nothing") == 0 ? SWEEP_NOTHING : SWEEP_COMPUTE;
    s->run_path = arne_join(s->path, "", "");
    if (!s->run_path || document_copy(&whole, &s->run_tree))
        return arne_fail_memory(s->reader.error);
    return s->kind == SWEEP_NOTHING ? ARNE_OK : sweep_check_quantity(s);
}

arne_status sweep_read_run(arne_sweep *s)
{
    const doc_slot slot = {&s->reader, "", "run", s->run_node};
    const doc_slot map = {&s->reader, "run", "", s->run_node};
    arne_error     why;
    arne_status    status = sweep_add_input(s, s->path);
    if (!status)
        status = s->run_node->kind == DOC_MAP ? load_quantity(s, &slot) : load_file(s, &slot);
    if (s->run_tree.root && s->kind != SWEEP_NOTHING && status_goes_on(status))
        status = status_both(status, load_robot(s, &map));
    s->given.run = &s->run_tree;
    if (status || s->kind == SWEEP_NOTHING) return status;
    const int before = s->found.errors;
    status = sweep_try_run(s, &s->found, &why);
    if (status && s->found.errors == before) {
        *s->reader.error = why;
        status = doc_check(&slot, status);
    }
    return status;
}

// ---- names that paths may have

typedef struct name_list {
    char **name;
    int    count, room;
} name_list;

enum { MOST_NAMES = 20000 };

static void sweep_paths_add_name(name_list *list, const char *name)
{
    if (list->count == MOST_NAMES) return;
    if (list->count == list->room) {
        const int room = 2 * list->room + 64;
        char    **all = realloc(list->name, (size_t)room * sizeof *all);
        if (!all) return; // fewer hints
        list->name = all;
        list->room = room;
    }
    char *copy = arne_join(name, "", "");
    if (copy) list->name[list->count++] = copy;
}

// A step as paths write it: a name with dots is in quotes.
static const char *quote_of(const char *step) { return strchr(step, '.') ? "\"" : ""; }

// Everything but mappings, by path.
static void add_names(name_list *list, const doc_node *node, const char *path)
{
    int number = 0;
    if (node->kind != DOC_MAP && *path) sweep_paths_add_name(list, path);
    for (const doc_item *i = node->first; i; i = i->next, number++) {
        const doc_node *name =
            !i->key && i->value->kind == DOC_MAP ? doc_find(i->value, "name") : NULL;
        char longer[512], digits[16];
        if (!i->key && i->value->kind == DOC_MAP && !name) name = doc_find(i->value, "joint");
        snprintf(digits, sizeof digits, "%d", number);
        const char *step = i->key ? i->key : name && name->kind == DOC_TEXT ? name->text : digits;
        const char *quote = quote_of(step);
        const int   last = *path && path[strlen(path) - 1] == '.';
        if (snprintf(longer, sizeof longer, "%s%s%s%s%s", path, *path && !last ? "." : "", quote,
                     step, quote) < (int)sizeof longer)
            add_names(list, i->value, longer);
    }
}

static const char *sweep_paths_name_at(const void *list, int index)
{
    return ((const name_list *)list)->name[index];
}

// The robot as one document, whatever its file is.
static arne_status whole_robot(const arne_sweep *s, document *out)
{
    arne_robot  *robot = NULL;
    char        *text = NULL;
    size_t       size = 0;
    arne_error   ignored;
    const reader r = {.file = "", .error = &ignored};
    arne_status  status = arne_robot_read(s->robot_path, NULL, &robot, NULL);
    if (!status) status = arne_robot_text(robot, ARNE_FORMAT_YAML, NULL, NULL, &text, &size, NULL);
    if (!status) status = document_parse(&r, text, size, out);
    free(text);
    arne_robot_free(robot);
    return status;
}

// What a robot says that comes of several files, or of one that is no YAML.
static void add_robot_names(name_list *list, const arne_sweep *s)
{
    arne_robot *robot = NULL;
    document    doc = {0};
    if (arne_robot_read(s->robot_path, NULL, &robot, NULL) != ARNE_OK) return;
    const int whole = !s->robot_name && doc_find(s->robot_tree.root, "bodies");
    if (!whole && whole_robot(s, &doc) == ARNE_OK && doc.root) add_names(list, doc.root, "robot.");
    for (int j = 0; s->kind == SWEEP_SCENARIO && j < arne_robot_sizes(robot).joint_count; j++) {
        const char *joint = arne_robot_joint(robot, j).name, *quote = quote_of(joint);
        char        name[300];
        snprintf(name, sizeof name, "initial.q.%s%.250s%s", quote, joint, quote);
        sweep_paths_add_name(list, name);
    }
    document_free(&doc);
    arne_robot_free(robot);
}

static arne_status unknown_path(const arne_sweep *s, const sweep_parameter *p, const char *why)
{
    name_list known = {0};
    char      near[300];
    if (s->run_tree.root) add_names(&known, s->run_tree.root, "");
    if (s->given.robot && s->robot_tree.root) {
        add_names(&known, s->robot_tree.root, "robot.");
        add_robot_names(&known, s);
    }
    arne_near_matches(p->path, sweep_paths_name_at, &known, known.count, near, sizeof near);
    for (int i = 0; i < known.count; i++)
        free(known.name[i]);
    free(known.name);
    return arne_reader_fail_at(&s->reader, ARNE_NOT_FOUND, p->line, p->column,
                               "there is no '%.100s' in the run's files%s%s%.200s", p->path, near,
                               *why ? ": " : "", why);
}

// ---- a parameter and its place

static int is_of_robot(const char *path) { return strncmp(path, "robot.", 6) == 0; }

static int count_unknown(const findings *found)
{
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += found->item[i].rule && strcmp(found->item[i].rule, "unknown") == 0;
    return count;
}

// Unknown keys and tags that the files have as they are: no matter of a path.
static int unknown_before(arne_sweep *s)
{
    arne_error        error = {0};
    findings          found = {0};
    const arne_status status = s->unknown < 0 ? sweep_try_run(s, &found, &error) : ARNE_OK;
    if (s->unknown < 0) s->unknown = count_unknown(&found);
    s->no_memory |= status == ARNE_NO_MEMORY;
    findings_free(&found);
    return s->unknown;
}

// Whether the run can be read with this edit. *unknown: a key was not known.
static int is_readable(arne_sweep *s, int in_robot, const doc_edit *edit, int *unknown,
                       char why[256])
{
    document       copy = {0};
    arne_error     error = {0};
    findings       found = {0};
    const reader   r = {.file = s->path, .error = &error};
    document      *tree = in_robot ? &s->robot_tree : &s->run_tree;
    const document before = *tree;
    const int      before_edit = unknown_before(s);
    arne_status    status = document_copy(tree, &copy);
    if (!status) status = document_edit(&r, &copy, edit);
    if (!status) {
        *tree = copy;
        status = sweep_try_run(s, &found, &error);
        *tree = before;
    }
    const int fine = status == ARNE_OK;
    s->no_memory |= status == ARNE_NO_MEMORY;
    snprintf(why, 256, "%.250s", fine ? "" : error.text);
    *unknown = strstr(why, "unknown key") != NULL;
    *unknown |= count_unknown(&found) > before_edit;
    if (*unknown) why[0] = 0;
    findings_free(&found);
    document_free(&copy);
    return fine && !*unknown;
}

// Whether a path that is not in the files may be added to them: the reader must know the key. A
// value that makes the robot impossible is no matter of the path: then another one must do.
static int is_new_key(arne_sweep *s, const sweep_parameter *p, const doc_edit *edit, char why[256])
{
    const doc_edit one = {edit->path, "1"};
    char           ignored[256];
    int            unknown = 0;
    if (is_readable(s, is_of_robot(p->path), edit, &unknown, why)) return 1;
    return !unknown && !s->no_memory &&
           is_readable(s, is_of_robot(p->path), &one, &unknown, ignored);
}

// A number of a centre or an inertia, by its index (bodies.link2.com.0): a file that extends the
// robot's needs the others, too.
static void add_list(arne_sweep *s, const char *path)
{
    const char  *dot = strrchr(path, '.');
    arne_error   ignored;
    const reader r = {.file = s->path, .error = &ignored};
    document     whole = {0};
    buffer       value = {0};
    if (!dot || !dot[1] || strspn(dot + 1, "0123456789") != strlen(dot + 1)) return;
    char *parent = arne_join(path, "", "");
    s->no_memory |= !parent;
    if (!parent) return;
    parent[dot - path] = 0;
    const char *key = strrchr(parent, '.');
    const int   wanted = key && (strcmp(key, ".com") == 0 || strcmp(key, ".inertia") == 0) &&
                       !document_at(&s->robot_tree, parent);
    if (wanted && whole_robot(s, &whole) == ARNE_OK && whole.root) {
        const doc_node *list = document_at(&whole, parent);
        if (list && list->kind == DOC_LIST) document_put(&value, list);
        const doc_edit edit = {parent, value.text};
        if (value.text && !value.failed)
            s->no_memory |= document_edit(&r, &s->robot_tree, &edit) == ARNE_NO_MEMORY;
    }
    buffer_free(&value);
    document_free(&whole);
    free(parent);
}

// Whether all parameters of the robot may be put into a file that extends its own.
static int can_amend(arne_sweep *s)
{
    char why[256];
    for (int i = 0; i < s->parameter_count; i++) {
        const sweep_parameter *p = &s->parameters[i];
        const sweep_value      first = sweep_at(p, 0.5);
        char                   number[DECIMAL_ROOM];
        if (p->body || !is_of_robot(p->path) || first.text) continue;
        decimal_write(first.number, number);
        add_list(s, p->path + 6);
        const doc_edit edit = {p->path + 6, number};
        if (!is_new_key(s, p, &edit, why)) return 0;
    }
    return 1;
}

static arne_status check_path(arne_sweep *s, const sweep_parameter *p, const doc_edit *edit)
{
    const int       in_robot = is_of_robot(p->path);
    const document *tree = in_robot ? &s->robot_tree : &s->run_tree;
    const doc_node *node = document_at(tree, edit->path);
    char            why[256] = "";
    if (in_robot && !s->given.robot) return unknown_path(s, p, "there is no one robot to change");
    if (node && node->kind == DOC_MAP)
        return unknown_path(s, p, "it is a section, not a single value");
    if (!node && s->kind != SWEEP_NOTHING && !is_new_key(s, p, edit, why) && !s->no_memory)
        return unknown_path(s, p, why);
    return ARNE_OK;
}

// Where values by joint are a list, the name of a joint is a position in it: initial.q.joint2
// becomes initial.q.1.
static void sweep_paths_find_in_list(arne_sweep *s, const char *path, char *out, size_t size)
{
    const char *dot = strrchr(path, '.');
    arne_robot *robot = NULL;
    snprintf(out, size, "%s", path);
    if (!dot || dot == path || is_of_robot(path) || !s->robot_path) return;
    char *parent = arne_join(path, "", "");
    s->no_memory |= !parent;
    if (!parent) return;
    parent[dot - path] = 0;
    const doc_node   *list = document_at(&s->run_tree, parent);
    const int         by_place = list && list->kind == DOC_LIST && !document_at(&s->run_tree, path);
    const arne_status status =
        by_place ? arne_robot_read(s->robot_path, NULL, &robot, NULL) : ARNE_OK;
    s->no_memory |= status == ARNE_NO_MEMORY;
    if (robot) {
        const int j = arne_find_joint(robot, dot + 1);
        const int free_base = arne_robot_base(robot) == ARNE_BASE_FREE;
        const int shift = j >= 0 && free_base && list->count < arne_robot_sizes(robot).q_count
                              ? arne_robot_joint(robot, 0).q_count
                              : 0;
        if (j >= 0)
            snprintf(out, size, "%s.%d", parent, arne_robot_joint(robot, j).q_start - shift);
        if (j >= 0 && !document_at(&s->run_tree, out)) snprintf(out, size, "%s", path);
        arne_robot_free(robot);
    }
    free(parent);
}

// Puts a first value in; from then on rows only change its text.
static arne_status bind(arne_sweep *s, sweep_parameter *p)
{
    const sweep_value first = sweep_at(p, 0.5);
    const int         in_robot = is_of_robot(p->path);
    document         *tree = in_robot ? &s->robot_tree : &s->run_tree;
    buffer            value = {0};
    char              number[DECIMAL_ROOM], path[512];
    decimal_write(first.number, number);
    sweep_paths_find_in_list(s, p->path, path, sizeof path);
    if (in_robot && s->robot_name) add_list(s, path + 6);
    const doc_node text = {.kind = DOC_TEXT, .text = first.text ? first.text : number};
    document_put(&value, &text);
    const doc_edit edit = {path + (in_robot ? 6 : 0), value.text};
    s->no_memory |= value.failed;
    arne_status status = s->no_memory ? ARNE_OK : check_path(s, p, &edit);
    if (s->no_memory) status = arne_fail_memory(s->reader.error);
    if (!status) status = document_edit(&s->reader, tree, &edit);
    if (!status) p->node = (doc_node *)(size_t)document_at(tree, edit.path);
    buffer_free(&value);
    return status;
}

// Links of a table of DH parameters are no entries of bodies in their file, but may be amended by
// one that extends it: where a path is not in the robot's file, such a file stands for it.
static void extend_where_needed(arne_sweep *s)
{
    const reader r = {.file = s->path, .error = s->reader.error};
    int          missing = 0;
    for (int i = 0; i < s->parameter_count; i++) {
        const sweep_parameter *p = &s->parameters[i];
        missing |= !p->body && is_of_robot(p->path) && !document_at(&s->robot_tree, p->path + 6);
    }
    if (!missing || !s->given.robot || s->robot_name) return;
    document own = s->robot_tree;
    s->robot_tree = (document){0};
    arne_status status = document_extending(&r, s->robot_path, &s->robot_tree);
    if (!status) status = name_edited(s);
    s->no_memory |= status == ARNE_NO_MEMORY;
    if (!status && can_amend(s)) {
        document_free(&own);
        return;
    }
    document_free(&s->robot_tree);
    free(s->robot_name);
    s->robot_name = NULL;
    s->given.robot_file = NULL;
    s->robot_tree = own;
}

arne_status sweep_bind_parameters(arne_sweep *s)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < s->parameter_count && status_goes_on(status); i++)
        if (strcmp(s->parameters[i].path, "robot") == 0 && !s->parameters[i].body)
            s->given.robot = NULL;
    extend_where_needed(s);
    if (s->no_memory) return arne_fail_memory(s->reader.error);
    for (int i = 0; i < s->parameter_count && status_goes_on(status); i++)
        if (!s->parameters[i].body) status = status_both(status, bind(s, &s->parameters[i]));
    return status;
}

void sweep_set_values(arne_sweep *s, const sweep_value *values)
{
    s->row_values = values;
    for (int i = 0; i < s->parameter_count; i++) {
        sweep_parameter *p = &s->parameters[i];
        if (!p->node) continue;
        if (!values[i].text) decimal_write(values[i].number, p->text);
        p->node->text = values[i].text ? values[i].text : p->text;
    }
}
