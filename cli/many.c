#include "many.h"

#include "message.h"

#include <arne/batch.h>
#include <arne/builder.h>
#include <arne/identify.h>
#include <stdlib.h>
#include <string.h>

// Fewer are done before threads have started.
enum { WORTH_WHILE = 64, MOST_FIELDS = 3 };

// What a quantity is to arne_batch: an output for each of its fields. Quantities of many frames or joints, and those that take
// more than one algorithm, are computed state by state.
typedef struct cover {
    const char          *quantity; // with the option that changes it
    arne_batch_algorithm algorithm;
    struct {
        const char *key;
        axis_kind   rows, columns;
        size_t      output; // where its pointer is in arne_batch_outputs
    } field[MOST_FIELDS];
} cover;

#define TO(name) offsetof(arne_batch_outputs, name)
static const cover covers[] = {
    {"jacobian", ARNE_BATCH_JACOBIAN, {{"J", AXIS_TWIST, AXIS_V, TO(jacobian)}}},
    {"jacobian --rate",
     ARNE_BATCH_JACOBIAN,
     {{"J", AXIS_TWIST, AXIS_V, TO(jacobian)}, {"Jdot", AXIS_TWIST, AXIS_V, TO(jacobian_rate)}}},
    {"energy",
     ARNE_BATCH_ENERGY,
     {{"kinetic", AXIS_ONE, AXIS_ONE, TO(kinetic)},
      {"potential", AXIS_ONE, AXIS_ONE, TO(potential)}}},
    {"inverse-dynamics", ARNE_BATCH_INVERSE_DYNAMICS, {{"tau", AXIS_V, AXIS_ONE, TO(tau)}}},
    {"gravity", ARNE_BATCH_GRAVITY, {{"tau", AXIS_V, AXIS_ONE, TO(tau)}}},
    {"bias", ARNE_BATCH_BIAS, {{"tau", AXIS_V, AXIS_ONE, TO(tau)}}},
    {"coriolis-matrix", ARNE_BATCH_CORIOLIS_MATRIX, {{"C", AXIS_V, AXIS_V, TO(coriolis_matrix)}}},
    {"mass-matrix", ARNE_BATCH_MASS_MATRIX, {{"M", AXIS_V, AXIS_V, TO(mass_matrix)}}},
    {"inverse-mass-matrix",
     ARNE_BATCH_INVERSE_MASS_MATRIX,
     {{"Minv", AXIS_V, AXIS_V, TO(inverse_mass_matrix)}}},
    {"operational-inertia",
     ARNE_BATCH_OPERATIONAL_INERTIA,
     {{"Lambda", AXIS_TWIST, AXIS_TWIST, TO(operational_inertia)}}},
    {"forward-dynamics", ARNE_BATCH_FORWARD_DYNAMICS, {{"qdd", AXIS_V, AXIS_ONE, TO(qdd)}}},
    {"forward-dynamics --method matrix",
     ARNE_BATCH_FORWARD_DYNAMICS_MATRIX,
     {{"qdd", AXIS_V, AXIS_ONE, TO(qdd)}}},
    {"hybrid-dynamics",
     ARNE_BATCH_HYBRID_DYNAMICS,
     {{"tau", AXIS_V, AXIS_ONE, TO(tau)}, {"qdd", AXIS_V, AXIS_ONE, TO(qdd)}}},
    {"base-acceleration", // the first six entries of qdd
     ARNE_BATCH_BASE_ACCELERATION,
     {{"base_acceleration", AXIS_TWIST, AXIS_ONE, TO(qdd)}, {"tau", AXIS_V, AXIS_ONE, TO(tau)}}},
    {"regressor", ARNE_BATCH_REGRESSOR, {{"Y", AXIS_V, AXIS_PARAMETER, TO(regressor)}}},
    {"torque-rate",
     ARNE_BATCH_TORQUE_RATE,
     {{"tau", AXIS_V, AXIS_ONE, TO(tau)}, {"tau_rate", AXIS_V, AXIS_ONE, TO(tau_rate)}}},
    {"inverse-dynamics-derivatives",
     ARNE_BATCH_INVERSE_DYNAMICS_DERIVATIVES,
     {{"dtau_dq", AXIS_V, AXIS_V, TO(dtau_dq)},
      {"dtau_dqd", AXIS_V, AXIS_V, TO(dtau_dqd)},
      {"dtau_dqdd", AXIS_V, AXIS_V, TO(dtau_dqdd)}}},
    {"forward-dynamics-derivatives",
     ARNE_BATCH_FORWARD_DYNAMICS_DERIVATIVES,
     {{"dqdd_dq", AXIS_V, AXIS_V, TO(dqdd_dq)},
      {"dqdd_dqd", AXIS_V, AXIS_V, TO(dqdd_dqd)},
      {"dqdd_dtau", AXIS_V, AXIS_V, TO(dqdd_dtau)}}},
};
#undef TO

