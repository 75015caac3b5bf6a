#include "report/run_block.h"

#include "base/text.h"
#include "report/data_block.h"
#include "report/plot_block.h"
#include "report/scene.h"
#include "report/traces.h"
#include <arne/configuration.h>
#include <arne/io.h>
#include <arne/muscle.h>
#include <stdlib.h>
#include <string.h>

static void put_mark(buffer *b, double time, const char *kind, const char *text, int *count)
{
    put(b, "%s{\"time\":", (*count)++ ? "," : "");
    block_number(b, time, 9);
    put(b, ",\"kind\":\"%s\",\"text\":", kind);
    block_text(b, text);
    put(b, "}");
}

// "acceleration at 0.038 s", as a mark at that time in the plots of that kind.
static void put_worst(buffer *b, const run_block *r, const char *key, const char *says, int *count)
{
    static const struct {
        const char *word, *kind;
    } kinds[] = {{"torque rate", "tau_rate"}, {"torque", "tau"}, {"acceleration", "qdd"},
                 {"velocity", "qd"},          {"joint", "q"},    {"position", "q"},
                 {"zero-moment", "zmp"}};
    const char *text = run_text(r->run, key, NULL), *at = text ? strstr(text, " at ") : NULL;
    double      time = 0;
    char        number[32];
    if (!at) return;
    text_line(number, sizeof number, "%.*s", (int)strcspn(at + 4, " "), at + 4);
    if (arne_parse_number(number, &time)) return;
    const char *kind = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !*kind; i++)
        if (strncmp(text, kinds[i].word, strlen(kinds[i].word)) == 0) kind = kinds[i].kind;
    char line[256];
    text_line(line, sizeof line, "%s: %s", says, text);
    put_mark(b, time, kind, line, count);
}

// Impacts of the summary, as marks in the plots of contact forces; the first says what they are.
static void put_impact_marks(buffer *b, const run_block *r, int *count)
{
    const doc_node *list = doc_find(r->run->summary, "impacts");
    char            line[128];
    double          time;
    text_line(line, sizeof line, "Dashed: impacts, %s in all",
              run_text(r->run, "impact_count", ""));
    for (const doc_item *i = list && list->kind == DOC_LIST ? list->first : NULL; i; i = i->next) {
        const doc_node *at = i->value->kind == DOC_MAP ? doc_find(i->value, "time") : NULL;
        if (!at || at->kind != DOC_TEXT || arne_parse_number(at->text, &time)) continue;
        put_mark(b, time, "contact", line, count);
        line[0] = 0;
    }
}

static void put_marks(buffer *b, const run_block *r)
{
    int count = 0;
    put(b, ",\n\"marks\":[");
    put_worst(b, r, "worst_between", "Worst between grid points", &count);
    put_impact_marks(b, r, &count);
    put(b, "]");
}

static void put_robots(buffer *b, const run_block *r)
{
    const run *runs[] = {r->run, r->other->robot ? r->other : NULL};
    for (int i = 0; i < 2 && runs[i]; i++) {
        const figure *f = i ? r->other_figure : r->figure;
        double       *q = calloc((size_t)arne_robot_sizes(runs[i]->robot).q_count + 1, sizeof *q);
        if (!q) {
            b->failed = 1;
            return;
        }
        arne_neutral(runs[i]->robot, q);
        const scene s = {runs[i]->robot, f, q, i ? r->other_looks : r->looks};
        put(b, "%s", i ? ",\n" : "");
        scene_put(b, &s);
        free(q);
    }
}

void run_block_put(buffer *b, const run_block *r)
{
    put(b,
        "<script type=\"application/json\" id=\"arne-data\">{\"version\":1,\"kind\":\"run\","
        "\"cycle\":%s,\"robots\":[",
        doc_find(r->run->summary, "gait") ? "true" : "false");
    put_robots(b, r);
    put(b, "],\n\"motions\":[");
    if (r->figure->frame_count)
        scene_put_motion(b, run_text(r->run, "title", "this run"), 0, 0, r->figure,
                         r->activations ? arne_muscle_count(r->run->robot) : 0, r->activations);
    if (r->ghost->frame_count) {
        put(b, ",\n");
        scene_put_motion(b, "Reference", 0, 1, r->ghost, 0, NULL);
    }
    if (r->other_figure->frame_count) {
        put(b, ",\n");
        scene_put_motion(b, run_text(r->other, "title", "the other run"), 1, 1, r->other_figure, 0,
                         NULL);
    }
    put(b, "],\n\"traces\":");
    traces_put(b, r->run, r->figure);
    put(b, ",\n");
    plot_block_put(b, r->plots);
    put_marks(b, r);
    put(b, "}</script>\n");
}
