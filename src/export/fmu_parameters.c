// Which numbers of a scenario and of its robot are parameters: masses, friction, springs, gravity,
// and everything of the controller and of payloads and surroundings that is a plain number of a
// key below. A parameter is named by its path, as in sweeps.
#include "base/plain.h"
#include "export/fmu_model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512 };

// Keys whose numbers, also in a list or by joint below them, are parameters.
static const char *const ROBOT_KEYS[] = {"mass",    "viscous", "coulomb", "stiffness",
                                         "damping", "gravity", NULL};
static const char *const GAIN_KEYS[] = {
    "kp",           "kd",         "stiffness",     "damping",     "position",      "attitude",
    "load_damping", "load_slope", "motor_damping", "motor_slope", "torque_limits", NULL};
static const char *const WORLD_KEYS[] = {
    "friction",  "restitution", "stiffness", "damping", "dissipation", "linear",
    "quadratic", "thrust",      "torque",    "area",    "density",     "volume",
    "wind",      "mass",        "force",     "moment",  "length",      NULL};

static int parameters_has(const char *const *keys, const char *key)
{
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

// A number without unit or tag. Texts in quotes are none.
static int plain_value(const doc_node *node, double *value)
{
    char *end = NULL;
    if (node->kind != DOC_TEXT || node->tag || !node->text[0]) return 0;
    *value = plain_number(node->text, &end);
    return !*end && isfinite(*value);
}

static void parameters_add(fmu_parameters *p, const char *path, double value)
{
    if (p->count == p->room) {
        const int      room = 2 * p->room + 64;
        fmu_parameter *all = realloc(p->all, (size_t)room * sizeof *all);
        if (!all) {
            p->failed = 1;
            return;
        }
        p->all = all;
        p->room = room;
    }
    char *copy = malloc(strlen(path) + 1);
    if (!copy) {
        p->failed = 1;
        return;
    }
    strcpy(copy, path);
    p->all[p->count++] = (fmu_parameter){copy, value};
}

// The step of a path to an entry: its key, its name, or its place. Keys with dots are found by
// edits, too.
static const char *step_to(const doc_item *item, int place, char *digits, size_t size)
{
    const doc_node *name = NULL;
    if (item->key) return item->key;
    if (item->value->kind == DOC_MAP) name = doc_find(item->value, "name");
    if (item->value->kind == DOC_MAP && !name) name = doc_find(item->value, "joint");
    if (name && name->kind == DOC_TEXT) return name->text;
    snprintf(digits, size, "%d", place);
    return digits;
}

static void parameters_walk(fmu_parameters *p, const doc_node *node, const char *path,
                            const char *const *keys, int taken)
{
    double value;
    int    place = 0;
    if (taken && plain_value(node, &value)) parameters_add(p, path, value);
    for (const doc_item *i = node->first; i; i = i->next, place++) {
        char        longer[PATH_SIZE], digits[16];
        const char *step = step_to(i, place, digits, sizeof digits);
        const int   size = snprintf(longer, sizeof longer, "%s.%s", path, step);
        if (size < (int)sizeof longer)
            parameters_walk(p, i->value, longer, keys,
                            taken || (i->key && parameters_has(keys, i->key)));
    }
}

static void parameters_section(fmu_parameters *p, const doc_node *root, const char *section,
                               const char *prefix, const char *const *keys, int taken)
{
    const doc_node *node = root && root->kind == DOC_MAP ? doc_find(root, section) : NULL;
    char            path[PATH_SIZE];
    snprintf(path, sizeof path, "%s%s", prefix, section);
    if (node) parameters_walk(p, node, path, keys, taken);
}

void fmu_parameters_collect(fmu_parameters *p, const doc_node *scenario, const doc_node *robot)
{
    static const char *const of_robot[] = {"bodies", "joints", "motors", "elastic", NULL};
    const int own_gravity = scenario && scenario->kind == DOC_MAP && doc_find(scenario, "gravity");
    for (int i = 0; of_robot[i]; i++)
        parameters_section(p, robot, of_robot[i], "robot.", ROBOT_KEYS, 0);
    if (own_gravity)
        parameters_section(p, scenario, "gravity", "", ROBOT_KEYS, 1);
    else
        parameters_section(p, robot, "gravity", "robot.", ROBOT_KEYS, 1);
    parameters_section(p, scenario, "controller", "", GAIN_KEYS, 0);
    parameters_section(p, scenario, "surroundings", "", WORLD_KEYS, 0);
    parameters_section(p, scenario, "payloads", "", WORLD_KEYS, 0);
}

void fmu_parameters_free(fmu_parameters *p)
{
    for (int i = 0; i < p->count; i++)
        free(p->all[i].path);
    free(p->all);
    memset(p, 0, sizeof *p);
}
