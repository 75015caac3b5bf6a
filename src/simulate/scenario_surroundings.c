// The surroundings section: a list of drags, tethers and pushes.
#include "simulate/medium.h"
#include "simulate/scenario.h"
#include <math.h>
#include <stdio.h>

typedef struct surrounding_keys {
    arne_surrounding to;
    const doc_node  *frame, *rod, *table, *heights;
    int              between_links;
} surrounding_keys;

#define AT(field) offsetof(surrounding_keys, field)
#define FRAME_KEY                                                                                  \
    {                                                                                              \
        "frame", DOC_TYPE_NODE, AT(frame), .needed = 1, .takes = "a link or frame",                \
                                           .help = "that it acts on"                               \
    }
// Of the whole rod, in place of a frame.
#define ROD_KEYS                                                                                   \
    {"frame", DOC_TYPE_NODE, AT(frame), .takes = "a link or frame", .help = "that it acts on"},    \
    {                                                                                              \
        "rod", DOC_TYPE_NODE, AT(rod),                                                             \
            .takes = "a link that bends by modes",                                                 \
            .help = "in place of frame: the numbers are those of the whole rod, "                  \
                    "and its slices share them as they do its mass"                                \
    }
static const doc_key drag_keys[] = {
    ROD_KEYS,
    {"linear", DOC_TYPE_NUMBERS, AT(to.linear), .count = 6, .unit = "N s/m, N m s/rad"},
    {"quadratic", DOC_TYPE_NUMBERS, AT(to.quadratic), .count = 6,
     .unit = "N s^2/m^2, N m s^2/rad^2"},
    {0},
};
static const doc_key tether_keys[] = {
    FRAME_KEY,
    {"point", DOC_TYPE_VEC3, AT(to.point), .unit = "m", .help = "in the link's frame"},
    {"anchor", DOC_TYPE_VEC3, AT(to.anchor), .unit = "m", .help = "in the world"},
    {"stiffness", DOC_TYPE_NUMBER, AT(to.stiffness), .unit = "N/m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"damping", DOC_TYPE_NUMBER, AT(to.damping), .unit = "N s/m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"length", DOC_TYPE_NUMBER, AT(to.length), .unit = "m", .range = DOC_NOT_NEGATIVE,
     .otherwise = "0"},
    {"only_pulls", DOC_TYPE_FLAG, AT(to.only_pulls), .otherwise = "no", .help = "a rope"},
    {0},
};
static const doc_word axes[] = {
    {"frame", 0, NULL, NULL, NULL}, {"world", 1, NULL, NULL, NULL}, {0}};
static const doc_key push_keys[] = {
    FRAME_KEY,
    {"table", DOC_TYPE_NODE, AT(table), .takes = "a CSV file",
     .help = "columns time, fx, fy, fz, mx, my, mz; or, without a file:"},
    {"force", DOC_TYPE_VEC3, AT(to.push.lin), .unit = "N", .help = "constant while it acts"},
    {"moment", DOC_TYPE_VEC3, AT(to.push.ang), .unit = "N m", .help = "likewise"},
    {"start", DOC_TYPE_NUMBER, AT(to.start), .unit = "s", .otherwise = "0",
     .help = "of force and moment: when they begin"},
    {"duration", DOC_TYPE_NUMBER, AT(to.duration), .unit = "s", .range = DOC_POSITIVE,
     .help = "how long they act; default: to the end"},
    {"axes", DOC_TYPE_WORD, AT(to.in_world), .words = axes, .otherwise = "frame",
     .help = "of the components"},
    {0},
};

