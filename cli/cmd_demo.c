// arne demo: runs the examples that come with Arne, and shows their figures beside the published
// ones.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): scandir
#include "demo.h"
#include "load.h"
#include "load_scenario.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/plan.h>
#include <arne/report.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct demo_args {
    const char *robots, *output, *examples, *out;
    int         laws;
} demo_args;

#define AT(field) offsetof(demo_args, field)
static const option options[] = {
    TEXT("--examples", "DIR", examples, "where the examples that come with Arne are"),
    TEXT("--out", "DIR", out, "the folder of the runs and of their index (default: arne-demo)"),
    FLAG("--laws", laws,
         "instead: torques of the literature and laws of mechanics, on the robots of Arne"),
    TEXT("--robots", "DIR", robots, "with --laws: where the robots that come with Arne are"),
    OPTION_OUTPUT,
    OPTION_END,
};

static const command demo = {
    "demo",
    "",
    "Runs the examples: simulations and planned motions, with their figures beside the published\n"
    "ones, and an index page that links their reports.",
    0,
    0,
    options,
    NULL};

// ---- laws ----

static const struct law {
    const char *robot;
    int         free_base;
    int (*run)(const arne_robot *robot, arne_work *work, FILE *out);
} laws[] = {
    {"stanford", 0, demo_stanford},
    {"puma560", 0, demo_puma},
    {"quadruped", 1, demo_free_fall},
    {"humanoid", 1, demo_round_trip},
};
enum { LAWS = sizeof laws / sizeof laws[0] };

static int run_law(const struct law *e, const char *dir, FILE *out)
{
    const robot_args how = {.base = e->free_base ? ARNE_BASE_FREE : ARNE_BASE_DEFAULT};
    arne_robot      *robot = NULL;
    arne_work       *work = NULL;
    char            *path = find_robot(dir, e->robot);
    if (!path) return EXIT_DATA;
    int code = load_robot(path, &how, NULL, &robot);
    if (code == EXIT_FINE && arne_work_new(robot, &work) != ARNE_OK)
        code = fail_data("out of memory");
    if (code == EXIT_FINE) code = e->run(robot, work, out);
    arne_work_free(work);
    arne_robot_free(robot);
    free(path);
    return code;
}

static int show_laws(const char *robots, FILE *out)
{
    int code = EXIT_FINE;
    for (int i = 0; i < LAWS && code == EXIT_FINE; i++) {
        fprintf(out, "%s%d. ", i ? "\n" : "", i + 1);
        code = run_law(&laws[i], robots, out);
    }
    return code;
}

// ---- examples ----

typedef struct example {
    char *path, *name; // of the scenario or problem, and of its run
    int   is_plan, is_sweep;
    int   is_made; // by a script of its own, before: it is only shown
} example;

typedef struct example_list {
    const char         *out; // the folder of all runs
    example            *item;
    arne_report_brief **brief;
    int                 count;
} example_list;

