// What a scenario says about its robot: the file, friction, payloads, and where it starts.
#include "io/yaml_robot.h"
#include "simulate/plant.h"
#include "simulate/scenario.h"
#include "world/world.h"
#include <arne/loop.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct friction_keys {
    int    type;
    double velocity;
} friction_keys;

static const doc_word frictions[] = {
    {"stick", ARNE_STICTION_STICK, NULL, NULL, "joints stick and slide"},
    {"smooth", ARNE_STICTION_SMOOTH, NULL, NULL, "sign(v) becomes tanh(v / velocity)"},
    {"none", ARNE_STICTION_NONE, NULL, NULL, "neither Coulomb nor viscous friction"},
    {0},
};
static const doc_key friction_key_table[] = {
    {"type", DOC_TYPE_WORD, offsetof(friction_keys, type), .needed = 1, .words = frictions,
     .help = "how friction acts at standstill"},
    {"velocity", DOC_TYPE_NUMBER, offsetof(friction_keys, velocity), .range = DOC_POSITIVE,
     .unit = "rad/s, m/s", .help = "of smooth"},
    {0},
};
const doc_schema scenario_friction_schema = {"friction", NULL, friction_key_table, NULL};

arne_status scenario_read_friction(const doc_slot *slot, void *unused)
{
    arne_scenario  *s = scenario_of(slot);
    friction_keys   keys = {0};
    const doc_word *word = NULL;
    const doc_slot  map = {slot->reader, "friction", "", slot->value};
    (void)unused;
    const arne_status status = slot->value->kind == DOC_MAP
                                   ? doc_read_map(&map, &scenario_friction_schema, &keys, 0)
                                   : doc_choice(slot, frictions, &word);
    if (status) return status;
    s->sim.stiction = (arne_stiction)(word ? word->value : keys.type);
    s->sim.stiction_velocity = keys.velocity;
    s->build.no_friction = s->sim.stiction == ARNE_STICTION_NONE;
    return ARNE_OK;
}

arne_status scenario_read_gravity(const doc_slot *slot, void *unused)
{
    arne_scenario    *s = scenario_of(slot);
    const arne_status status = doc_vec3(slot, &s->gravity);
    (void)unused;
    if (!status) s->build.gravity = &s->gravity;
    return status;
}

static arne_status build_given(arne_scenario *s, const char *path)
{
    arne_builder *builder = NULL;
    if (arne_builder_new(&builder) != ARNE_OK) return arne_fail_memory(s->reader.error);
    arne_status       status = arne_read_given(builder, path, s->given, NULL, s->reader.error);
    const arne_status built =
        status == ARNE_NO_MEMORY
            ? status
            : arne_builder_finish(builder, &s->build, &s->robot, s->reader.error);
    arne_builder_free(builder);
    return built ? built : status;
}

// Edits of the robot have "robot." before their path.
static arne_status build_robot(arne_scenario *s, const char *path)
{
    if (s->given) return build_given(s, path);
    doc_edit *edits = calloc((size_t)s->edit_count + 1, sizeof *edits);
    if (!edits) return arne_fail_memory(s->reader.error);
    for (int i = 0; i < s->edit_count; i++)
        if (strncmp(s->edits[i].path, "robot.", 6) == 0)
            edits[s->robot_edits++] = (doc_edit){s->edits[i].path + 6, s->edits[i].value};
    const arne_status status =
        arne_robot_read_edited(path, edits, s->robot_edits, &s->build, &s->robot, s->reader.error);
    free(edits);
    return status;
}

// The mistakes of the robot's file are among those of the scenario; a file that cannot be read is
// one here.
arne_status scenario_read_robot(const doc_slot *slot, void *unused)
{
    arne_scenario *s = scenario_of(slot);
    const char    *path = NULL;
    const int      before = s->found.errors;
    arne_status    status = scenario_add_file(slot, &path);
    (void)unused;
    if (status) return status;
    status = build_robot(s, path);
    if (status == ARNE_NO_MEMORY) return status;
    if (status && s->found.errors == before) return doc_check(slot, status);
    status = doc_check_file(slot, status);
    arne_error_clear(s->reader.error);
    s->sim.robot = s->reader.robot = s->robot;
    return status;
}

typedef struct payload_keys {
    const doc_node *frame;
    arne_payload    payload;
} payload_keys;

