// The start and the end of a problem of optimal control: the state that it starts from, and one
// that must be met.
#include "base/error.h"
#include "horizon/horizon.h"
#include <arne/configuration.h>
#include <math.h>

typedef struct end_keys {
    const doc_node *position, *velocity;
} end_keys;
static const doc_key end_key_table[] = {
    {"position", DOC_TYPE_NODE, offsetof(end_keys, position), .unit = "rad, m",
     .takes = "a number, a list, or by joint"},
    {"velocity", DOC_TYPE_NODE, offsetof(end_keys, velocity), .unit = "rad/s, m/s",
     .takes = "a number, a list, or by joint"},
    {0},
};
const doc_schema horizon_end_schema = {"end", NULL, end_key_table, NULL};

// Reads a state, q then qd, into x; given: a byte for each of its numbers that the file names.
static arne_status end_read(const doc_slot *section, const arne_robot *robot, double *x,
                            unsigned char *given)
{
    const doc_slot map = {section->reader, section->key, "", section->value};
    end_keys       e = {0};
    arne_status    status = doc_read_map(&map, &horizon_end_schema, &e, 0);
    if (status || !robot) return status;
    const int      nq = arne_robot_sizes(robot).q_count;
    const doc_slot q = doc_under(&map, "position"), qd = doc_under(&map, "velocity");
    if (q.value) status = doc_values(&q, robot, DOC_ALONG_Q, x, given);
    if (q.value && !status) status = doc_check_degrees(&q, robot, x);
    if (qd.value)
        status = status_both(
            status, doc_values(&qd, robot, DOC_ALONG_V, x + nq, given ? given + nq : NULL));
    return status;
}

arne_status horizon_start(const doc_slot *section, void *unused)
{
    const arne_horizon *h = horizon_of(section);
    (void)unused;
    return end_read(section, h->robot, h->start, NULL);
}

// A state that must be met: equalities of the rows that are named.
arne_status horizon_end(const doc_slot *section, void *unused)
{
    arne_horizon *h = horizon_of(section);
    (void)unused;
    if (!h->robot) return end_read(section, NULL, NULL, NULL);
    const int n = h->size.v_count, nq = h->size.q_count;
    double   *x = horizon_numbers(h, (size_t)(nq + n)), *lower = horizon_numbers(h, 2 * (size_t)n);
    double   *upper = horizon_numbers(h, 2 * (size_t)n);
    unsigned char *given = document_take(&h->doc, 2 * (size_t)(nq + n) + 1);
    if (!x || !lower || !upper || !given) return arne_fail_memory(&h->own);
    arne_neutral(h->robot, x);
    const arne_status status = end_read(section, h->robot, x, given);
    if (status) return status;
    for (int i = 0; i < 2 * n; i++)
        upper[i] = INFINITY, lower[i] = -INFINITY;
    for (int i = 0; i < h->size.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(h->robot, i);
        for (int m = 0; m < j.v_count; m++) {
            const int at = j.v_start + m;
            if (j.q_count && given[j.q_start]) lower[at] = upper[at] = 0;
            if (given[nq + at]) lower[n + at] = upper[n + at] = 0;
        }
    }
    *horizon_term(h) = (arne_oc_term){
        .quantity = ARNE_OC_STATE, .at_end = 1, .reference = x, .lower = lower, .upper = upper};
    return ARNE_OK;
}
