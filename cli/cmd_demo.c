// arne demo: worked examples, with their figures, from the robots that come with Arne.
#include "demo.h"
#include "load.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <stdlib.h>

typedef struct demo_args {
    const char *robots, *output;
} demo_args;

static const option options[] = {
    {"--robots", NULL, OPTION_TEXT, "DIR", "where the robots that come with Arne are",
     offsetof(demo_args, robots), 0},
    OPTION_OUTPUT(demo_args),
    OPTION_END,
};

static const command demo = {
    "demo",  "",  "Worked examples from the literature and laws of mechanics, with figures.", 0, 0,
    options, NULL};

static const struct example {
    const char *robot;
    int         free_base;
    int (*run)(const arne_robot *robot, arne_work *work, FILE *out);
} examples[] = {
    {"stanford", 0, demo_stanford},
    {"puma560", 0, demo_puma},
    {"quadruped", 1, demo_free_fall},
    {"humanoid", 1, demo_round_trip},
};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static int run_example(const struct example *e, const char *dir, FILE *out)
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

int cmd_demo(int argc, char **argv)
{
    demo_args args = {0};
    text_list operands = {0};
    output    out;
    int       code = options_parse(&demo, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;

    code = output_open(&out, args.output);
    for (int i = 0; i < EXAMPLES && code == EXIT_FINE; i++) {
        fprintf(out.stream, "%s%d. ", i ? "\n" : "", i + 1);
        code = run_example(&examples[i], args.robots, out.stream);
    }
    if (code == EXIT_FINE)
        code = output_deliver(&out);
    else
        output_drop(&out);
    options_free(&demo, &args, &operands);
    return code;
}