static const doc_key payload_key_table[] = {
    {"frame", DOC_TYPE_NODE, offsetof(payload_keys, frame), .needed = 1, .takes = "a link or frame",
     .help = "that carries it"},
    {"mass", DOC_TYPE_NUMBER, offsetof(payload_keys, payload.mass), .unit = "kg",
     .range = DOC_NOT_NEGATIVE, .otherwise = "0"},
    {"com", DOC_TYPE_VEC3, offsetof(payload_keys, payload.com), .unit = "m"},
    {"inertia", DOC_TYPE_NUMBERS, offsetof(payload_keys, payload.inertia), .count = 6,
     .unit = "kg m^2", .help = "xx, yy, zz, xy, xz, yz about its centre of mass"},
    {0},
};
const doc_schema scenario_payload_schema = {"payload", NULL, payload_key_table, NULL};

arne_status scenario_read_payload(const doc_slot *item, const char *name, void *context)
{
    arne_scenario *s = context;
    payload_keys   keys = {0};
    int            frame = -1;
    arne_robot    *robot = NULL;
    (void)name;
    arne_status status = doc_read_map(item, &scenario_payload_schema, &keys, 0);
    if (!status && !doc_find(item->value, "mass") && !doc_find(item->value, "inertia"))
        status = doc_missing(item, "mass");
    if (status) return status;
    const doc_slot on = {item->reader, item->owner, "frame", keys.frame};
    status = doc_frame(&on, s->robot, &frame);
    if (!s->robot) return status;
    if (!status)
        status = doc_check(
            item, arne_robot_attach(s->robot, frame, &keys.payload, &robot, s->reader.error));
    if (status) return status;
    arne_robot_free(s->robot);
    s->sim.robot = s->reader.robot = s->robot = robot;
    return ARNE_OK;
}

// ---- where it starts

// Positions that are given by name are kept: closing may move the others only.
static arne_status check_kept(const doc_slot *slot, const arne_robot *robot, const double *q)
{
    arne_status status = ARNE_OK;
    if (slot->value->kind != DOC_MAP) return ARNE_OK; // of the active joints
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot entry = {slot->reader, slot->owner, i->key, i->value};
        const int      joint = arne_find_joint(robot, i->key);
        double         given = 0;
        if (joint < 0) continue;
        const arne_joint_info j = arne_robot_joint(robot, joint);
        if (!j.passive || j.q_count != 1) continue;
        arne_status one = doc_number(&entry, &given);
        if (!one && !(fabs(q[j.q_start] - given) <= ARNE_LOOP_CLOSED))
            one = doc_fail(&entry, ARNE_LOOP_OPEN,
                           "is not assembled: the loops close at %.9g, not at %.9g", q[j.q_start],
                           given);
        status = status_both(status, one);
    }
    return status;
}

// Positions that are given in whole must be closed; else the passive joints are found, as
// `assemble` does. Where nothing is said and there is no assembly at the start positions, a
// reference may still have one.
static arne_status close_positions(arne_scenario *s, const doc_slot *q, arne_work *work,
                                   arne_loop_work *loop)
{
    arne_error   why = {0};
    const double open = arne_loop_closure(s->robot, work, loop, s->q, NULL);
    if (open <= ARNE_LOOP_CLOSED) return ARNE_OK;
    if (q->value && doc_names_all(q->value, s->robot))
        return doc_fail(q, ARNE_LOOP_OPEN, "is not assembled: its loops are open by %.3g", open);
    const arne_status status = arne_assemble(s->robot, work, loop, NULL, s->q, NULL, &why);
    if (q->value)
        return status ? doc_fail(q, status, "%.400s", why.text) : check_kept(q, s->robot, s->q);
    if (status) arne_start_configuration(s->robot, s->q);
    return ARNE_OK;
}

// Velocities that are given must be those that the loops let the joints have. Joints that follow
// from others are named first.
static arne_status check_velocities(const doc_slot *slot, const arne_scenario *s,
                                    const double *given, int all)
{
    const int count = arne_robot_sizes(s->robot).joint_count;
    for (int i = 0; i < 2 * count; i++) {
        const arne_joint_info j = arne_robot_joint(s->robot, i % count);
        if (j.passive != (i < count)) continue;
        const int named = all || (slot->value->kind == DOC_MAP && doc_find(slot->value, j.name));
        for (int k = j.v_start; named && k < j.v_start + j.v_count; k++)
            if (!(fabs(s->qd[k] - given[k]) <= 1e-6 * (1 + fabs(given[k]))))
                return doc_fail(slot, ARNE_LOOP_OPEN,
                                "opens the loops: with them joint '%.80s' moves at %.9g, not %.9g",
                                j.name, s->qd[k], given[k]);
    }
    return ARNE_OK;
}