static char *cmd_demo_join(const char *a, const char *b, const char *c)
{
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char        *out = need(size, 1);
    snprintf(out, size, "%s%s%s", a, b, c);
    return out;
}

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int cmd_demo_ends_with(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

// "eel" of eel/scenario.yaml, "eel_fast" of eel/scenario_fast.yaml.
static char *run_name(const char *folder, const char *file)
{
    const char  *rest = strchr(file, '_');
    const size_t length = rest ? strlen(rest) - strlen(".yaml") : 0;
    char        *tail = need(length + 1, 1);
    memcpy(tail, rest ? rest : "", length);
    char *name = cmd_demo_join(folder, tail, "");
    free(tail);
    return name;
}

static int cmd_demo_is_there(const char *dir, const char *folder, const char *file)
{
    char       *inside = cmd_demo_join(folder, "/", file), *path = cmd_demo_join(dir, "/", inside);
    struct stat there;
    const int   found = stat(path, &there) == 0;
    free(inside);
    free(path);
    return found;
}

// What run.sh of an example has left beside the other runs.
static void add_made(example_list *list, const char *dir, const char *folder)
{
    if (!cmd_demo_is_there(list->out, folder, "found/summary.json")) return;
    char *where = cmd_demo_join(dir, "/", folder);
    list->item = need_more(list->item, (size_t)list->count + 1, sizeof *list->item);
    list->item[list->count++] = (example){cmd_demo_join(where, "/", "run.sh"),
                                          cmd_demo_join(folder, "/", "found"), .is_made = 1};
    free(where);
}

static void add_example(example_list *list, const char *dir, const char *folder, const char *file)
{
    if (strcmp(file, "run.sh") == 0) add_made(list, dir, folder);
    const int is_plan = strcmp(file, "problem.yaml") == 0;
    const int is_sweep = strcmp(file, "sweep.yaml") == 0;
    if (is_plan && arne_plan_available(NULL) != ARNE_OK) return;
    if (!is_plan && !is_sweep &&
        !(starts_with(file, "scenario") && cmd_demo_ends_with(file, ".yaml")))
        return;
    list->item = need_more(list->item, (size_t)list->count + 1, sizeof *list->item);
    char *where = cmd_demo_join(dir, "/", folder);
    list->item[list->count++] =
        (example){cmd_demo_join(where, "/", file), run_name(folder, file), is_plan, is_sweep, 0};
    free(where);
}

// Names in a folder, sorted; -1 where it cannot be read.
static int names_in(const char *dir, struct dirent ***names)
{
    return scandir(dir, names, NULL, alphasort);
}

static void free_names(struct dirent **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    if (count >= 0) free(names);
}

// Folders that the index shows first; the others follow by name.
static const char *const first[] = {
    "gait", "quadruped_push", "gough_stewart",  "jump",    "stair", "quadrotor",
    "lift", "mpc_arm",        "pick_and_place", "swimmer", "car",   "space_robot"};
enum { FIRST = sizeof first / sizeof first[0] };

static int example_rank(const example *e)
{
    const size_t length = strcspn(e->name, "_/");
    for (int i = 0; i < FIRST; i++)
        if (strncmp(e->name, first[i], strlen(first[i])) == 0 && length <= strlen(first[i]))
            return i;
    return FIRST;
}

static int by_rank(const void *a, const void *b)
{
    const int x = example_rank(a), y = example_rank(b);
    return x != y ? x - y : strcmp(((const example *)a)->name, ((const example *)b)->name);
}

static int find_examples(const char *dir, example_list *list)
{
    struct dirent **folders = NULL;
    const int       count = names_in(dir, &folders);
    for (int i = 0; i < count; i++) {
        struct dirent **files = NULL;
        char           *folder = cmd_demo_join(dir, "/", folders[i]->d_name);
        const int       inside = folders[i]->d_name[0] == '.' ? 0 : names_in(folder, &files);
        for (int k = 0; k < inside; k++)
            add_example(list, dir, folders[i]->d_name, files[k]->d_name);
        if (files) free_names(files, inside);
        free(folder);
    }
    free_names(folders, count);
    if (list->count) qsort(list->item, (size_t)list->count, sizeof *list->item, by_rank);
    return list->count
               ? EXIT_FINE
               : fail_data("%s: there are no examples; --examples DIR says where they are", dir);
}

static int run_simulation(const example *e, const char *dir)
{
    arne_scenario          *scenario = NULL;
    arne_simulation_summary summary;
    int                     code = load_scenario(e->path, 1, &scenario);
    if (code == EXIT_FINE) code = run_scenario(scenario, e->path, dir, 0, &summary);
    for (int i = 0; code == EXIT_FINE && i < arne_scenario_figure_count(scenario); i++) {
        const arne_figure f = arne_scenario_figure(scenario, i);
        if (!arne_figure_good(&f))
            code = fail_data("%s: %s is %.6g, too far from %.6g", e->path, f.name, f.value,
                             f.published);
    }
    arne_scenario_free(scenario);
    return code;
}

// By the verb of that name.
static int cmd_demo_run_verb(const example *e, const char *dir)
{
    char      quiet[] = "--quiet", out[] = "--out", verb[] = "plan";
    char     *path = need_copy(e->path, strlen(e->path)), *folder = need_copy(dir, strlen(dir));
    char     *argv[] = {verb, path, out, folder, quiet, NULL};
    const int code = e->is_sweep ? cmd_sweep(5, argv) : cmd_plan(5, argv);
    free(path);
    free(folder);
    return code;
}

// Figures that say something to compare with; of a run without such, the first few.
static void print_run(FILE *out, const arne_report_run *run)
{
    enum { FEW = 3 };
    char title[80], name[40], unit[16];
    int  compared = 0, shown_count = 0;
    for (int i = 0; i < run->figure_count; i++)
        compared += !isnan(run->figures[i].published);
    fprintf(out, "%s\n", shown(run->title, title, sizeof title));
    for (int i = 0; i < run->figure_count; i++) {
        const arne_report_figure *f = &run->figures[i];
        if (compared ? isnan(f->published) : shown_count >= FEW) continue;
        fprintf(out, "  %-40s %12.6g %-8s", shown(f->name, name, sizeof name), f->value,
                shown(f->unit, unit, sizeof unit));
        if (compared) fprintf(out, "%12.6g", f->published);
        fprintf(out, "\n");
        shown_count++;
    }
}

// The first sentence of the README beside an example, for one that says nothing of itself; NULL
// where there is none. To be freed.
static char *first_sentence(const char *example_path)
{
    enum { MOST = 1000 };
    const char *slash = strrchr(example_path, '/');
    char       *dir = need_copy(example_path, slash ? (size_t)(slash - example_path) : 0);
    char *path = cmd_demo_join(slash ? dir : ".", "/README.md", ""), line[512], text[MOST] = "";
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || (!*line && !*text)) continue;
        if (!*line) break; // the end of the first paragraph
        if (strlen(text) + strlen(line) + 2 > sizeof text) break;
        if (*text) strcat(text, " ");
        strcat(text, line);
    }
    if (in) fclose(in);
    free(path);
    free(dir);
    // "[a](b)" of Markdown is a.
    for (char *at = strchr(text, '['); at; at = strchr(at, '[')) {
        char *middle = strstr(at, "]("), *close = middle ? strchr(middle, ')') : NULL;
        if (!close) break;
        memmove(middle, close + 1, strlen(close + 1) + 1);
        memmove(at, at + 1, strlen(at + 1) + 1);
    }
    char *end = strstr(text, ". ");
    if (end) end[1] = 0;
    size_t kept = 0; // without the marks of code
    for (size_t i = 0; text[i]; i++)
        if (text[i] != '`') text[kept++] = text[i];
    text[kept] = 0;
    return *text ? need_copy(text, strlen(text)) : NULL;
}

