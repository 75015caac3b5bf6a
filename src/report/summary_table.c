// The key figures of a summary: everything in it that is not there for the report itself.
#include "io/number.h"
#include "report/markup.h"
#include "report/page.h"
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int is_for_report(const char *key)
{
    static const char *const keys[] = {
        "kind", "title",   "robot",   "complete", "limits",    "plots", "snapshots", "gravity",
        "base", "figures", "impacts", "text",     "published", "files", "contacts",  NULL};
    for (int i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0) return 1;
    return 0;
}

// "rms_error" as words.
static void summary_table_put_key(buffer *b, const char *key)
{
    char   words[256];
    size_t i = 0;
    for (; key[i] && i + 1 < sizeof words; i++) {
        words[i] = key[i];
        if (key[i] == '_') words[i] = ' ';
    }
    words[i] = 0;
    put_text(b, words);
}

static void put_scalar(buffer *b, const char *text)
{
    const char *cursor = text, *why = "";
    double      value = 0;
    if (!arne_number_decimal(&cursor, &value, &why) && !*cursor)
        put_value(b, value, 5);
    else if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        put(b, "%s", *text == 't' ? "yes" : "no");
    else
        put_text(b, strcmp(text, "null") == 0 || !*text ? "\u2013" : text);
}

// A list is one line, a mapping a line for each of its entries.
static void summary_table_put_cell(buffer *b, const doc_node *n)
{
    if (n->kind == DOC_TEXT) put_scalar(b, n->text);
    for (const doc_item *i = n->kind == DOC_TEXT ? NULL : n->first; i; i = i->next) {
        if (i->key) {
            put(b, "<span class=\"sub\"><span>");
            put_text(b, i->key);
            put(b, "</span><span class=\"n\">");
        }
        if (i->value->kind == DOC_TEXT)
            put_scalar(b, i->value->text);
        else
            put(b, "\u2026");
        put(b, "%s", i->key ? "</span></span>" : i->next ? ", " : "");
    }
    if (n->kind != DOC_TEXT && !n->count) put(b, "none");
}

static int is_seconds(const char *key)
{
    return strcmp(key, "time") == 0 || strcmp(key, "duration") == 0 ||
           strcmp(key, "solve_time") == 0;
}

static void summary_table_put_row(buffer *b, const doc_item *i)
{
    put(b, "<tr><th>");
    summary_table_put_key(b, i->key);
    put(b, "</th><td>");
    summary_table_put_cell(b, i->value);
    if (is_seconds(i->key)) put(b, " <span class=\"unit\">s</span>");
    put(b, "</td></tr>\n");
}

// --- figures beside published ones

static double summary_table_number_of(const doc_node *map, const char *key)
{
    const doc_node *n = doc_find(map, key);
    double          value = NAN;
    if (!n || n->kind != DOC_TEXT || arne_parse_number(n->text, &value)) return NAN;
    return value;
}

static const char *summary_table_name_of(const doc_node *map, const char *key)
{
    const doc_node *n = doc_find(map, key);
    return n && n->kind == DOC_TEXT ? n->text : "";
}

int figures_of(const run *r, arne_report_figure **out)
{
    const doc_node *list = doc_find(r->summary, "figures");
    int             count = 0;
    *out = NULL;
    if (!list || list->kind != DOC_LIST) return 0;
    *out = calloc((size_t)list->count + 1, sizeof **out);
    if (!*out) return -1;
    for (const doc_item *i = list->first; i; i = i->next)
        if (i->value->kind == DOC_MAP)
            (*out)[count++] = (arne_report_figure){summary_table_name_of(i->value, "name"),
                                                   summary_table_name_of(i->value, "unit"),
                                                   summary_table_number_of(i->value, "value"),
                                                   summary_table_number_of(i->value, "published")};
    return count;
}

// --- key figures, by what they are about

typedef struct known_key {
    const char *key, *label, *unit, *says;
} known_key;

