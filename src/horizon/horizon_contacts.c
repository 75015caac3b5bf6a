// Phases and contacts of a problem of optimal control: which frames stand from which knot on, and
// their friction cones.
#include "base/error.h"
#include "horizon/horizon.h"
#include <math.h>
#include <string.h>

#define AT(field) offsetof(horizon_phase, field)
static const doc_key phase_keys[] = {
    {"name", DOC_TYPE_TEXT, AT(name), .needed = 1, .help = "contacts name it"},
    {"time", DOC_TYPE_NUMBER, AT(time), .needed = 1, .unit = "s", .range = DOC_POSITIVE,
     .help = "a multiple of the step"},
    {"impact", DOC_TYPE_FLAG, AT(impact), .otherwise = "no",
     .help = "what stands touches the ground at its beginning, without bouncing"},
    {0},
};
#undef AT
const doc_schema horizon_phase_schema = {"phase", NULL, phase_keys, NULL};

#define AT(field) offsetof(horizon_contact, field)
static const doc_key contact_keys[] = {
    {"frame", DOC_TYPE_TEXT, AT(frame), .needed = 1, .help = "its origin stands"},
    {"friction", DOC_TYPE_NUMBER, AT(friction), .range = DOC_NOT_NEGATIVE,
     .help = "its force stays in this cone; default: no cone"},
    {"plane_normal", DOC_TYPE_VEC3, AT(normal), .otherwise = "[0, 0, 1]", .help = "of the cone"},
    {"phases", DOC_TYPE_NODE, AT(phases), .takes = "a phase or a list",
     .help = "in which it stands; default: all"},
    {0},
};
#undef AT
const doc_schema horizon_contact_schema = {"contact", NULL, contact_keys, NULL};

static arne_status contacts_read_phase(const doc_slot *item, const char *name, void *context)
{
    arne_horizon *h = context;
    (void)name;
    return doc_read_map(item, &horizon_phase_schema, &h->phases[h->phase_count++], 0);
}

arne_status horizon_phases(const doc_slot *section, void *unused)
{
    arne_horizon *h = horizon_of(section);
    (void)unused;
    h->phases = document_take(&h->doc, ((size_t)section->value->count + 1) * sizeof *h->phases);
    if (!h->phases) return arne_fail_memory(&h->own);
    return doc_each(section, &horizon_phase_schema, contacts_read_phase, h);
}

static arne_status contacts_read_contact(const doc_slot *item, const char *name, void *context)
{
    arne_horizon    *h = context;
    horizon_contact *c = &h->contacts[h->contact_count++];
    (void)name;
    *c = (horizon_contact){.friction = NAN, .normal = {0, 0, 1}};
    arne_status    status = doc_read_map(item, &horizon_contact_schema, c, 0);
    const doc_slot frame = doc_under(item, "frame");
    if (!status) status = doc_frame(&frame, h->robot, &c->index);
    const double size =
        sqrt(c->normal.x * c->normal.x + c->normal.y * c->normal.y + c->normal.z * c->normal.z);
    const doc_slot normal = doc_under(item, "plane_normal");
    if (!status && !(size > 0)) status = doc_fail(&normal, ARNE_VALUE, "is zero");
    if (status) return status;
    c->cone = horizon_numbers(h, 4);
    if (!c->cone) return arne_fail_memory(&h->own);
    c->cone[0] = c->friction;
    c->cone[1] = c->normal.x / size;
    c->cone[2] = c->normal.y / size;
    c->cone[3] = c->normal.z / size;
    return ARNE_OK;
}

arne_status horizon_contacts(const doc_slot *section, void *unused)
{
    arne_horizon *h = horizon_of(section);
    (void)unused;
    h->contacts = document_take(&h->doc, ((size_t)section->value->count + 1) * sizeof *h->contacts);
    if (!h->contacts) return arne_fail_memory(&h->own);
    return doc_each(section, &horizon_contact_schema, contacts_read_contact, h);
}

// Whether a contact stands in a phase.
static int stands_in(const horizon_contact *c, const char *phase)
{
    if (!c->phases) return 1;
    if (c->phases->kind == DOC_TEXT) return strcmp(c->phases->text, phase) == 0;
    for (const doc_item *i = c->phases->first; i; i = i->next)
        if (i->value->kind == DOC_TEXT && strcmp(i->value->text, phase) == 0) return 1;
    return 0;
}

