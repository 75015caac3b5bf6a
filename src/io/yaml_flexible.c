// Links that bend: the key `flexible` of a body.
#include "io/yaml_robot.h"
#include <math.h>
#include <string.h>

typedef struct flexible_keys {
    arne_flexible_spec spec;
    double             rectangle[2], radius[2]; // outer and inner
    unsigned           bends;                   // bit i: it bends along axis i of the link
    double             nu;
} flexible_keys;

static const doc_word axes[] = {
    {"x", 0, NULL, NULL, NULL}, {"y", 1, NULL, NULL, NULL}, {"z", 2, NULL, NULL, NULL}, {0}};
static const doc_word sides[] = {
    {"x", 1, NULL, NULL, NULL}, {"y", 2, NULL, NULL, NULL}, {"z", 4, NULL, NULL, NULL}, {0}};

// One number for both entries, or a list of two.
static arne_status yaml_flexible_read_pair(const doc_slot *slot, double pair[2], int same)
{
    arne_status status = ARNE_OK;
    if (slot->value->kind == DOC_LIST) {
        status = doc_numbers(slot, 2, pair);
    } else {
        status = doc_number(slot, &pair[0]);
        pair[1] = same ? pair[0] : 0;
    }
    return status;
}

static arne_status read_moments(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    arne_status    status = yaml_flexible_read_pair(slot, keys->spec.moments, 1);
    for (int i = 0; i < 2 && !status; i++)
        status = doc_in_range(slot, DOC_POSITIVE, keys->spec.moments[i]);
    return status;
}

static arne_status read_rectangle(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    arne_status    status = doc_numbers(slot, 2, keys->rectangle);
    for (int i = 0; i < 2 && !status; i++)
        status = doc_in_range(slot, DOC_POSITIVE, keys->rectangle[i]);
    if (!status) arne_flexible_rectangle(&keys->spec, keys->rectangle[0], keys->rectangle[1]);
    return status;
}

static arne_status read_round(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    double        *r = keys->radius;
    arne_status    status = yaml_flexible_read_pair(slot, r, 0);
    if (!status) status = doc_in_range(slot, DOC_POSITIVE, r[0]);
    if (!status) status = doc_in_range(slot, DOC_NOT_NEGATIVE, r[1]);
    if (!status && r[1] >= r[0])
        return doc_fail(slot, ARNE_VALUE, "has an inner radius that is not below the outer one");
    if (!status) arne_flexible_round(&keys->spec, r[0], r[1]);
    return status;
}

// ---- rods by strain modes

static arne_status read_poisson(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    arne_status    status = doc_number(slot, &keys->nu);
    if (!status && !(keys->nu > -1 && keys->nu <= 0.5))
        status = doc_fail(slot, ARNE_VALUE, "must be above -1 and at most 0.5");
    return status;
}

// Errors of torques fall with the fourth power of the number of points: about 0.27 over it.
static arne_status read_accuracy(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    double         accuracy = 0;
    arne_status    status = doc_number(slot, &accuracy);
    if (!status) status = doc_in_range(slot, DOC_POSITIVE, accuracy);
    if (!status) keys->spec.points = (int)fmin(fmax(ceil(pow(0.27 / accuracy, 0.25)), 4), 200);
    return status;
}

#define MODES(strain) offsetof(arne_flexible_spec, modes[strain])
static const doc_key mode_keys[] = {
    {"twist", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_TWIST), .otherwise = "0",
     .help = "modes of the twist about x"},
    {"bend_y", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_BEND_Y), .otherwise = "0",
     .help = "modes of the bend about y"},
    {"bend_z", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_BEND_Z), .otherwise = "0",
     .help = "modes of the bend about z"},
    {"stretch", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_STRETCH), .otherwise = "0",
     .help = "modes of the stretch along x"},
    {"shear_y", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_SHEAR_Y), .otherwise = "0",
     .help = "modes of the shear along y"},
    {"shear_z", DOC_TYPE_WHOLE, MODES(ARNE_STRAIN_SHEAR_Z), .otherwise = "0",
     .help = "modes of the shear along z"},
    {0},
};
#undef MODES
static const doc_schema mode_schema = {"modes", NULL, mode_keys, NULL};

