// Robustness: masses, centres and principal moments of all bodies, each within a part of what the
// file says.
//
// A body stays possible whatever the factors: principal moments are sums of second moments of its
// mass, I_1 = S_2 + S_3 and so on, and it is these, which only have to be positive, that are
// scaled. So every moment stays within the same part, and no two of them are less than the third.
#include "math/dense.h"
#include "math/vectors.h"
#include "robot/builder.h"
#include "robot/inertia.h"
#include "sweep/sweep.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- second moments

typedef struct spread {
    double value[3], axes[3][3]; // columns
} spread;

// Sigma = tr(I) / 2 - I, and its axes.
static spread robustness_spread_of(const double inertia[6])
{
    const double half = (inertia[0] + inertia[1] + inertia[2]) / 2;
    spread       s;
    double       a[3][3] = {{half - inertia[0], -inertia[3], -inertia[4]},
                            {-inertia[3], half - inertia[1], -inertia[5]},
                            {-inertia[4], -inertia[5], half - inertia[2]}};
    dense_diagonalise3(a, s.axes);
    for (int k = 0; k < 3; k++)
        s.value[k] = a[k][k];
    return s;
}

// I = tr(Sigma) - Sigma
static void robustness_inertia_of(const spread *s, double inertia[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const double     trace = s->value[0] + s->value[1] + s->value[2];
    for (int i = 0; i < 6; i++) {
        double sigma = 0;
        for (int k = 0; k < 3; k++)
            sigma += s->value[k] * s->axes[at[i][0]][k] * s->axes[at[i][1]][k];
        inertia[i] = (i < 3 ? trace : 0) - sigma;
    }
}

// ---- what varies

static arne_status add_factor(arne_sweep *s, const char *body, int part, double within)
{
    static const char *const parts[BODY_PARTS] = {"mass",     "com.x",    "com.y",   "com.z",
                                                  "moment.1", "moment.2", "moment.3"};
    const size_t             size = strlen(body) + 40;
    char           *path = document_take(&s->doc, size), *name = document_take(&s->doc, size);
    sweep_parameter p = {.path = path,
                         .line = s->robustness_node->line,
                         .column = s->robustness_node->column,
                         .law = LAW_UNIFORM,
                         .a = 1 - within,
                         .b = 1 + within,
                         .body = name,
                         .part = part};
    if (!path || !name) return arne_fail_memory(s->reader.error);
    snprintf(path, size, "robustness.%s.%s", body, parts[part]);
    strcpy(name, body);
    return sweep_add_parameter(s, &p);
}

// A number that is zero stays so, and is no parameter.
static arne_status robustness_add_body(arne_sweep *s, const arne_body_spec *spec, double within)
{
    double       about_com[6], principal[3];
    const double reach = fabs(spec->com.x) + fabs(spec->com.y) + fabs(spec->com.z);
    arne_status  status = ARNE_OK;
    if (!(spec->mass > 0)) return ARNE_OK;
    status = add_factor(s, spec->name, BODY_MASS, within);
    for (int k = 0; k < 3 && !status; k++)
        if (fabs(component3(spec->com, k)) > 1e-12 * reach)
            status = add_factor(s, spec->name, BODY_COM + k, within);
    inertia_about_com(spec, about_com, principal);
    const spread all = robustness_spread_of(about_com);
    for (int k = 0; k < 3 && !status; k++)
        if (all.value[k] > 1e-9 * principal[2])
            status = add_factor(s, spec->name, BODY_MOMENT + k, within);
    return status;
}

typedef struct robustness_keys {
    const doc_node *within, *bodies;
} robustness_keys;
static const doc_key robustness_table[] = {
    {"within", DOC_TYPE_NODE, offsetof(robustness_keys, within), .takes = "a part such as 10 %",
     .otherwise = "10 %", .help = "how far off"},
    {"bodies", DOC_TYPE_NODE, offsetof(robustness_keys, bodies), .takes = "a list of names",
     .help = "default: all"},
    {0},
};
static const doc_schema robustness_schema = {"robustness", NULL, robustness_table, NULL};

// "10 %", 0.1, or nothing at all.
static arne_status read_part(const doc_slot *slot, double *out)
{
    const char              *text = slot->value->text;
    char                     copy[64], *percent;
    static const char *const yes[] = {"", "true", "yes", "on", "~", "null"};
    arne_status              status = doc_expect(slot, DOC_TEXT);
    if (status) return status;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strcmp(text, yes[i]) == 0) return ARNE_OK;
    snprintf(copy, sizeof copy, "%s", text);
    percent = strchr(copy, '%');
    if (percent) *percent = 0;
    while (percent && percent > copy && percent[-1] == ' ')
        *--percent = 0;
    if (arne_parse_number(copy, out) != ARNE_OK)
        return doc_fail(slot, ARNE_VALUE, "must be a part such as 10 %% or 0.1");
    if (percent) *out /= 100;
    if (*out > 0 && *out < 1) return ARNE_OK;
    return doc_fail(slot, ARNE_VALUE, "must be above 0 and below 1 (100 %%)");
}

