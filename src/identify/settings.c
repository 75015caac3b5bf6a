#include "identify/settings.h"
#include "base/error.h"
#include "base/options.h"
#include "io/unit.h"
#include <arne/identify.h>
#include <arne/io.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arne_identify_settings {
    arne_identify_options options;
    document              doc;
    const arne_robot     *robot;
    unsigned              friction;
    long                  rows[2], validate_rows[2];
    arne_com_region      *region;
};

static arne_identify_settings *settings_of(const doc_slot *slot) { return slot->reader->context; }

// ---- columns

static char *keep_text(arne_identify_settings *s, const char *text)
{
    char *copy = document_take(&s->doc, strlen(text) + 1);
    if (copy) strcpy(copy, text);
    return copy;
}

static arne_status settings_add_column(const doc_slot *slot, const char *ours, const char *theirs,
                                       double factor)
{
    arne_identify_settings *s = settings_of(slot);
    const size_t            count = (size_t)s->options.column_count;
    arne_column_alias      *all = document_take(&s->doc, (count + 1) * sizeof *all);
    if (!all) return arne_fail_memory(slot->reader->error);
    if (count) memcpy(all, s->options.columns, count * sizeof *all);
    all[count] =
        (arne_column_alias){keep_text(s, ours), theirs ? keep_text(s, theirs) : NULL, factor};
    s->options.columns = all;
    s->options.column_count++;
    return ARNE_OK;
}

typedef struct column_keys {
    const char *column, *unit;
    double      factor;
} column_keys;

static const doc_key column_key_table[] = {
    {"column", DOC_TYPE_TEXT, offsetof(column_keys, column),
     .help = "its name in the log, or its number from 1"},
    {"unit", DOC_TYPE_TEXT, offsetof(column_keys, unit), .help = "deg, rpm, ms, mA, ..."},
    {"factor", DOC_TYPE_NUMBER, offsetof(column_keys, factor), .range = DOC_NOT_ZERO,
     .help = "to SI"},
    {0},
};
static const doc_schema column_schema = {"column", NULL, column_key_table, NULL};

static arne_status settings_read_column(const doc_slot *slot, const char *name)
{
    const char *text = NULL;
    if (slot->value->kind == DOC_TEXT) {
        const arne_status status = doc_text(slot, &text);
        return status ? status : settings_add_column(slot, name, text, 1);
    }
    column_keys    k = {.factor = 1};
    const doc_slot map = {slot->reader, name, "", slot->value};
    arne_status    status = doc_read_map(&map, &column_schema, &k, 0);
    double         factor = 1;
    if (!status && k.unit && !unit_to_si(k.unit, &factor))
        status = doc_fail(slot, ARNE_VALUE, "unit '%.40s' is not known; give a factor", k.unit);
    return status ? status : settings_add_column(slot, name, k.column, factor * k.factor);
}

// A mapping from our names to theirs; or a list of our names, of logs that have no header.
static arne_status read_columns(const doc_slot *slot, void *unused)
{
    arne_status status = ARNE_OK;
    int         number = 0;
    (void)unused;
    if (slot->value->kind == DOC_TEXT)
        return doc_fail(slot, ARNE_VALUE,
                        "must be a mapping from our names to those of the log, or a "
                        "list of our names");
    settings_of(slot)->options.no_header = slot->value->kind == DOC_LIST;
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next) {
        const doc_slot item = {slot->reader, "columns", i->key ? i->key : "", i->value};
        if (i->key) {
            status = status_both(status, settings_read_column(&item, i->key));
            continue;
        }
        char        theirs[24];
        const char *ours = NULL;
        snprintf(theirs, sizeof theirs, "%d", ++number);
        const arne_status read = doc_text(&item, &ours);
        status = status_both(status, read);
        if (!read && strcmp(ours, "-") != 0)
            status = status_both(status, settings_add_column(&item, ours, theirs, 1));
    }
    return status;
}

// ---- the coupling and regions