static const doc_word models[] = {
    {"rigid", ARNE_CONTACT_RIGID, NULL, NULL, "steps of a fixed size, with impulses"},
    {"compliant", ARNE_CONTACT_COMPLIANT, NULL, NULL, "a force that grows with penetration"},
    {0},
};
#define SURFACE_KEYS                                                                               \
    {"friction",  DOC_TYPE_NUMBER,           AT(to.surface.friction),                              \
     .needed = 1, .range = DOC_NOT_NEGATIVE, .help = "coefficient of Coulomb friction"},           \
        {"restitution",     DOC_TYPE_NUMBER,  AT(to.surface.restitution),                          \
         .range = DOC_PART, .otherwise = "0", .help = "speed after an impact over speed before"},  \
        {"model",         DOC_TYPE_WORD,        AT(to.surface.model),                              \
         .words = models, .otherwise = "rigid", .help = "of contact"},                             \
        {"stiffness",                                                                              \
         DOC_TYPE_NUMBER,                                                                          \
         AT(to.surface.stiffness),                                                                 \
         .unit = "N/m^1.5",                                                                        \
         .range = DOC_POSITIVE,                                                                    \
         .help = "compliant; default: the robot's weight on one point penetrates by 1 mm"},        \
        {"dissipation", DOC_TYPE_NUMBER,           AT(to.surface.dissipation),                     \
         .unit = "s/m", .range = DOC_NOT_NEGATIVE, .help = "compliant; default: 1 - restitution"}, \
        {"slip_velocity",                                                                          \
         DOC_TYPE_NUMBER,                                                                          \
         AT(to.surface.slip_velocity),                                                             \
         .unit = "m/s",                                                                            \
         .range = DOC_POSITIVE,                                                                    \
         .otherwise = "0.001",                                                                     \
         .help = "compliant: where friction reaches 71 % of its limit"},                           \
    {                                                                                              \
        "between_links", DOC_TYPE_FLAG, AT(between_links),                                         \
            .otherwise = "yes", .help = "whether spheres and capsules of links touch each other"   \
    }
static const doc_key ground_keys[] = {
    SURFACE_KEYS,
    {"point", DOC_TYPE_VEC3, AT(to.surface.point), .unit = "m", .help = "default [0, 0, 0]"},
    {"normal", DOC_TYPE_VEC3, AT(to.surface.normal), .help = "default [0, 0, 1]"},
    {0},
};
static const doc_key height_keys[] = {
    SURFACE_KEYS,
    {"heights", DOC_TYPE_NODE, AT(heights), .needed = 1, .takes = "a list of rows along x",
     .unit = "m"},
    {"spacing", DOC_TYPE_NUMBERS, AT(to.surface.spacing), .needed = 1, .count = 2, .unit = "m",
     .help = "of columns along x, of rows along y"},
    {"corner", DOC_TYPE_NUMBERS, AT(to.surface.corner), .count = 2, .unit = "m",
     .help = "x and y of the first height; default [0, 0]"},
    {0},
};

static const doc_word hands[] = {
    {"right", 0, NULL, NULL, NULL}, {"left", 1, NULL, NULL, NULL}, {0}};