static arne_status check_phase_name(const arne_horizon *h, const doc_slot *slot)
{
    if (slot->value->kind != DOC_TEXT) return doc_fail(slot, ARNE_VALUE, "must be names of phases");
    for (int k = 0; k < h->phase_count; k++)
        if (strcmp(h->phases[k].name, slot->value->text) == 0) return ARNE_OK;
    return doc_fail(slot, ARNE_NOT_FOUND, "names '%.80s', which is no phase", slot->value->text);
}

static arne_status check_phase_names(arne_horizon *h)
{
    arne_status status = ARNE_OK;
    for (int i = 0; i < h->contact_count; i++) {
        const doc_node *of = h->contacts[i].phases;
        const doc_slot  slot = {&h->r, "contact", "phases", of};
        if (of && of->kind != DOC_LIST) status = status_both(status, check_phase_name(h, &slot));
        for (const doc_item *k = of && of->kind == DOC_LIST ? of->first : NULL; k; k = k->next) {
            const doc_slot one = {&h->r, "contact", "phases", k->value};
            status = status_both(status, check_phase_name(h, &one));
        }
    }
    return status;
}

static arne_status add_cones(arne_horizon *h)
{
    for (int i = 0; i < h->contact_count; i++) {
        const horizon_contact *c = &h->contacts[i];
        if (isnan(c->friction)) continue;
        double *zero = horizon_numbers(h, 1);
        if (!zero) return arne_fail_memory(&h->own);
        *horizon_term(h) = (arne_oc_term){
            .quantity = ARNE_OC_FRICTION, .index = c->index, .reference = c->cone, .lower = zero};
    }
    return ARNE_OK;
}

double horizon_time(const arne_horizon *h, double t)
{
    return h->cyclic ? t - h->time * floor(t / h->time) : t;
}

// The last phase lasts for ever, unless they come again.
static int phase_at(const arne_horizon *h, double t)
{
    int    phase = 0;
    double end = h->phase_count ? h->phases[0].time : INFINITY;
    for (t = horizon_time(h, t); t >= end && phase < h->phase_count - 1; phase++)
        end += h->phases[phase + 1].time;
    return phase;
}

// A step belongs to the phase of its middle.
void horizon_schedule(arne_horizon *h, double t)
{
    const double step = h->solver.step;
    const int    N = h->receding > h->knots ? h->receding : h->knots;
    for (int k = 0; k < N && h->schedule; k++)
        h->schedule[k] = phase_at(h, t + (k + 0.5) * step);
    h->before = t > 0 ? phase_at(h, t - 0.5 * step) : -1;
}

arne_status horizon_stand(arne_horizon *h, const doc_slot *root)
{
    const doc_slot phases = doc_under(root, "phases");
    arne_status    status = check_phase_names(h);
    if (!h->contact_count && !h->phase_count) return status;
    const int count = h->phase_count ? h->phase_count : 1;
    double    sum = 0;
    h->stands = document_take(&h->doc, (size_t)count * sizeof *h->stands);
    h->schedule = document_take(&h->doc, (size_t)(h->knots + 1) * sizeof *h->schedule);
    if (!h->stands || !h->schedule) return arne_fail_memory(&h->own);
    for (int k = 0; k < count; k++) {
        arne_oc_contact *on = document_take(&h->doc, (size_t)(h->contact_count + 1) * sizeof *on);
        if (!on) return arne_fail_memory(&h->own);
        const double first = sum / h->solver.step;
        h->stands[k] = (arne_oc_phase){.first = (int)lround(first), .contacts = on};
        if (h->phase_count) {
            h->stands[k].impact = h->phases[k].impact;
            sum += h->phases[k].time;
            if (fabs(first - (double)h->stands[k].first) > 1e-6)
                status = status_both(status, doc_fail(&phases, ARNE_VALUE,
                                                      "phase '%.80s' starts at %g s, no multiple "
                                                      "of the step",
                                                      h->phases[k].name, first * h->solver.step));
        }
        for (int i = 0; i < h->contact_count; i++)
            if (!h->phase_count || stands_in(&h->contacts[i], h->phases[k].name))
                on[h->stands[k].contact_count++].frame = h->contacts[i].index;
    }
    if (h->phase_count && fabs(sum - h->time) > 1e-6 * h->time)
        status =
            status_both(status, doc_fail(&phases, ARNE_VALUE,
                                         "last %g s together, but `time` is %g s", sum, h->time));
    return status_both(status, add_cones(h));
}
