// Folders whose summary has no list: of a run that was made before runs had one, or that was killed
// on its way.
//
// Names that runs write are known. Of copies in inputs/ those are known that something known names:
// the summary its robot, the scenario or problem (a file that names the robot) its tables, a robot
// the one it extends.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "io/run_list.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const FILES[] = {"result.csv",         "summary.json",   "report.html",
                                    "control_points.csv", "iterations.csv", "multipliers.csv",
                                    "stride.csv",         "checkpoint.csv", "impacts.csv",
                                    "fatigue.csv",        "table.csv",      "table.h5",
                                    "parameters.csv",     "motion.csv",     "friction.csv",
                                    "robot.yaml",         "robot.urdf",     NULL};

// The name itself or, where temporary files count, with the six letters behind it that they have.
static int is_known_file(const char *name, int temporary)
{
    for (const char *const *f = FILES; *f; f++) {
        const size_t length = strlen(*f);
        if (strncmp(name, *f, length) != 0) continue;
        if (!name[length]) return 1;
        if (temporary && name[length] == '.' && strlen(name + length) == 7) return 1;
    }
    return 0;
}

// "07-torque-rates.svg" or .png
static int is_plot(const char *name)
{
    const size_t digits = strspn(name, "0123456789"), length = strlen(name);
    if (digits < 2 || length < digits + 4) return 0;
    const char *end = name + length - 4;
    return strspn(name + digits, "-abcdefghijklmnopqrstuvwxyz0123456789") >=
               (size_t)(end - name) - digits &&
           (strcmp(end, ".svg") == 0 || strcmp(end, ".png") == 0);
}

int run_before_has(const run_list *list, const char *name)
{
    const int killed = list->state == RUN_PARTIAL;
    if (strncmp(name, "plots/", 6) == 0) return killed || is_plot(name + 6);
    if (strncmp(name, "inputs/", 7) == 0) {
        for (int i = 0; i < list->input_count; i++)
            if (strcmp(list->inputs[i], name) == 0) return 1;
        // Meshes lie in folders of their own.
        return killed && (list->said || !strchr(name + 7, '/'));
    }
    return is_known_file(name, killed);
}

// ---- inputs ----

typedef struct input {
    char    *name; // "inputs/..."
    int      known;
    document tree;
} input;

typedef struct input_list {
    const char *dir;
    input      *items;
    int         count;
} input_list;

static int run_before_collect(void *context, const folder_item *item)
{
    input_list *all = context;
    if (item->kind != FOLDER_FILE || strncmp(item->name, "inputs/", 7) != 0) return 0;
    input *items = realloc(all->items, ((size_t)all->count + 1) * sizeof *items);
    if (items) all->items = items;
    char *name = items ? arne_join(item->name, "", "") : NULL;
    if (!name) {
        errno = ENOMEM;
        return -1;
    }
    items[all->count++] = (input){.name = name};
    return 0;
}

// YAML is what can name other files; the rest has an empty tree.
static arne_status run_before_parse(const input_list *all, input *in)
{
    arne_error   ignored;
    size_t       size = 0;
    const size_t length = strlen(in->name);
    char        *text = NULL, *path = arne_join(all->dir, "/", in->name);
    if (!path) return ARNE_NO_MEMORY;
    const reader r = {.file = path, .named = 1, .error = &ignored};
    arne_status  status = ARNE_OK;
    if (length > 5 && strcmp(in->name + length - 5, ".yaml") == 0) {
        status = arne_reader_load(&r, &text, &size);
        if (!status) status = document_parse(&r, text, size, &in->tree);
    }
    free(text);
    free(path);
    return status == ARNE_NO_MEMORY ? status : ARNE_OK;
}

// Marks the input that is meant by a text, with or without its folder. Returns how many are new.
static int run_before_mark(input_list *all, const char *text)
{
    int count = 0;
    for (int i = 0; i < all->count; i++) {
        input *in = &all->items[i];
        if (in->known || (strcmp(in->name, text) != 0 && strcmp(in->name + 7, text) != 0)) continue;
        in->known = 1;
        count++;
    }
    return count;
}

static int mark_texts(input_list *all, const doc_node *node, int depth)
{
    int count = 0;
    if (!node || depth > ARNE_READ_MAX_DEPTH) return 0;
    if (node->kind == DOC_TEXT) return run_before_mark(all, node->text);
    for (const doc_item *i = node->first; i; i = i->next)
        count += mark_texts(all, i->value, depth + 1);
    return count;
}

// A scenario or problem names a robot that is known.
static int names_known_robot(const input_list *all, const input *in)
{
    const doc_node *root = in->tree.root;
    const doc_node *robot = root && root->kind == DOC_MAP ? doc_find(root, "robot") : NULL;
    for (int i = 0; robot && robot->kind == DOC_TEXT && i < all->count; i++)
        if (all->items[i].known && strcmp(all->items[i].name + 7, robot->text) == 0) return 1;
    return 0;
}

static void spread(input_list *all, const doc_node *summary)
{
    int more = mark_texts(all, summary, 0);
    while (more) {
        more = 0;
        for (int i = 0; i < all->count; i++) {
            input *in = &all->items[i];
            if (!in->known && names_known_robot(all, in)) more += in->known = 1;
            if (in->known) more += mark_texts(all, in->tree.root, 0);
        }
    }
}

arne_status run_before_inputs(run_list *list, const char *dir, arne_error *error)
{
    input_list all = {.dir = dir};
    // A folder that cannot be read has no known inputs.
    const int   walked = arne_folder_walk(dir, run_before_collect, &all);
    arne_status status = walked != 0 && errno == ENOMEM ? ARNE_NO_MEMORY : ARNE_OK;
    for (int i = 0; i < all.count && !status; i++)
        status = run_before_parse(&all, &all.items[i]);
    if (!status) spread(&all, list->tree.root);
    list->inputs = status ? NULL : calloc((size_t)all.count + 1, sizeof *list->inputs);
    if (!status && !list->inputs) status = ARNE_NO_MEMORY;
    for (int i = 0; i < all.count; i++) {
        if (!status && all.items[i].known)
            list->inputs[list->input_count++] = all.items[i].name;
        else
            free(all.items[i].name);
        document_free(&all.items[i].tree);
    }
    free(all.items);
    return status ? arne_fail_memory(error) : ARNE_OK;
}