static const doc_key propeller_keys[] = {
    FRAME_KEY,
    {"thrust", DOC_TYPE_NUMBER, AT(to.thrust), .needed = 1, .range = DOC_NOT_NEGATIVE,
     .unit = "N s^2/rad^2",
     .help = "coefficient of thrust: times the square of the joint's speed, along its axis"},
    {"torque", DOC_TYPE_NUMBER, AT(to.drag_torque), .range = DOC_NOT_NEGATIVE,
     .unit = "N m s^2/rad^2", .otherwise = "0",
     .help = "coefficient of drag torque: times the square of the speed"},
    {"hand", DOC_TYPE_WORD, AT(to.left_handed), .words = hands, .otherwise = "right",
     .help = "left: the thrust is along the axis for negative rotation"},
    {0},
};
static const doc_key thruster_keys[] = {
    FRAME_KEY,
    {"force", DOC_TYPE_NUMBER, AT(to.force), .needed = 1, .unit = "N", .help = "along the axis"},
    {"axis", DOC_TYPE_VEC3, AT(to.normal), .help = "in the link's frame; default z"},
    {"point", DOC_TYPE_VEC3, AT(to.point), .unit = "m", .help = "in the link's frame"},
    {"start", DOC_TYPE_NUMBER, AT(to.start), .unit = "s", .otherwise = "0",
     .help = "when it starts"},
    {"duration", DOC_TYPE_NUMBER, AT(to.duration), .unit = "s", .range = DOC_POSITIVE,
     .help = "how long it acts; default: to the end"},
    {0},
};
static const doc_key wing_keys[] = {
    FRAME_KEY,
    {"area", DOC_TYPE_NUMBER, AT(to.area), .needed = 1, .range = DOC_POSITIVE, .unit = "m^2",
     .help = "of the plate"},
    {"normal", DOC_TYPE_VEC3, AT(to.normal),
     .help = "of the plate, in the link's frame; default z"},
    {"point", DOC_TYPE_VEC3, AT(to.point), .unit = "m", .help = "its centre, in the link's frame"},
    {"density", DOC_TYPE_NUMBER, AT(to.density), .range = DOC_POSITIVE, .unit = "kg/m^3",
     .help = "of the medium; default 1.225, air"},
    {"wind", DOC_TYPE_VEC3, AT(to.wind), .unit = "m/s",
     .help = "how the medium moves, in the world"},
    {0},
};
static const doc_key buoyancy_keys[] = {
    ROD_KEYS,
    {"volume", DOC_TYPE_NUMBER, AT(to.volume), .needed = 1, .range = DOC_POSITIVE, .unit = "m^3",
     .help = "that is displaced"},
    {"point", DOC_TYPE_VEC3, AT(to.point), .unit = "m", .help = "its centre, in the link's frame"},
    {"density", DOC_TYPE_NUMBER, AT(to.density), .range = DOC_POSITIVE, .unit = "kg/m^3",
     .help = "of the medium; default 1000, water"},
    {0},
};
static const doc_key fluid_keys[] = {
    ROD_KEYS,
    {"density", DOC_TYPE_NUMBER, AT(to.density), .range = DOC_NOT_NEGATIVE, .unit = "kg/m^3",
     .otherwise = "0", .help = "drag by the square of the speed"},
    {"viscosity", DOC_TYPE_NUMBER, AT(to.viscosity), .range = DOC_NOT_NEGATIVE, .unit = "Pa s",
     .otherwise = "0", .help = "drag in proportion to the speed"},
    {"wind", DOC_TYPE_VEC3, AT(to.wind), .unit = "m/s",
     .help = "how the medium moves, in the world"},
    {0},
};
// Six numbers are a diagonal, 36 a matrix row by row.
static arne_status read_added(const doc_slot *slot, void *into)
{
    surrounding_keys *k = into;
    double            diagonal[6];
    if (slot->value->kind == DOC_LIST && slot->value->count == 36)
        return doc_numbers(slot, 36, k->to.added);
    const arne_status status = doc_numbers(slot, 6, diagonal);
    for (int i = 0; i < 6 && !status; i++)
        k->to.added[i * 7] = diagonal[i];
    return status;
}
static const doc_key added_keys[] = {
    ROD_KEYS,
    {"mass", DOC_TYPE_OTHER, 0, .needed = 1, .read = read_added, .unit = "kg, kg m, kg m^2",
     .takes = "six numbers (a diagonal) or 36, row by row",
     .help = "by linear x, y, z and angular x, y, z, at the link's origin in its axes"},
    {0},
};

static const doc_word types[] = {
    {"drag", ARNE_SURROUNDING_DRAG, drag_keys, NULL, "of a still medium"},
    {"tether", ARNE_SURROUNDING_TETHER, tether_keys, NULL, "a spring to a point of the world"},
    {"push", ARNE_SURROUNDING_PUSH, push_keys, NULL, "a wrench over time"},
    {"ground", ARNE_SURROUNDING_GROUND, ground_keys, NULL, "a plane that the contacts touch"},
    {"height_field", ARNE_SURROUNDING_GROUND, height_keys, NULL, "a surface by its heights"},
    {"propeller", ARNE_SURROUNDING_PROPELLER, propeller_keys, NULL, "thrust and drag torque"},
    {"thruster", ARNE_SURROUNDING_THRUSTER, thruster_keys, NULL, "a force for a time"},
    {"wing", ARNE_SURROUNDING_WING, wing_keys, NULL, "lift and drag of a flat plate"},
    {"buoyancy", ARNE_SURROUNDING_BUOYANCY, buoyancy_keys, NULL, "of a body under water"},
    {"fluid", ARNE_SURROUNDING_FLUID, fluid_keys, NULL, "drag as of a box, as MuJoCo has it"},
    {"added_mass", ARNE_SURROUNDING_ADDED_MASS, added_keys, NULL, "water that moves along"},
    {0},
};