static int robustness_is_wanted(const doc_node *list, const char *name)
{
    if (!list) return 1;
    for (const doc_item *i = list->first; i; i = i->next)
        if (i->value->kind == DOC_TEXT && strcmp(i->value->text, name) == 0) return 1;
    return 0;
}

static arne_status check_bodies(const doc_slot *slot, const arne_builder *b)
{
    arne_body_spec ignored;
    arne_status    status = doc_expect(slot, DOC_LIST);
    for (const doc_item *i = status ? NULL : slot->value->first; i && !status; i = i->next)
        if (i->value->kind != DOC_TEXT || arne_builder_get_body(b, i->value->text, &ignored))
            status = doc_fail(slot, ARNE_NOT_FOUND, "names no body of the robot: '%.80s'",
                              i->value->kind == DOC_TEXT ? i->value->text : "");
    return status;
}

arne_status sweep_read_robustness(arne_sweep *s)
{
    const doc_slot  slot = {&s->reader, "", "robustness", s->robustness_node};
    robustness_keys keys = {0};
    double          within = 0.1;
    arne_builder   *builder = NULL;
    arne_status     status = ARNE_OK;
    if (!s->robustness_node) return ARNE_OK;
    if (slot.value->kind == DOC_MAP) {
        const doc_slot map = {&s->reader, "robustness", "", slot.value};
        status = doc_read_map(&map, &robustness_schema, &keys, 0);
        const doc_slot part = doc_under(&map, "within");
        if (!status && part.value) status = read_part(&part, &within);
    } else {
        status = read_part(&slot, &within);
    }
    if (status || !s->run_is_good) return status;
    if (!s->given.robot) return doc_fail(&slot, ARNE_VALUE, "needs a run that names a robot");
    if (arne_builder_new(&builder)) return arne_fail_memory(s->reader.error);
    status =
        doc_check(&slot, arne_read_given(builder, s->robot_path, &s->given, NULL, s->reader.error));
    const doc_slot bodies = {&s->reader, "robustness", "bodies", keys.bodies};
    if (!status && keys.bodies) status = check_bodies(&bodies, builder);
    for (int i = 0; !status && i < builder->body_count; i++)
        if (robustness_is_wanted(keys.bodies, builder->bodies[i].name))
            status = robustness_add_body(s, &builder->bodies[i], within);
    arne_builder_free(builder);
    s->given.amend = sweep_amend;
    s->given.context = s;
    return status;
}

// ---- a row's factors on its robot

static arne_status robustness_scale_body(arne_builder *b, const arne_body_spec *spec,
                                         const double factor[BODY_PARTS], arne_error *error)
{
    double about_com[6], principal[3], inertia[6];
    inertia_about_com(spec, about_com, principal);
    spread all = robustness_spread_of(about_com);
    for (int k = 0; k < 3; k++)
        all.value[k] *= factor[BODY_MOMENT + k];
    robustness_inertia_of(&all, inertia);
    const arne_vec3 com = {spec->com.x * factor[BODY_COM], spec->com.y * factor[BODY_COM + 1],
                           spec->com.z * factor[BODY_COM + 2]};
    return arne_builder_set_inertia(b, spec->name, spec->mass * factor[BODY_MASS], com, inertia, 0,
                                    error);
}

arne_status sweep_amend(void *sweep, arne_builder *builder, arne_error *error)
{
    const arne_sweep *s = sweep;
    arne_status       status = ARNE_OK;
    if (!s->row_values) return ARNE_OK;
    for (int i = 0; i < s->parameter_count && !status;) {
        const char    *body = s->parameters[i].body;
        double         factor[BODY_PARTS] = {1, 1, 1, 1, 1, 1, 1};
        arne_body_spec spec;
        if (!body) {
            i++;
            continue;
        }
        for (; i < s->parameter_count && s->parameters[i].body &&
               strcmp(s->parameters[i].body, body) == 0;
             i++)
            factor[s->parameters[i].part] = s->row_values[i].number;
        status = arne_builder_get_body(builder, body, &spec);
        if (!status) status = robustness_scale_body(builder, &spec, factor, error);
    }
    return status;
}
