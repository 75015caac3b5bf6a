// What a robot's file says for plans alone: the sections `fatigue` and `strength`, as problem files
// have them, and `walker`. Files that it extends come first; what the problem's file says comes
// after and counts more.
#include "problem/read_problem.h"

// Calls visit for every document that the robot was read from.
typedef arne_status (*part_visit)(reader *r, const doc_node *root, void *into);

static arne_status visit_files(problem *p, const arne_robot *robot, part_visit visit, void *into)
{
    arne_status status = ARNE_OK;
    for (const struct section_file *f = p->sections.first; f && status_goes_on(status);
         f = f->next) {
        reader own = {.file = f->file,
                      .found = p->r.found,
                      .error = p->r.error,
                      .context = p,
                      .document = &p->sections.memory,
                      .robot = robot};
        status = status_both(status, visit(&own, f->root, into));
    }
    return status;
}

// How much larger the robot is than this file says: `scale` of the files that extend it, and of
// the gait.
static void parts_scale(problem *p, const doc_node *root, double out[2])
{
    static const char *const   keys[2] = {"length", "mass"};
    const struct section_file *f = p->sections.first;
    while (f && f->root != root)
        f = f->next;
    for (int k = 0; k < 2; k++) {
        out[k] = p->scale[k] > 0 ? p->scale[k] : 1;
        for (const struct section_file *g = f ? f->next : NULL; g; g = g->next) {
            const doc_node *scale = doc_find(g->root, "scale");
            const doc_slot  slot = {&p->r, "scale", keys[k],
                                   scale ? doc_find(scale, keys[k]) : NULL};
            double          factor = 1;
            if (slot.value && !doc_number(&slot, &factor)) out[k] *= factor;
        }
    }
}

static arne_status visit_parts(reader *r, const doc_node *root, void *unused)
{
    const doc_slot fatigue = {r, "", "fatigue", doc_find(root, "fatigue")},
                   strength = {r, "", "strength", doc_find(root, "strength")};
    problem    *p = r->context;
    arne_status status = ARNE_OK;
    (void)unused;
    parts_scale(p, root, p->strength_scale);
    if (fatigue.value) status = problem_fatigue(&fatigue, NULL);
    if (strength.value && status_goes_on(status))
        status = status_both(status, problem_strength(&strength, NULL));
    return status;
}

arne_status problem_robot_parts(problem *p)
{
    const arne_status status = visit_files(p, p->r.robot, visit_parts, NULL);
    p->strength_scale[0] = p->strength_scale[1] = 1;
    return status;
}

static arne_status visit_walker(reader *r, const doc_node *root, void *out)
{
    const doc_slot section = {r, "", "walker", doc_find(root, "walker")};
    return section.value ? walker_read(&section, out) : ARNE_OK;
}

arne_status problem_walker(problem *p, const arne_robot *robot, walker_parts *out)
{
    const doc_node *task = doc_find(p->doc.root, "gait");
    const doc_node *own = task ? doc_find(task, "walker") : NULL;
    const doc_slot  section = {&p->r, "gait", "walker", own};
    *out = walker_none();
    arne_status status = visit_files(p, robot, visit_walker, out);
    if (!own || !status_goes_on(status)) return status;
    const arne_robot *before = p->r.robot;
    p->r.robot = robot;
    status = status_both(status, walker_read(&section, out));
    p->r.robot = before;
    return status;
}