static int write_index(const example_list *list, const char *dir)
{
    arne_report_run *runs = need((size_t)list->count, sizeof *runs);
    arne_error       error = {0};
    char            *path = cmd_demo_join(dir, "/index.html", ""),
         **says = need((size_t)list->count, sizeof *says);
    for (int i = 0; i < list->count; i++) {
        runs[i] = *arne_report_brief_run(list->brief[i]);
        runs[i].link = cmd_demo_join(list->item[i].name, "/report.html", "");
        says[i] = runs[i].text ? NULL : first_sentence(list->item[i].path);
        if (says[i]) runs[i].text = says[i];
    }
    const arne_status status =
        arne_report_index(path, "Arne's examples",
                          "Simulated and planned motions. Click one to see it move. Where a figure "
                          "is known, from a paper or exactly, it stands beside ours as expected.",
                          runs, list->count, &error);
    const int code = status == ARNE_OK ? EXIT_FINE : fail_error(path, status, &error);
    for (int i = 0; i < list->count; i++) {
        free((char *)runs[i].link);
        free(says[i]);
    }
    free(says);
    free(runs);
    free(path);
    return code;
}

static int run_example(example_list *list, int i, const char *dir, FILE *out)
{
    const example *e = &list->item[i];
    char          *folder = cmd_demo_join(dir, "/", e->name);
    arne_error     error = {0};
    int            code = e->is_made                  ? EXIT_FINE
                          : e->is_plan || e->is_sweep ? cmd_demo_run_verb(e, folder)
                                                      : run_simulation(e, folder);
    if (code == EXIT_FINE) {
        const arne_status status = arne_report_brief_read(folder, &list->brief[i], &error);
        if (status != ARNE_OK) code = fail_error(folder, status, &error);
    }
    if (code == EXIT_FINE) print_run(out, arne_report_brief_run(list->brief[i]));
    free(folder);
    return code;
}

static int is_folder(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

// A page of somebody else's in the place of ours is not replaced.
static int check_index(const char *dir)
{
    char   head[2048] = "", *path = cmd_demo_join(dir, "/index.html", "");
    FILE  *in = fopen(path, "rb");
    size_t size = in ? fread(head, 1, sizeof head - 1, in) : 0;
    head[size] = 0;
    const int foreign = in && !strstr(head, "<title>Arne&#39;s examples</title>");
    if (in) fclose(in);
    if (foreign)
        fail_data("%s: is no index of examples; move it away, or choose another folder", path);
    free(path);
    return foreign ? EXIT_DATA : EXIT_FINE;
}

static int show_examples(const demo_args *args, FILE *out)
{
    const char  *dir = args->out ? args->out : "arne-demo";
    const char  *from = args->examples                 ? args->examples
                        : is_folder(ARNE_EXAMPLES_DIR) ? ARNE_EXAMPLES_DIR
                                                       : "examples";
    example_list list = {.out = dir};
    int          code = check_index(dir);
    if (code == EXIT_FINE) code = find_examples(from, &list);
    if (code == EXIT_FINE && mkdir(dir, 0777) != 0 && errno != EEXIST)
        code = fail_data("%s: the folder cannot be made: %s", dir, strerror(errno));
    list.brief = need((size_t)list.count + 1, sizeof *list.brief);
    if (code == EXIT_FINE) fprintf(out, "%-63s %s\n", "", "expected");
    for (int i = 0; i < list.count && code == EXIT_FINE; i++)
        code = run_example(&list, i, dir, out);
    if (code == EXIT_FINE) code = write_index(&list, dir);
    if (code == EXIT_FINE) fprintf(out, "\n%s/index.html\n", dir);
    for (int i = 0; i < list.count; i++) {
        arne_report_brief_free(list.brief[i]);
        free(list.item[i].path);
        free(list.item[i].name);
    }
    free(list.brief);
    free(list.item);
    return code;
}

int cmd_demo(int argc, char **argv)
{
    demo_args args = {0};
    text_list operands = {0};
    output    out;
    int       code = options_parse(&demo, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;

    code = output_open(&out, args.output);
    if (code == EXIT_FINE)
        code = args.laws ? show_laws(args.robots, out.stream) : show_examples(&args, out.stream);
    if (code == EXIT_FINE)
        code = output_deliver(&out);
    else
        output_drop(&out);
    options_free(&demo, &args, &operands);
    return code;
}