static const doc_key surrounding_key_table[] = {
    {"type", DOC_TYPE_WORD, AT(to.kind), .needed = 1, .words = types, .help = "what acts"},
    {0},
};
#undef AT
const doc_schema scenario_surrounding_schema = {"surroundings", NULL, surrounding_key_table,
                                                "type"};

// A push is a table, or a force and a moment for a time.
static arne_status read_push(const doc_slot *item, const doc_node *node, arne_surrounding *to)
{
    static const char *const steady[] = {"force", "moment", "start", "duration"};
    const doc_slot           slot = {item->reader, item->owner, "table", node};
    for (int i = 0; i < 4 && node; i++) {
        const doc_slot other = doc_under(item, steady[i]);
        if (other.value)
            return doc_fail(&other, ARNE_VALUE, "is of a push without a table: take one of them");
    }
    if (!node && !doc_find(item->value, "force") && !doc_find(item->value, "moment"))
        return doc_fail(item, ARNE_VALUE, "a push needs a force, a moment or a table");
    if (!node) return ARNE_OK;
    const arne_status status = scenario_table(&slot, &to->table);
    if (status || arne_table_find(to->table, "time") >= 0) return status;
    return doc_fail(&slot, ARNE_VALUE, "'%.80s' has no column 'time'", node->text);
}

// Rows of equal length.
static arne_status read_heights(const doc_slot *item, const doc_node *node, arne_surface *to)
{
    arne_scenario *s = scenario_of(item);
    const doc_slot slot = {item->reader, item->owner, "heights", node};
    const int      columns =
        node->kind == DOC_LIST && node->first && node->first->value->kind == DOC_LIST
                 ? node->first->value->count
                 : 0;
    if (columns < 2 || node->count < 2)
        return doc_fail(&slot, ARNE_VALUE,
                        "must be a list of two rows or more, of two or more numbers");
    double *heights =
        document_take(&s->doc, (size_t)node->count * (size_t)columns * sizeof *heights);
    if (!heights) return arne_fail_memory(s->reader.error);
    arne_status status = ARNE_OK;
    int         row = 0;
    for (const doc_item *i = node->first; i && status_goes_on(status); i = i->next, row++) {
        const doc_slot one = {item->reader, item->owner, "heights", i->value};
        status = status_both(status, doc_numbers(&one, columns, heights + row * columns));
    }
    to->heights = heights;
    to->rows = node->count;
    to->columns = columns;
    return status;
}

// A direction that is given has a length.
static arne_status check_direction(const doc_slot *item, const char *key, const arne_vec3 *v)
{
    const doc_slot slot = doc_under(item, key);
    if (!slot.value || v->x != 0 || v->y != 0 || v->z != 0) return ARNE_OK;
    return doc_fail(&slot, ARNE_VALUE, "must not be zero");
}

static arne_status check_tether(const doc_slot *item, const arne_surrounding *to)
{
    if (to->kind != ARNE_SURROUNDING_TETHER || to->stiffness != 0 || to->damping != 0)
        return ARNE_OK;
    return doc_fail(item, ARNE_VALUE, "a tether needs a stiffness or a damping above 0");
}

static arne_status read_surface(const doc_slot *item, surrounding_keys *k)
{
    const arne_robot *robot = scenario_of(item)->robot;
    arne_status       status = check_direction(item, "normal", &k->to.surface.normal);
    k->to.surface.no_pairs = !k->between_links;
    static const char *const compliant[] = {"stiffness", "dissipation"};
    for (int i = 0; i < 2 && k->to.surface.model == ARNE_CONTACT_RIGID; i++) {
        const doc_slot slot = doc_under(item, compliant[i]);
        if (slot.value)
            status = status_both(status, doc_fail(&slot, ARNE_VALUE,
                                                  "is of the compliant model: take model: "
                                                  "compliant, or leave it out"));
    }
    if (k->heights) status = status_both(status, read_heights(item, k->heights, &k->to.surface));
    if (robot && arne_robot_sizes(robot).contact_count == 0)
        status = status_both(status, doc_fail(item, ARNE_VALUE,
                                              "nothing of the robot can touch it: its file has no "
                                              "`contacts` and no <collision>"));
    return status;
}

// ---- along rods

// The link that slice k of a rod moves; -1: there are no more.
static int rod_slice(const arne_robot *robot, const char *rod, int k)
{
    char name[200];
    snprintf(name, sizeof name, "%.160s_slice_%d", rod, k);
    const int joint = arne_find_joint(robot, name);
    return joint < 0 ? -1 : arne_robot_joint(robot, joint).child;
}