// What is given of passive joints by name: no loop may tie them.
static void keep_named(const doc_slot *slot, const arne_robot *robot, const double *given,
                       double *qd)
{
    for (int i = 0; i < arne_robot_sizes(robot).joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (slot->value->kind == DOC_MAP && j.v_count && doc_find(slot->value, j.name))
            memcpy(qd + j.v_start, given + j.v_start, (size_t)j.v_count * sizeof *qd);
    }
}

// Velocities of the active joints alone: those of the others follow.
static arne_status complete_velocities(arne_scenario *s, const doc_slot *qd, arne_work *work,
                                       arne_loop_work *loop)
{
    arne_error   why = {0};
    const size_t nq = (size_t)arne_robot_sizes(s->robot).q_count,
                 nv = (size_t)arne_robot_sizes(s->robot).v_count;
    if (!qd->value) return ARNE_OK;
    const int all = doc_names_all(qd->value, s->robot);
    double   *given = malloc((nq + nv + 1) * sizeof *given), *q = given + nv;
    if (!given) return arne_fail_memory(s->reader.error);
    memcpy(given, s->qd, nv * sizeof *given);
    memcpy(q, s->q, nq * sizeof *q);
    arne_status status = ARNE_OK;
    if (!all) {
        status = arne_loop_complete(s->robot, work, loop, s->q, s->qd, NULL, &why);
        keep_named(qd, s->robot, given, s->qd);
    }
    if (!status) status = arne_loop_project(s->robot, work, loop, q, s->qd, &why);
    status =
        status ? doc_fail(qd, status, "%.400s", why.text) : check_velocities(qd, s, given, all);
    free(given);
    return status;
}

static arne_status close_initial(arne_scenario *s, const doc_slot *q, const doc_slot *qd)
{
    arne_work      *work = NULL;
    arne_loop_work *loop = NULL;
    arne_status     status = arne_work_new(s->robot, &work);
    if (!status) status = arne_loop_work_new(s->robot, &loop);
    if (status) status = arne_fail_memory(s->reader.error);
    if (!status) status = close_positions(s, q, work, loop);
    if (!status) status = complete_velocities(s, qd, work, loop);
    arne_loop_work_free(loop);
    arne_work_free(work);
    return status;
}

static arne_status check_quaternions(const doc_slot *slot, const arne_scenario *s)
{
    const double off = arne_quaternion_error(s->robot, s->q);
    if (fabs(off) <= 1e-6) return ARNE_OK;
    return doc_fail(slot, ARNE_VALUE, "has a quaternion of length %.9g, not 1", 1 + off);
}

// How far the robot must go up for its lowest contact to touch: the most over its points. NAN where
// none is above or below ground. Walls and ceilings do not count.
static double rise_to_ground(arne_world *world, arne_work *work, arne_vec3 up)
{
    double rise = NAN;
    for (int i = arne_world_find(world, work, INFINITY) - 1; i >= 0; i--) {
        const arne_touch t = arne_world_touch(world, i);
        const double     along = vec_dot(t.normal, up);
        if (t.other < 0 && along > 1e-3) rise = fmax(rise, -t.gap / along);
    }
    return rise;
}

// Moves the base against gravity, without gravity along the normal. One step is exact but on a
// height field that does not lie level.
static arne_status move_to_ground(arne_scenario *s, const doc_slot *slot, arne_world *world,
                                  arne_work *work)
{
    const arne_vec3 g = arne_robot_gravity(s->robot);
    const double    weight = vec_length(g);
    const arne_vec3 up = weight > 0                   ? vec_scale(g, -1 / weight)
                         : world->surfaces[0].heights ? vec_of(0, 0, 1)
                                                      : world->surfaces[0].normal;
    for (int step = 0; step < 50; step++) {
        arne_kinematics(s->robot, work, s->q, NULL, NULL);
        const double rise = rise_to_ground(world, work, up);
        if (isnan(rise))
            return doc_fail(slot, ARNE_VALUE, "finds no ground above or below the contacts");
        const double far = fabs(s->q[0]) + fabs(s->q[1]) + fabs(s->q[2]);
        s->q[0] += rise * up.x;
        s->q[1] += rise * up.y;
        s->q[2] += rise * up.z;
        if (fabs(rise) <= 1e-13 * (1 + far)) return ARNE_OK;
    }
    return doc_fail(slot, ARNE_NOT_CONVERGED, "finds no place where the lowest contact touches");
}

