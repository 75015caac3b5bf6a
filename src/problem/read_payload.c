// The section `payloads` of a problem file: what the robot carries, all through the motion or in
// some phases.
#include "base/error.h"
#include "problem/read_problem.h"
#include <math.h>
#include <stdlib.h>

#define AT(field) offsetof(problem_payload, field)
static const doc_key payload_keys[] = {
    {"frame", DOC_TYPE_TEXT, AT(frame), .needed = 1, .help = "the link or frame that carries it"},
    {"mass", DOC_TYPE_NUMBER, AT(load.mass), .needed = 1, .unit = "kg", .range = DOC_POSITIVE,
     .help = "of the payload"},
    {"com", DOC_TYPE_VEC3, AT(load.com), .unit = "m", .help = "its centre of mass, in the frame"},
    {"inertia", DOC_TYPE_NUMBERS, AT(load.inertia), .count = 6, .unit = "kg m^2",
     .help = "xx, yy, zz, xy, xz, yz about its centre of mass"},
    {"phases", DOC_TYPE_NODE, AT(phases), .takes = "a phase or a list",
     .help = "in which it is carried; default: all"},
    {0},
};
#undef AT
const doc_schema problem_payload_schema = {"payload", NULL, payload_keys, NULL};

arne_status problem_read_payload(const doc_slot *entry, const char *name, void *context)
{
    problem         *p = context;
    problem_payload *more = realloc(p->payloads, (size_t)(p->payload_count + 1) * sizeof *more);
    (void)name;
    if (!more) return arne_fail_memory(p->r.error);
    p->payloads = more;
    problem_payload *to = &p->payloads[p->payload_count++];
    *to = (problem_payload){.node = entry->value};
    const arne_status status = doc_read_map(entry, &problem_payload_schema, to, 0);
    if (!to->frame || !(to->load.mass > 0)) p->payload_count--; // nothing that could be carried
    return status;
}

arne_status problem_load(problem *p, arne_robot **robot)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < p->payload_count && status_goes_on(status); i++) {
        const problem_payload *one = &p->payloads[i];
        const doc_slot         entry = {&p->r, "payloads", "", one->node};
        const doc_slot         slot = doc_under(&entry, "frame");
        int                    frame = -1;
        arne_robot            *loaded = NULL;
        if (one->phases) continue;
        arne_status here = doc_frame(&slot, *robot, &frame);
        if (!here)
            here = doc_check(&entry,
                             arne_robot_attach(*robot, frame, &one->load, &loaded, p->r.error));
        status = status_both(status, here);
        if (here) continue;
        arne_robot_free(*robot);
        *robot = loaded;
    }
    return status;
}

arne_status problem_carry(problem *p)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < p->payload_count && status_goes_on(status); i++) {
        const problem_payload *one = &p->payloads[i];
        const doc_slot         entry = {&p->r, "payloads", "", one->node};
        const doc_slot slot = doc_under(&entry, "phases"), frame = doc_under(&entry, "frame");
        int           *on = NULL, count = 0, at = -1;
        if (!one->phases) continue;
        arne_status here = problem_phase_list(p, &slot, &on, &count);
        here = status_both(here, doc_frame(&frame, p->robot, &at));
        if (!here)
            here = doc_check(&entry,
                             arne_plan_add_payload(p->plan, at, &one->load, on, count, p->r.error));
        free(on);
        status = status_both(status, here);
    }
    return status;
}