// In this order; what is not here is shown with the whole summary, folded away.
static const known_key result_keys[] = {
    {"status", "Search", "", NULL},
    {"T", "Duration", "s", NULL},
    {"objective", "Objective", "", "what the search made as small as it could"},
    {"time", "Simulated", "s", NULL},
    {"ended", "Ended", "", NULL},
    {"rms_error", "Tracking error, rms", "",
     "of all joints over the whole time, in radians and metres"},
    {"peak_error", "Tracking error, largest", "", NULL},
    {"limits_hit", "Limits hit", "times", NULL},
    {NULL, NULL, NULL, NULL}};
static const known_key recording_keys[] = {{"time", "Duration", "s", NULL},
                                           {"limits_hit", "Limits passed", "times", NULL},
                                           {NULL, NULL, NULL, NULL}};
static const known_key trust_keys[] = {
    {"violation", "Constraints missed, on its grid", "",
     "where the search looks: below 10\u207b\u2076 they are kept"},
    {"violation_between", "Constraints missed, between its points", "",
     "at most, in the unit of that constraint; more grid points (--refine) make it smaller"},
    {"part_between", "\u2026 as a part of the bound", "",
     "or of the largest value, where both bounds are one"},
    {"worst_between", "\u2026 that is", "", NULL},
    {"energy_residual", "Energy that is not accounted for", "",
     "of the largest kinetic energy: what the integrator gains or loses"},
    {"closure_error", "Loops open by", "", "at most, in metres or radians"},
    {"contact_residual", "Contacts not solved by", "m/s", "at most"},
    {"penetration", "Deepest penetration", "m", NULL},
    {NULL, NULL, NULL, NULL}};
static const known_key effort_keys[] = {{"method", "Method", "", NULL},
                                        {"steps", "Steps", "", NULL},
                                        {"evaluations", "Evaluations", "", NULL},
                                        {"iterations", "Iterations", "", NULL},
                                        {"variables", "Variables", "", NULL},
                                        {"constraints", "Constraints", "", NULL},
                                        {"grid_points", "Grid points", "", NULL},
                                        {"solve_time", "Computing time", "s", "on this machine"},
                                        {"realtime_ratio", "Faster than real time", "times", NULL},
                                        {NULL, NULL, NULL, NULL}};
static const known_key design_keys[] = {
    {"condition", "Condition number of the motion", "",
     "how well a recording of it tells the parameters apart: 1 is perfect, above 100 is poor"},
    {"condition_random", "\u2026 of random motions", "", "the best of those tried first"},
    {"condition_sinusoidal", "\u2026 of plain sines", "", "for comparison"},
    {"base_parameters", "Parameters to be found", "", NULL},
    {"period", "Period", "s", "the motion repeats after it"},
    {"harmonics", "Harmonics", "", NULL},
    {"largest_part_of_a_limit", "Part of a limit that is used, at most", "", NULL},
    {"nearest_limit", "\u2026 by", "", NULL},
    {NULL, NULL, NULL, NULL}};
static const known_key gait_keys[] = {
    {"speed", "Speed", "m/s", NULL},
    {"step", "Step", "m", NULL},
    {"body_weight", "Body weight", "N", NULL},
    {"loading_peak", "First peak of the ground's force", "body weights", "people: about 1.1"},
    {"valley", "Valley between", "body weights", "people: about 0.8"},
    {"push_off_peak", "Second peak", "body weights", "people: about 1.1"},
    {"braking", "Braking force, largest", "body weights", NULL},
    {"propulsion", "Propulsion, largest", "body weights", NULL},
    {"swing_knee", "Knee flexion in swing", "degrees", "people: about 60"},
    {"zmp_outside", "Zero-moment point outside the feet by", "m", "between grid points, at most"},
    {NULL, NULL, NULL, NULL}};

static double text_number_of(const doc_node *n)
{
    double value = NAN;
    if (!n || n->kind != DOC_TEXT || arne_parse_number(n->text, &value)) return NAN;
    return value;
}

