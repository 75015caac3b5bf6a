// Problems with mistakes are not planned, but all their mistakes are reported in one run.
#include "base/error.h"
#include "human/contact_step.h"
#include "problem/read_problem.h"
#include <stdlib.h>
#include <string.h>

// Frames and joints that a step needs.
static arne_status check_walker(problem *p)
{
    const doc_slot section = {&p->r, "", "gait", doc_find(p->doc.root, "gait")};
    walk_parts    *parts = malloc(sizeof *parts);
    if (!parts) return arne_fail_memory(p->r.error);
    const arne_place  place = doc_place(&p->r, section.value);
    const arne_status status = plan_walk_parts(p->robot, &p->gait, 3, &place, parts, p->r.error);
    free(parts);
    return doc_check(&section, status);
}

arne_status problem_check_parts(problem *p, const doc_slot *root, int whole)
{
    const doc_slot spline = doc_under(root, "spline"),
                   at = {&p->r, "", "", spline.value ? spline.value : root->value};
    arne_status status =
        p->path ? problem_on_path(p)
                : doc_check(&at, arne_plan_new(p->robot, &p->options, &p->plan, p->r.error));
    arne_plan_free(p->plan);
    p->plan = NULL;
    if (p->has_gait && !p->gait.thesis && !p->path && whole && status_goes_on(status))
        return status_both(status, check_walker(p));
    if (p->path || p->has_gait || !p->contact_count || !status_goes_on(status)) return status;
    problem_made *made = malloc(sizeof *made);
    if (!made) return arne_fail_memory(p->r.error);
    status = status_both(status, problem_make(p, made));
    problem_made_free(made);
    free(made);
    return status;
}

void problem_make_draft(problem *p)
{
    const int               walks = p->has_gait && !p->gait.thesis;
    const int               count = walks ? WALK_PHASES : p->phase_count;
    const arne_plan_options plain = {.time = 1,
                                     .driven = p->options.driven,
                                     .muscles = p->options.muscles,
                                     .reserves = p->options.reserves};
    arne_plan_phase        *phases = calloc((size_t)count + 1, sizeof *phases);
    for (int k = 0; phases && k < count; k++)
        phases[k] = (arne_plan_phase){.name = walks ? plan_walk_phases[k] : p->phases[k].spec.name,
                                      .time = 1};
    const arne_status made =
        !phases ? ARNE_NO_MEMORY
        : count ? arne_plan_new_in_phases(p->robot, &plain, phases, count, NULL, 0, &p->plan, NULL)
                : arne_plan_new(p->robot, &plain, &p->plan, NULL);
    if (made) p->plan = NULL; // then words are checked, and no more
    p->is_draft = p->plan != NULL;
    free(phases);
}

int problem_may_touch(const problem *p, const char *name)
{
    for (int i = 0; i < p->contact_count; i++) {
        const problem_contact *c = &p->contacts[i];
        const char            *own = c->name ? c->name : c->frame ? c->frame : c->shape;
        const size_t           length = own ? strlen(own) : 0;
        if (!own || (strncmp(name, own, length) == 0 && (!name[length] || name[length] == '.')))
            return 1;
    }
    return p->has_gait;
}
