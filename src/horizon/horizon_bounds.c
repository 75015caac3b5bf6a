// Constraints of a problem of optimal control: bounds of controls, and bounded terms of a solver.
#include "base/error.h"
#include "horizon/horizon_entry.h"
#include "motion/drive_limits.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static arne_status robot_limits(const arne_horizon *h, const doc_slot *map, const term_kind *k,
                                const unsigned char *marked, double *lower, double *upper)
{
    const doc_slot slot = doc_under(map, "limits");
    const int      n = h->size.v_count;
    int            some = 0;
    if (k->rows > 0)
        return doc_fail(&slot, ARNE_VALUE,
                        "are those of position, velocity, torque and torque_rate only");
    double *of = calloc(4 * (size_t)n + 1, sizeof *of);
    if (!of) return arne_fail_memory(&((arne_horizon *)(uintptr_t)h)->own);
    arne_drive_limits(h->robot, of, of + n);
    double *low = of + 2 * n, *high = of + 3 * n;
    for (int i = 0; i < n; i++) {
        high[i] = k->quantity == ARNE_OC_STATE  ? INFINITY
                  : k->quantity == ARNE_OC_RATE ? of[n + i]
                                                : of[i];
        low[i] = -high[i];
    }
    for (int i = 0; i < h->size.joint_count && k->quantity == ARNE_OC_STATE; i++) {
        const arne_joint_info j = arne_robot_joint(h->robot, i);
        if (j.v_count != 1) continue;
        low[j.v_start] = k->velocity ? -j.velocity : j.lower;
        high[j.v_start] = k->velocity ? j.velocity : j.upper;
    }
    for (int i = 0; i < n; i++) {
        const int row = entry_row(h, k, i);
        if (!marked[i] || row < 0) continue;
        lower[row] = low[i];
        upper[row] = high[i];
        some |= isfinite(low[i]) || isfinite(high[i]);
    }
    free(of);
    return some ? ARNE_OK
                : doc_fail(&slot, ARNE_VALUE,
                           "are those of the robot, which has none of these joints: give lower "
                           "and upper");
}

static arne_status read_bounds(const arne_horizon *h, const doc_slot *map, const entry *e,
                               const unsigned char *marked, double *lower, double *upper)
{
    const term_kind *k = e->quantity->row;
    const doc_slot   low = doc_under(map, "lower"), high = doc_under(map, "upper"),
                   equal = doc_under(map, "equal");
    if (!e->limits && !e->lower && !e->upper && !e->equal)
        return doc_missing(map, "a bound (lower, upper, equal or limits)");
    if (e->equal && (e->lower || e->upper || e->limits))
        return doc_fail(&equal, ARNE_VALUE, "leaves nothing for other bounds to say");
    arne_status status = e->limits ? robot_limits(h, map, k, marked, lower, upper) : ARNE_OK;
    if (e->lower) status = status_both(status, entry_numbers(h, &low, k, marked, lower));
    if (e->upper) status = status_both(status, entry_numbers(h, &high, k, marked, upper));
    if (e->equal) status = status_both(status, entry_numbers(h, &equal, k, marked, lower));
    if (e->equal) status = status_both(status, entry_numbers(h, &equal, k, marked, upper));
    for (int i = 0; i < entry_rows(h, k) && !status; i++)
        if (!(lower[i] <= upper[i]))
            return doc_fail(map, ARNE_VALUE, "has a lower bound %g above the upper one, %g",
                            lower[i], upper[i]);
    return status;
}

static arne_status bound_controls(arne_horizon *h, const doc_slot *map, const arne_oc_term *t,
                                  const double *lower, const double *upper)
{
    if (t->first || t->last)
        return doc_fail(map, ARNE_UNSUPPORTED, "bounds torques over the whole motion only");
    for (int i = 0; i < h->control_count; i++) {
        h->lower[i] = fmax(h->lower[i], lower[i] + t->reference[i]);
        h->upper[i] = fmin(h->upper[i], upper[i] + t->reference[i]);
        if (!(h->lower[i] <= h->upper[i]))
            return doc_fail(map, ARNE_VALUE, "contradicts another bound of torque %d: %g to %g",
                            i + 1, h->lower[i], h->upper[i]);
    }
    return ARNE_OK;
}

// Bounds of what is known at the start begin one knot later, and hold at the end, too.
static void add_bounded(arne_horizon *h, const term_kind *k, const arne_oc_term *t)
{
    arne_oc_term running = *t;
    const int    whole = !t->first && !t->last && !t->at_end;
    if (k->on_state && !t->at_end && t->first == 0) {
        running.first = 1;
        if (whole) running.last = h->knots - 1;
    }
    if (t->at_end || running.last >= running.first) *horizon_term(h) = running;
    if (!whole || !k->on_state) return;
    running.at_end = 1;
    running.first = running.last = 0;
    *horizon_term(h) = running;
}

static arne_status read_constraint(const doc_slot *item, const char *name, void *context)
{
    arne_horizon *h = context;
    entry         e = {.to = 1, .pose = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}}};
    (void)name;
    arne_status status = doc_read_map(item, &horizon_constraint_schema, &e, 0);
    if (status || !h->robot) return status;
    const term_kind *k = e.quantity->row;
    const int        rows = entry_rows(h, k);
    unsigned char   *marked = document_take(&h->doc, (size_t)h->size.v_count + 1);
    double          *lower = horizon_numbers(h, (size_t)rows + 1),
           *upper = horizon_numbers(h, (size_t)rows + 1);
    arne_oc_term t;
    if (!marked || !lower || !upper) return arne_fail_memory(&h->own);
    for (int i = 0; i < rows; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    status = entry_begin(h, item, &e, &t, marked);
    if (!status) status = read_bounds(h, item, &e, marked, lower, upper);
    if (status) return status;
    if (k->quantity == ARNE_OC_CONTROL && (!h->solver.controls || (!t.first && !t.last)))
        status = bound_controls(h, item, &t, lower, upper);
    if (status || t.quantity == ARNE_OC_CONTROL) return status;
    t.lower = lower;
    t.upper = upper;
    add_bounded(h, k, &t);
    return ARNE_OK;
}

arne_status horizon_constraints(const doc_slot *section, void *unused)
{
    (void)unused;
    return doc_each(section, &horizon_constraint_schema, read_constraint, horizon_of(section));
}