#define NATURAL(name, strain)                                                                      \
    {                                                                                              \
        name, DOC_TYPE_WHOLE, offsetof(arne_flexible_spec, natural[strain]),                       \
            .otherwise = "0", .help = "natural modes that take the place of its polynomials"       \
    }
static const doc_key natural_keys[] = {
    NATURAL("twist", ARNE_STRAIN_TWIST),
    NATURAL("bend_y", ARNE_STRAIN_BEND_Y),
    NATURAL("bend_z", ARNE_STRAIN_BEND_Z),
    NATURAL("stretch", ARNE_STRAIN_STRETCH),
    NATURAL("shear_y", ARNE_STRAIN_SHEAR_Y),
    NATURAL("shear_z", ARNE_STRAIN_SHEAR_Z),
    {0},
};
static const doc_schema natural_schema = {"natural", NULL, natural_keys, NULL};

static arne_status read_ellipse(const doc_slot *slot, void *into)
{
    flexible_keys *keys = into;
    double         half[2];
    arne_status    status = doc_numbers(slot, 2, half);
    for (int i = 0; i < 2 && !status; i++)
        status = doc_in_range(slot, DOC_POSITIVE, half[i]);
    if (!status) arne_flexible_ellipse(&keys->spec, half[0], half[1]);
    return status;
}

// Rows of so many numbers, of which the first is s.
static arne_status read_rows(const doc_slot *slot, int width, int *count, double *rows)
{
    arne_status status = ARNE_OK;
    if (slot->value->count > ARNE_ROD_TABLE)
        return doc_fail(slot, ARNE_VALUE, "has %d rows; %d are possible", slot->value->count,
                        ARNE_ROD_TABLE);
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot row = {slot->reader, slot->owner, slot->key, i->value};
        status = status_both(status, doc_numbers(&row, width, rows + width * (*count)++));
    }
    return status;
}

// Three numbers, or rows of s, twist, bend_y, bend_z.
static arne_status read_curvature(const doc_slot *slot, void *into)
{
    arne_flexible_spec *f = &((flexible_keys *)into)->spec;
    if (slot->value->kind != DOC_LIST || !slot->value->first ||
        slot->value->first->value->kind != DOC_LIST)
        return doc_numbers(slot, 3, f->curvature);
    return read_rows(slot, 4, &f->table_count, f->table[0]);
}

// A number, or rows of s and size.
static arne_status read_taper(const doc_slot *slot, void *into)
{
    arne_flexible_spec *f = &((flexible_keys *)into)->spec;
    if (slot->value->kind == DOC_LIST) return read_rows(slot, 2, &f->size_count, f->sizes[0]);
    const arne_status status = doc_number(slot, &f->taper);
    return status ? status : doc_in_range(slot, DOC_POSITIVE, f->taper);
}