// Where the mistakes of a ground are told already, it is not said that there is none.
static arne_status put_on_ground(arne_scenario *s, const doc_slot *slot, int has_q)
{
    const doc_slot root = {slot->reader, "", "", s->doc.root};
    const doc_slot around = doc_under(&root, "surroundings");
    arne_world    *world = NULL;
    arne_work     *work = NULL;
    if (arne_robot_base(s->robot) != ARNE_BASE_FREE)
        return doc_fail(slot, ARNE_VALUE, "is of a free base, and this robot has none");
    if (arne_robot_sizes(s->robot).contact_count == 0)
        return doc_fail(slot, ARNE_VALUE,
                        "needs contact shapes: the robot's file has no `contacts` and no "
                        "<collision>");
    if (!has_q && doc_find(root.value, "reference"))
        return doc_fail(slot, ARNE_VALUE, "needs q beside it: the reference is not moved");
    if (!plant_has_ground(&s->sim))
        return around.value && around.value->count != s->sim.surrounding_count
                   ? ARNE_OK
                   : doc_fail(slot, ARNE_VALUE,
                              "needs a ground or a height_field among the surroundings");
    arne_status status = doc_check(slot, surroundings_world(&s->sim, &world, s->reader.error));
    if (!status && arne_work_new(s->robot, &work) != ARNE_OK)
        status = arne_fail_memory(s->reader.error);
    if (!status) status = move_to_ground(s, slot, world, work);
    arne_work_free(work);
    arne_world_free(world);
    return status;
}

typedef struct initial_keys {
    const double *q, *qd;
    int           height;
} initial_keys;

static const doc_word initial_heights[] = {
    {"ground", 1, NULL, NULL, "where the lowest contact touches"}, {0}};
static const doc_key initial_key_table[] = {
    {"q", DOC_TYPE_BY_JOINT_Q, offsetof(initial_keys, q), .unit = "rad, m"},
    {"qd", DOC_TYPE_BY_JOINT_V, offsetof(initial_keys, qd), .unit = "rad/s, m/s", .otherwise = "0"},
    {"height", DOC_TYPE_WORD, offsetof(initial_keys, height), .words = initial_heights,
     .help = "of a free base; default: as q says"},
    {0},
};
const doc_schema scenario_initial_schema = {"initial", NULL, initial_key_table, NULL};

// The default initial state.
static arne_status scenario_robot_begin(arne_scenario *s)
{
    const arne_sizes sizes = arne_robot_sizes(s->robot);
    s->q = scenario_doubles(s, sizes.q_count);
    s->qd = scenario_doubles(s, sizes.v_count);
    if (!s->q || !s->qd) return arne_fail_memory(s->reader.error);
    if (sizes.loop_count > 0)
        arne_start_configuration(s->robot, s->q);
    else
        arne_neutral(s->robot, s->q);
    s->reader.rest = s->q;
    return ARNE_OK;
}

// The section may be missing: loops are closed all the same.
arne_status scenario_read_initial(arne_scenario *s, const doc_slot *slot)
{
    initial_keys   keys = {0};
    const doc_slot map = {slot->reader, "initial", "", slot->value};
    const doc_slot none = {slot->reader, "initial", "", NULL};
    const doc_slot q = slot->value ? doc_under(&map, "q") : none;
    const doc_slot qd = slot->value ? doc_under(&map, "qd") : none;
    arne_status    status = s->robot ? scenario_robot_begin(s) : ARNE_OK;
    if (!status && slot->value) status = doc_read_map(&map, &scenario_initial_schema, &keys, 0);
    if (status || !s->robot) return status;
    const arne_sizes sizes = arne_robot_sizes(s->robot);
    if (keys.q) memcpy(s->q, keys.q, (size_t)sizes.q_count * sizeof *s->q);
    if (keys.qd) memcpy(s->qd, keys.qd, (size_t)sizes.v_count * sizeof *s->qd);
    if (keys.q) status = check_quaternions(&q, s);
    if (keys.q && !status) status = doc_check_degrees(&q, s->robot, s->q);
    if (!status && sizes.loop_count > 0) status = close_initial(s, &q, &qd);
    if (!status && keys.height) {
        const doc_slot height = doc_under(&map, "height");
        status = put_on_ground(s, &height, keys.q != NULL);
    }
    if (keys.q || keys.height) s->sim.q = s->q;
    if (keys.qd) s->sim.qd = s->qd;
    return status;
}