struct many {
    const cover *cover;
    size_t       count;
    double      *in, *out[MOST_FIELDS];
    size_t       rows[MOST_FIELDS];
};

static const cover *find_cover(const quantity *what, const request *ask)
{
    const char  *with = ask->rate ? " --rate" : ask->matrix ? " --method matrix" : "";
    const size_t length = strlen(what->name);
    if (ask->loop) return NULL;
    for (size_t i = 0; i < sizeof covers / sizeof covers[0]; i++)
        if (strncmp(covers[i].quantity, what->name, length) == 0 &&
            strcmp(covers[i].quantity + length, with) == 0)
            return &covers[i];
    return NULL;
}

static size_t extent(axis_kind axis, const arne_robot *robot)
{
    if (axis == AXIS_V) return (size_t)arne_robot_sizes(robot).v_count;
    if (axis == AXIS_PARAMETER) return (size_t)arne_parameter_count(robot);
    return axis == AXIS_TWIST ? 6 : 1;
}

// The parts of all states, and the wrenches, which are the same for all.
static arne_batch_inputs gather(many *m, const request *ask, const state_list *states)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    const size_t     v_count = (size_t)sizes.v_count, q_count = (size_t)sizes.q_count,
                 wrench = ask->f_ext ? 6 * (size_t)sizes.body_count : 0;
    const double *part[PART_COUNT];
    double       *at = m->in =
        need((q_count + (PART_COUNT - 1) * v_count + wrench) * m->count, sizeof *m->in);
    for (int p = 0; p < PART_COUNT; p++) {
        part[p] = at;
        for (size_t i = 0; i < (p == PART_Q ? q_count : v_count); i++)
            for (size_t s = 0; s < m->count; s++)
                *at++ = states->item[s].part[p][i];
    }
    const double *f = (const double *)(const void *)ask->f_ext, *f_ext = f ? at : NULL;
    for (size_t i = 0; i < wrench * m->count; i++)
        *at++ = f[i / m->count];
    return (arne_batch_inputs){.q = part[PART_Q],
                               .qd = part[PART_QD],
                               .qdd = part[PART_QDD],
                               .qddd = part[PART_QDDD],
                               .tau = part[PART_TAU],
                               .f_ext = f_ext,
                               .loads = ask->loads,
                               .load_count = ask->load_count,
                               .frame = ask->frame_count ? ask->frames[0] : 0,
                               .axes = ask->axes,
                               .given = ask->given};
}

static arne_batch_outputs make_room(many *m, const request *ask)
{
    const size_t       v_count = (size_t)arne_robot_sizes(ask->robot).v_count;
    arne_batch_outputs out = {0};
    for (int i = 0; i < MOST_FIELDS && m->cover->field[i].key; i++) {
        m->rows[i] = extent(m->cover->field[i].rows, ask->robot) *
                     extent(m->cover->field[i].columns, ask->robot);
        const size_t room = m->rows[i] > v_count ? m->rows[i] : v_count;
        m->out[i] = need(room * m->count, sizeof *m->out[i]);
        memcpy((char *)&out + m->cover->field[i].output, &m->out[i], sizeof m->out[i]);
    }
    return out;
}

many *many_make(const quantity *what, const request *ask, const state_list *states,
                const arne_pose *pose, const arne_motion base_motion[3])
{
    const cover *c = find_cover(what, ask);
    arne_batch  *batch;
    if (!c || states->count < WORTH_WHILE || arne_robot_sizes(ask->robot).v_count == 0) return NULL;
    if (arne_batch_new(ask->robot, NULL, &batch, NULL) != ARNE_OK) return NULL;
    if (arne_robot_base(ask->robot) != ARNE_BASE_FREE)
        arne_batch_set_base(batch, pose, &base_motion[0], &base_motion[1], &base_motion[2]);

    many *m = need(1, sizeof *m);
    m->cover = c;
    m->count = (size_t)states->count;
    const arne_batch_inputs  in = gather(m, ask, states);
    const arne_batch_outputs out = make_room(m, ask);
    const arne_status status = arne_batch_run(batch, c->algorithm, &in, &out, m->count, NULL);
    arne_batch_free(batch);
    if (status == ARNE_OK) return m;
    many_free(m);
    return NULL;
}

void many_fields(const many *m, int index, result *out)
{
    for (int i = 0; i < MOST_FIELDS && m->cover->field[i].key; i++) {
        double *value = result_add(out, m->cover->field[i].key, m->cover->field[i].rows,
                                   m->cover->field[i].columns);
        for (size_t row = 0; row < m->rows[i]; row++)
            value[row] = m->out[i][row * m->count + (size_t)index];
    }
}

void many_free(many *m)
{
    if (!m) return;
    free(m->in);
    for (int i = 0; i < MOST_FIELDS; i++)
        free(m->out[i]);
    free(m);
}