#define AT(field) offsetof(flexible_keys, field)
static const doc_key flexible_key_table[] = {
    {"length", DOC_TYPE_NUMBER, AT(spec.length), .needed = 1, .range = DOC_POSITIVE, .unit = "m",
     .help = "from its root to its tip"},
    {"axis", DOC_TYPE_WORD, AT(spec.axis), .words = axes, .otherwise = "x",
     .help = "axis of the link's frame along the beam"},
    {"E", DOC_TYPE_NUMBER, AT(spec.E), .range = DOC_POSITIVE, .unit = "N/m^2",
     .help = "Young's modulus"},
    {"G", DOC_TYPE_NUMBER, AT(spec.G), .range = DOC_POSITIVE, .unit = "N/m^2",
     .help = "shear modulus; without it the link does not twist"},
    {"rectangle", DOC_TYPE_OTHER, 0, .read = read_rectangle, .unit = "m", .takes = "[a, b]",
     .help = "sides of the section along the two axes that follow `axis`"},
    {"round", DOC_TYPE_OTHER, 0, .read = read_round, .unit = "m",
     .takes = "a radius, or [outer, inner]", .help = "radius of the section"},
    {"ellipse", DOC_TYPE_OTHER, 0, .read = read_ellipse, .unit = "m", .takes = "[a, b]",
     .help = "half axes of the section along the two axes that follow `axis`"},
    {"A", DOC_TYPE_NUMBER, AT(spec.A), .range = DOC_POSITIVE, .unit = "m^2",
     .help = "area of the section"},
    {"I", DOC_TYPE_OTHER, 0, .read = read_moments, .unit = "m^4", .takes = "a number, or two",
     .help = "second moments of area for bending about the two axes that follow `axis`"},
    {"J", DOC_TYPE_NUMBER, AT(spec.J), .range = DOC_POSITIVE, .unit = "m^4",
     .help = "torsion constant of the section"},
    {"density", DOC_TYPE_NUMBER, AT(spec.density), .range = DOC_POSITIVE, .unit = "kg/m^3",
     .help = "of its material"},
    {"damping", DOC_TYPE_NUMBER, AT(spec.damping), .range = DOC_NOT_NEGATIVE, .otherwise = "0",
     .help = "damping ratio of the first clamped mode in each direction"},
    {"damping_ratio", DOC_TYPE_NUMBER, AT(spec.damping), .range = DOC_NOT_NEGATIVE,
     .help = "the same"},
    {"segments", DOC_TYPE_WHOLE, AT(spec.segments), .otherwise = "8", .range = DOC_POSITIVE,
     .help = "number of rigid segments that move, at least 2"},
    {"bends", DOC_TYPE_WORDS, AT(bends), .words = sides,
     .help = "the axes along which it bends, one or both; default both"},
    {"modes", DOC_TYPE_MAP, AT(spec), .inside = &mode_schema,
     .help = "number of modes of each strain: a rod by strain modes in place of segments"},
    {"points", DOC_TYPE_WHOLE, AT(spec.points), .otherwise = "10", .range = DOC_POSITIVE,
     .help = "of a rod: points along it that carry its mass"},
    {"accuracy", DOC_TYPE_OTHER, 0, .read = read_accuracy, .takes = "a number",
     .help = "of a rod, in place of points: of its torques, over the largest"},
    {"turn", DOC_TYPE_NUMBER, AT(spec.turn), .range = DOC_POSITIVE, .otherwise = "1", .unit = "rad",
     .help = "of a rod: the largest between two points, at most 3"},
    {"curvature", DOC_TYPE_OTHER, 0, .read = read_curvature, .unit = "rad/m",
     .takes = "[twist, bend_y, bend_z], or rows of these with s before them",
     .help = "of a rod at rest; straight between rows"},
    {"pieces", DOC_TYPE_WHOLE, AT(spec.pieces), .otherwise = "1", .range = DOC_POSITIVE,
     .help = "of a rod: parts of the same length, each with these modes of its own"},
    {"natural", DOC_TYPE_MAP, AT(spec), .inside = &natural_schema,
     .help = "of a rod: natural modes of the straight clamped rod, in place of as many or more "
             "modes"},
    {"taper", DOC_TYPE_OTHER, 0, .read = read_taper, .otherwise = "1",
     .takes = "a number, or rows of s and a number",
     .help = "of a rod: size of the section at its tip over that at its root; or its size along it "
             "over the one given, straight between rows"},
    {"nu", DOC_TYPE_OTHER, 0, .read = read_poisson, .takes = "a number",
     .help = "Poisson's ratio, in place of G"},
    {"stiffness", DOC_TYPE_NUMBERS, AT(spec.stiffness), .count = ARNE_STRAIN_COUNT,
     .unit = "N m^2, N",
     .help = "of a rod: GJ, EIy, EIz, EA, GAy, GAz, in place of material and section"},
    {"mass_per_length", DOC_TYPE_NUMBER, AT(spec.line[0]), .range = DOC_POSITIVE, .unit = "kg/m",
     .help = "of a rod, in place of density and section"},
    {"rotary", DOC_TYPE_NUMBERS, AT(spec.line[1]), .count = 3, .unit = "kg m",
     .help = "of a rod: rotary inertia per length about x, y, z, beside mass_per_length"},
    {"viscosity", DOC_TYPE_NUMBER, AT(spec.viscosity), .range = DOC_NOT_NEGATIVE, .otherwise = "0",
     .unit = "Pa s", .help = "of the material of a rod"},
    {"strain_damping", DOC_TYPE_NUMBERS, AT(spec.strain_damping), .count = ARNE_STRAIN_COUNT,
     .unit = "N m^2 s, N s", .help = "of the strains of a rod, as its stiffness"},
    {0},
};
#undef AT
const doc_schema arne_yaml_flexible_schema = {"flexible", NULL, flexible_key_table, NULL};