// Figures without information are left out: closure without loops, energy of a robot at rest.
static int is_idle(const run *r, const char *key, double value)
{
    if (strcmp(key, "closure_error") == 0) return !arne_robot_sizes(r->robot).loop_count;
    if (strcmp(key, "limits_hit") == 0 || strcmp(key, "evaluations") == 0 ||
        strcmp(key, "peak_error") == 0 || strcmp(key, "rms_error") == 0)
        return value == 0;
    if (strcmp(key, "energy_residual") != 0) return 0;
    const arne_table *t = run_result(r);
    const int         column = arne_table_find(t, "energy.kinetic");
    double            most = 0;
    for (int i = 0; column >= 0 && i < arne_table_rows(t); i++)
        most = fmax(most, fabs(arne_table_row(t, i)[column]));
    return !isfinite(value) || (column >= 0 && most < 1e-9);
}

// Figures that the run lists and that have a place of their own here.
static int is_own_figure(const char *name)
{
    return strcmp(name, "T") == 0 || strcmp(name, "Objective") == 0 ||
           strcmp(name, "Solver time") == 0;
}

static void put_key_row(buffer *b, const known_key *k, const doc_node *value)
{
    put(b, "<tr><th>%s", k->label);
    if (k->says) put(b, "<span class=\"says\">%s</span>", k->says);
    put(b, "</th><td%s>", isfinite(text_number_of(value)) ? " class=\"n\"" : "");
    summary_table_put_cell(b, value);
    if (*k->unit) put(b, " <span class=\"unit\">%s</span>", k->unit);
    put(b, "</td></tr>\n");
}

static void summary_table_put_keys(buffer *b, const run *r, const char *title, const doc_node *map,
                                   const known_key *keys)
{
    int count = 0;
    for (; keys->key && map && map->kind == DOC_MAP; keys++) {
        const doc_node *value = doc_find(map, keys->key);
        if (!value || value->kind != DOC_TEXT || !*value->text || strcmp(value->text, "null") == 0)
            continue;
        if (is_idle(r, keys->key, text_number_of(value))) continue;
        if (!count++) put(b, "<h3>%s</h3><table class=\"keys\"><tbody>\n", title);
        put_key_row(b, keys, value);
    }
    if (count) put(b, "</tbody></table>\n");
}

// The run's own figures, less those that the keys show already. A published one stays, to be
// compared.
static void summary_table_put_figures(buffer *b, const run *r)
{
    arne_report_figure *figures;
    const int           count = figures_of(r, &figures);
    int                 kept = 0;
    if (count < 0) b->failed = 1;
    for (int i = 0; i < count; i++)
        if (!is_own_figure(figures[i].name) || isfinite(figures[i].published))
            figures[kept++] = figures[i];
    if (kept) put(b, "<h3>Figures</h3>\n");
    if (kept) page_figures(b, figures, kept);
    free(figures);
}

void page_summary(buffer *b, const run *r, int recorded)
{
    put(b, "<section class=\"summary\"><h2>Key figures</h2>\n");
    summary_table_put_keys(b, r, "Result", r->summary, recorded ? recording_keys : result_keys);
    if (strcmp(run_text(r, "kind", ""), "design") == 0)
        summary_table_put_keys(b, r, "The motion", r->summary, design_keys);
    summary_table_put_figures(b, r);
    summary_table_put_keys(b, r, "Gait", doc_find(r->summary, "gait"), gait_keys);
    if (!recorded) {
        summary_table_put_keys(b, r, "How far to trust it", r->summary, trust_keys);
        summary_table_put_keys(b, r, "Computation", r->summary, effort_keys);
    }
    put(b, "<details><summary>All of the summary</summary><table class=\"keys all\"><tbody>\n");
    for (const doc_item *i = r->summary->first; i; i = i->next)
        if (!is_for_report(i->key)) summary_table_put_row(b, i);
    put(b, "</tbody></table></details></section>\n");
}