static double rod_slice_mass(const arne_robot *robot, int frame)
{
    return arne_robot_frame(robot, frame).mass;
}

static int surrounding_is_spread(arne_surrounding_kind kind)
{
    return kind == ARNE_SURROUNDING_DRAG || kind == ARNE_SURROUNDING_BUOYANCY ||
           kind == ARNE_SURROUNDING_FLUID || kind == ARNE_SURROUNDING_ADDED_MASS;
}

// One for each slice with mass, with its share of all that is extensive. A box of MuJoCo's medium
// is that of the slice's own mass.
static arne_status rod_spread(const doc_slot *item, arne_scenario *s, const surrounding_keys *k)
{
    const char    *rod = k->rod->kind == DOC_TEXT ? k->rod->text : "";
    const doc_slot slot = {item->reader, item->owner, "rod", k->rod};
    double         whole = 0;
    for (int i = 1, frame; (frame = rod_slice(s->robot, rod, i)) >= 0; i++)
        whole += rod_slice_mass(s->robot, frame);
    if (!(whole > 0)) return doc_fail(&slot, ARNE_VALUE, "'%.80s' is no rod by strain modes", rod);
    for (int i = 1, frame; (frame = rod_slice(s->robot, rod, i)) >= 0; i++) {
        arne_surrounding one = k->to;
        const double     part = rod_slice_mass(s->robot, frame) / whole;
        if (!(part > 0)) continue;
        one.frame = frame;
        one.volume *= part;
        for (int j = 0; j < 6; j++) {
            one.linear[j] *= part;
            one.quadratic[j] *= part;
        }
        for (int j = 0; j < 36; j++)
            one.added[j] *= part;
        const arne_status status =
            doc_check(item, medium_check(s->robot, &one, item->reader->error));
        if (status) return status;
        s->surroundings[s->sim.surrounding_count++] = one;
    }
    return ARNE_OK;
}

static arne_status scenario_surroundings_read_one(const doc_slot *item, const char *name,
                                                  void *context)
{
    arne_scenario   *s = context;
    surrounding_keys k = {.between_links = 1};
    k.to.normal.z = 1;
    k.to.duration = INFINITY;
    (void)name;
    arne_status    status = doc_read_map(item, &scenario_surrounding_schema, &k, 0);
    const doc_slot frame = {item->reader, item->owner, "frame", k.frame};
    if (k.frame) status = status_both(status, doc_frame(&frame, s->robot, &k.to.frame));
    if (!status && surrounding_is_spread(k.to.kind) && !k.frame == !k.rod)
        status = doc_fail(item, ARNE_VALUE, "needs a frame or a rod, one of them");
    if (k.table || (!status && k.to.kind == ARNE_SURROUNDING_PUSH))
        status = status_both(status, read_push(item, k.table, &k.to));
    if (!status) status = check_direction(item, "axis", &k.to.normal);
    if (!status) status = check_tether(item, &k.to);
    if (!status && k.to.kind == ARNE_SURROUNDING_GROUND) status = read_surface(item, &k);
    if (k.to.density == 0) k.to.density = k.to.kind == ARNE_SURROUNDING_WING ? 1.225 : 1000;
    if (!status && s->robot && k.rod) return rod_spread(item, s, &k);
    if (!status && s->robot)
        status = doc_check(item, medium_check(s->robot, &k.to, item->reader->error));
    if (!status) s->surroundings[s->sim.surrounding_count++] = k.to;
    return status;
}

arne_status scenario_read_surroundings(const doc_slot *section, void *unused)
{
    arne_scenario *s = scenario_of(section);
    (void)unused;
    const size_t slices = s->robot ? (size_t)arne_robot_sizes(s->robot).joint_count : 0;
    s->surroundings = document_take(&s->doc, ((size_t)section->value->count + 1) * (1 + slices) *
                                                 sizeof *s->surroundings);
    if (!s->surroundings) return arne_fail_memory(s->reader.error);
    s->sim.surroundings = s->surroundings;
    return doc_each(section, &scenario_surrounding_schema, scenario_surroundings_read_one, s);
}
