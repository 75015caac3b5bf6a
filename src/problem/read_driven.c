// What drives the robot of a problem: `driven` and `reserves`.
#include "base/error.h"
#include "problem/read_problem.h"
#include <stdlib.h>
#include <string.h>

static arne_status driven_joint(problem *p, const doc_slot *item, unsigned char *flags)
{
    const char       *name = NULL;
    const arne_status status = doc_text(item, &name);
    if (status) return status;
    const int joint = arne_find_joint(p->robot, name);
    if (joint < 0) return doc_fail(item, ARNE_NOT_FOUND, "names '%s', which is no joint", name);
    const arne_joint_info j = arne_robot_joint(p->robot, joint);
    for (int k = 0; k < j.v_count; k++)
        flags[j.v_start + k] = 1;
    return ARNE_OK;
}

// Flags of coordinates of the joints that a section names: `all`, its word for none, or a list.
// They last until the plan is made.
static arne_status driven_flags(problem *p, const char *key, const doc_node *node, const char *none,
                                unsigned char **flags)
{
    const doc_slot slot = {&p->r, "", key, node};
    const int      v = arne_robot_sizes(p->robot).v_count;
    arne_status    status = ARNE_OK;
    if (!node || (node->kind == DOC_TEXT && strcmp(node->text, none) == 0)) return ARNE_OK;
    *flags = calloc((size_t)v + 1, 1);
    if (!*flags) return arne_fail_memory(p->r.error);
    if (node->kind == DOC_TEXT && strcmp(node->text, "all") == 0) {
        memset(*flags, 1, (size_t)v);
        return ARNE_OK;
    }
    if (node->kind != DOC_LIST)
        return doc_fail(&slot, ARNE_VALUE, "must be %s, all, or a list of joints", none);
    for (const doc_item *i = node->first; i && status_goes_on(status); i = i->next) {
        const doc_slot item = {&p->r, "", key, i->value};
        status = status_both(status, driven_joint(p, &item, *flags));
    }
    return status;
}

// Torques for joints that nothing drives, and beside muscles.
arne_status problem_driven(problem *p, unsigned char *flags[2])
{
    const doc_slot reserves = {&p->r, "", "reserves", p->reserves};
    arne_status    status = driven_flags(p, "driven", p->driven, "motors", &flags[0]);
    if (status_goes_on(status))
        status = status_both(status, driven_flags(p, "reserves", p->reserves, "none", &flags[1]));
    if (p->reserves && !p->options.muscles && status_goes_on(status))
        status = status_both(
            status, doc_fail(&reserves, ARNE_VALUE, "has no meaning without muscles: true"));
    p->options.driven = flags[0];
    p->options.reserves = flags[1];
    return status;
}