static arne_status settings_read_coupling(const doc_slot *slot, void *unused)
{
    arne_identify_settings *s = settings_of(slot);
    const int               n = s->robot ? arne_robot_sizes(s->robot).v_count : slot->value->count;
    double                 *C = document_take(&s->doc, (size_t)(n * n + 1) * sizeof *C);
    arne_status             status = doc_expect(slot, DOC_LIST);
    int                     row = 0;
    (void)unused;
    if (status) return status;
    if (!C) return arne_fail_memory(slot->reader->error);
    if (slot->value->count != n)
        return doc_fail(slot, ARNE_VALUE, "needs %d rows, one for each motor; there are %d", n,
                        slot->value->count);
    for (const doc_item *i = slot->value->first; i && status_goes_on(status); i = i->next, row++) {
        const doc_slot item = {slot->reader, "coupling", "row", i->value};
        status = status_both(status, doc_numbers(&item, n, C + (ptrdiff_t)row * n));
    }
    s->options.coupling = C;
    return status;
}

typedef struct region_keys {
    const doc_node *link;
    arne_vec3       low, high;
    int             is_ellipsoid;
} region_keys;

static const doc_key region_key_table[] = {
    {"link", DOC_TYPE_NODE, offsetof(region_keys, link), .needed = 1, .takes = "a link",
     .help = "whose centre of mass it is"},
    {"low", DOC_TYPE_VEC3, offsetof(region_keys, low), .needed = 1, .unit = "m"},
    {"high", DOC_TYPE_VEC3, offsetof(region_keys, high), .needed = 1, .unit = "m"},
    {"ellipsoid", DOC_TYPE_FLAG, offsetof(region_keys, is_ellipsoid), .otherwise = "no",
     .help = "the ellipsoid inside the box"},
    {0},
};
static const doc_schema region_schema = {"centres", NULL, region_key_table, NULL};

static arne_status read_region(const doc_slot *item, const char *name, void *context)
{
    arne_identify_settings *s = context;
    region_keys             k = {0};
    (void)name;
    arne_status status = doc_read_map(item, &region_schema, &k, 0);
    if (status) return status;
    arne_com_region *r = &s->region[s->options.region_count];
    *r = (arne_com_region){.low = k.low, .high = k.high, .is_ellipsoid = k.is_ellipsoid};
    const doc_slot link = {item->reader, item->owner, "link", k.link};
    if (s->robot) status = doc_frame(&link, s->robot, &r->frame);
    if (!status && (!(k.low.x < k.high.x) || !(k.low.y < k.high.y) || !(k.low.z < k.high.z)))
        status = doc_fail(&link, ARNE_VALUE, "'low' must lie below 'high' along every axis");
    if (!status) s->options.region_count++;
    return status;
}

static arne_status read_regions(const doc_slot *slot, void *unused)
{
    arne_identify_settings *s = settings_of(slot);
    (void)unused;
    s->region = document_take(&s->doc, (size_t)(slot->value->count + 1) * sizeof *s->region);
    if (!s->region) return arne_fail_memory(slot->reader->error);
    s->options.regions = s->region;
    s->options.region_count = 0;
    return doc_each(slot, &region_schema, read_region, s);
}

// ---- the tables

static const doc_word estimators[] = {
    {"consistent", ARNE_ESTIMATOR_CONSISTENT, NULL, NULL, "links are bodies that can be"},
    {"free", ARNE_ESTIMATOR_FREE, NULL, NULL, "weighted least squares"},
    {0},
};
static const doc_word sides[] = {
    {"joints", ARNE_SIDE_JOINTS, NULL, NULL, NULL},
    {"motors", ARNE_SIDE_MOTORS, NULL, NULL, "by the gears and couplings of the robot"},
    {0},
};
static const doc_word terms[] = {
    {"viscous", ARNE_FRICTION_VISCOUS, NULL, NULL, NULL},
    {"coulomb", ARNE_FRICTION_COULOMB, NULL, NULL, NULL},
    {"offset", ARNE_FRICTION_OFFSET, NULL, NULL, NULL},
    {"stribeck", ARNE_FRICTION_STRIBECK, NULL, NULL, NULL},
    {"sigmoid", ARNE_FRICTION_SIGMOID, NULL, NULL, NULL},
    {"load", ARNE_FRICTION_LOAD, NULL, NULL, NULL},
    {"none", ARNE_FRICTION_NONE, NULL, NULL, NULL},
    {0},
};