static arne_status check_section(const doc_slot *slot)
{
    const doc_node *map = slot->value;
    const int       rectangle = doc_find(map, "rectangle") != NULL,
              round = (doc_find(map, "round") != NULL) + (doc_find(map, "ellipse") != NULL);
    const int own = doc_find(map, "A") || doc_find(map, "I") || doc_find(map, "J");
    const int is_given = doc_find(map, "stiffness") && doc_find(map, "mass_per_length");
    if (is_given && rectangle + round + own == 0) return ARNE_OK;
    if (rectangle + round + own != 1)
        return doc_fail(slot, ARNE_VALUE,
                        rectangle + round + own
                            ? "has more than one of rectangle, round, ellipse and A, I, J"
                            : "needs a section: rectangle, round, ellipse, or A and I");
    if (own && (!doc_find(map, "A") || !doc_find(map, "I")))
        return doc_fail(slot, ARNE_VALUE, "needs A and I where one of A, I, J is given");
    if (own && doc_find(map, "G") && !doc_find(map, "J"))
        return doc_fail(slot, ARNE_VALUE, "needs J: it has G, and so it twists");
    return ARNE_OK;
}

// Stiffness and mass may be given in place of material and section.
static arne_status check_material(const doc_slot *slot)
{
    const doc_node *map = slot->value;
    arne_status     status = ARNE_OK;
    if (!doc_find(map, "E") && !doc_find(map, "stiffness")) status = doc_missing(slot, "E");
    if (!doc_find(map, "density") && !doc_find(map, "mass_per_length"))
        status = status_both(status, doc_missing(slot, "density"));
    return status_both(status, check_section(slot));
}

static arne_status choose_bends(const doc_slot *slot, flexible_keys *keys)
{
    const int      axis = keys->spec.axis;
    const doc_slot bends = doc_under(slot, "bends");
    if (!bends.value) return ARNE_OK;
    if (keys->bends >> axis & 1)
        return doc_fail(&bends, ARNE_VALUE, "names the link's own axis; it bends across that");
    for (int i = 0; i < 2; i++) // it moves along one axis by turning about the other
        keys->spec.stiff[i] = !(keys->bends >> (axis + 2 - i) % 3 & 1);
    return ARNE_OK;
}

arne_status arne_yaml_flexible(const doc_slot *slot, void *body_spec)
{
    arne_body_spec *spec = body_spec;
    flexible_keys   keys = {.spec = arne_flexible_spec_default()};
    arne_status     status = doc_read_map(slot, &arne_yaml_flexible_schema, &keys, 0);
    if (slot->value->kind != DOC_MAP) return status;
    status = status_both(status, check_material(slot));
    status = status_both(status, choose_bends(slot, &keys));
    const doc_slot segments = doc_under(slot, "segments"), G = doc_under(slot, "G");
    const doc_slot modes = doc_under(slot, "modes"), nu = doc_under(slot, "nu");
    if (!status && nu.value && G.value)
        status = doc_fail(&nu, ARNE_VALUE, "and G are both given; one follows from the other");
    if (nu.value) keys.spec.G = keys.spec.E / (2 * (1 + keys.nu));
    if (!status && modes.value && segments.value)
        status = doc_fail(&modes, ARNE_VALUE, "and segments are both given; a link is one of them");
    if (!status && modes.value && !arne_flexible_is_rod(&keys.spec))
        status = doc_fail(&modes, ARNE_VALUE, "names no strain with modes");
    if (modes.value) keys.spec.segments = 0;
    if (!status && !modes.value && keys.spec.segments < 2)
        status = doc_fail(&segments, ARNE_VALUE, "must be at least 2");
    if (status) return status;
    spec->flexible = keys.spec;
    return ARNE_OK;
}

arne_status arne_yaml_begin_flexible(const doc_slot *map, arne_body_spec *spec)
{
    static const char *const others[] = {"mass", "com", "inertia"};
    if (!doc_find(map->value, "flexible")) return ARNE_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const doc_slot other = doc_under(map, others[i]);
        if (other.value)
            return doc_fail(
                &other, ARNE_VALUE,
                "is not for a flexible link, whose density says it; leave it out, or give "
                "it to a body at its tip");
    }
    spec->mass = 0;
    memset(spec->inertia, 0, sizeof spec->inertia);
    memset(&spec->com, 0, sizeof spec->com);
    return ARNE_OK;
}