#define AT(field) offsetof(arne_identify_settings, field)
static const doc_key filter_keys[] = {
    {"order", DOC_TYPE_WHOLE, AT(options.order), .range = DOC_POSITIVE,
     .help = "order of the filters; default 4"},
    {"cutoff", DOC_TYPE_NUMBER, AT(options.cutoff), .unit = "Hz",
     .help = "cut-off of positions; default: from the spectrum, negative: none"},
    {"torque_cutoff", DOC_TYPE_NUMBER, AT(options.torque_cutoff), .unit = "Hz",
     .help = "cut-off of torques and regressors; default: as positions, negative: none"},
    {"decimate", DOC_TYPE_WHOLE, AT(options.decimate), .range = DOC_POSITIVE,
     .help = "use every n-th row; default: as the filter allows"},
    {0},
};
static const doc_schema filter_schema = {"filter", NULL, filter_keys, NULL};

static arne_status read_filter(const doc_slot *slot, void *unused)
{
    const doc_slot map = {slot->reader, "filter", "", slot->value};
    (void)unused;
    return doc_read_map(&map, &filter_schema, settings_of(slot), 0);
}

// First and last row: whole numbers from 1 that a file can have; 0 for the last: all.
static arne_status settings_read_rows(const doc_slot *slot, void *to)
{
    long             *rows = to;
    double            x[2] = {0};
    const arne_status status = doc_numbers(slot, 2, x);
    if (status) return status;
    if (!(x[0] >= 1 && x[0] <= 1e15 && x[1] <= 1e15 && (x[1] == 0 || x[1] >= x[0])))
        return doc_fail(slot, ARNE_VALUE, "takes the first and the last row, from 1");
    rows[0] = (long)x[0];
    rows[1] = (long)x[1];
    return ARNE_OK;
}

static const doc_key section_table[] = {
    {"columns", DOC_TYPE_OTHER, 0, .read = read_columns,
     .takes = "a mapping from our names to the log's, or a list of names for logs without header",
     .help = "names and units of the columns of the log"},
    {"gains", DOC_TYPE_BY_JOINT_V, AT(options.gains), .unit = "N m/A",
     .help = "of drives; 0: unknown"},
    {"coupling", DOC_TYPE_OTHER, 0, .read = settings_read_coupling, .takes = "a row for each motor",
     .help = "positions of motors = coupling x positions of joints"},
    {"side", DOC_TYPE_WORD, AT(options.side), .words = sides,
     .help = "side of the gears of the logs; default: detected from positions"},
    {"offset", DOC_TYPE_BY_JOINT_Q, AT(options.offset), .unit = "rad, m",
     .help = "added to recorded positions of joints"},
    {"friction", DOC_TYPE_WORDS, AT(friction), .words = terms,
     .help = "friction terms of each joint; default: viscous and coulomb"},
    {"estimator", DOC_TYPE_WORD, AT(options.estimator), .words = estimators,
     .otherwise = "consistent", .help = "physically possible links, or unconstrained"},
    {"rotor", DOC_TYPE_FLAG, AT(options.no_rotor), .otherwise = "yes",
     .help = "estimate rotor inertias"},
    {"springs", DOC_TYPE_FLAG, AT(options.springs), .otherwise = "no",
     .help = "estimate a spring on every joint"},
    {"filter", DOC_TYPE_OTHER, 0, .inside = &filter_schema, .read = read_filter,
     .takes = "a mapping", .help = "Butterworth, forward and backward"},
    {"hold_back", DOC_TYPE_NUMBER, AT(options.hold_back), .range = DOC_PART,
     .help = "part of the logs for validation"},
    {"rest_speed", DOC_TYPE_NUMBER, AT(options.rest_speed), .range = DOC_NOT_NEGATIVE,
     .unit = "rad/s, m/s", .help = "rows where no joint is faster than this are left out"},
    {"crossing_speed", DOC_TYPE_NUMBER, AT(options.crossing_speed), .range = DOC_NOT_NEGATIVE,
     .unit = "rad/s, m/s", .help = "rows of a joint that is slower than this are left out"},
    {"huber", DOC_TYPE_NUMBER, AT(options.huber), .range = DOC_NOT_NEGATIVE,
     .help = "residuals beyond this many deviations get less weight"},
    {"ridge", DOC_TYPE_NUMBER, AT(options.ridge), .range = DOC_NOT_NEGATIVE,
     .help = "weight of the prior in the free estimate"},
    {"prior", DOC_TYPE_NUMBER, AT(options.prior), .range = DOC_POSITIVE,
     .help = "weight of the distance to the prior in the consistent estimate"},
    {"rows", DOC_TYPE_NUMBERS, AT(rows), .count = 2, .read = settings_read_rows,
     .help = "first and last, from 1"},
    {"validate_rows", DOC_TYPE_NUMBERS, AT(validate_rows), .count = 2, .read = settings_read_rows,
     .help = "the same for logs for validation"},
    {"threads", DOC_TYPE_WHOLE, AT(options.threads), .range = DOC_POSITIVE,
     .help = "number of threads; default: one for each processor"},
    {"centres", DOC_TYPE_LIST, 0, .inside = &region_schema, .read = read_regions,
     .help = "regions of the centres of mass of links"},
    {0},
};
#undef AT

const doc_schema identify_settings_schema = {"identification", NULL, section_table, NULL};

static void take_over(arne_identify_settings *s, const doc_node *root)
{
    if (doc_find(root, "friction")) s->options.friction = (int)s->friction;
    if (doc_find(root, "rotor")) s->options.no_rotor = !s->options.no_rotor; // it reads as "yes"
    if (doc_find(root, "hold_back") && s->options.hold_back == 0) s->options.hold_back = -1;
    if (doc_find(root, "rest_speed") && s->options.rest_speed == 0) s->options.rest_speed = -1;
    if (doc_find(root, "rows")) {
        s->options.first_row = s->rows[0];
        s->options.last_row = s->rows[1];
    }
    if (doc_find(root, "validate_rows")) {
        s->options.validate_first_row = s->validate_rows[0];
        s->options.validate_last_row = s->validate_rows[1];
    }
}

arne_status arne_identify_settings_read(const char *path, const arne_robot *robot,
                                        const arne_identify_options *options,
                                        arne_identify_settings **out, arne_error *error)
{
    arne_error_clear(error);
    if (!path || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s",
                         arne_status_text(ARNE_NULL_ARGUMENT));
    *out = NULL;
    arne_identify_settings *s = calloc(1, sizeof *s);
    if (!s) return arne_fail_memory(error);
    arne_error own;
    findings   found = {0};
    reader     r = {.file = path,
                    .error = &own,
                    .found = &found,
                    .robot = robot,
                    .document = &s->doc,
                    .context = s};
    s->robot = robot;
    arne_error_clear(&own);
    if (options && !options_take(&s->options, sizeof s->options,
                                 OPTIONS_FIRST(arne_identify_options), options)) {
        free(s);
        return options_refuse(error);
    }
    arne_status status = document_load(&r, &s->doc);
    if (s->doc.root && (!status || status == ARNE_VALUE)) { // a key that is there twice
        const doc_slot root = {&r, "", "", s->doc.root};
        status = status_both(status, doc_read_map(&root, &identify_settings_schema, s, 0));
        if (!status) take_over(s, s->doc.root);
    }
    findings_sort(&found);
    if (options && options->fail) {
        const listeners to = {.fail = options->fail, .fail_context = options->fail_context};
        findings_tell(&found, &to);
    }
    status = arne_reader_end(&r, status, error);
    findings_free(&found);
    if (status)
        arne_identify_settings_free(s);
    else
        *out = s;
    return status;
}

void arne_identify_settings_free(arne_identify_settings *s)
{
    if (!s) return;
    document_free(&s->doc);
    free(s);
}

const arne_identify_options *arne_identify_settings_options(const arne_identify_settings *s)
{
    return s ? &s->options : NULL;
}
