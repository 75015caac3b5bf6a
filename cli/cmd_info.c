// arne info ROBOT: what is in a robot file, as a person likes to read it, or as JSON.
#include "info.h"
#include "message.h"
#include "output.h"
#include "verbs.h"

#include <arne/report.h>

typedef struct info_args {
    robot_args  robot;
    text_list   payload;
    int         json, catalogue;
    const char *output;
} info_args;

#define AT(field) offsetof(info_args, field)
static const option options[] = {
    ROBOT_OPTIONS,
    TEXTS("--payload", "LINK=mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]", payload,
          "a tool or load on a link; inertia about its centre of mass; repeatable"),
    FLAG("--json", json, "the same facts as JSON"),
    FLAG("--catalogue", catalogue,
         "instead of a robot: every algorithm with its inputs, outputs and forms"),
    OPTION_OUTPUT,
    OPTION_END,
};

static const command info = {"info",
                             "[ROBOT]",
                             "The robot as Arne reads it: joints in the order of q, limits, "
                             "masses, frames, and what was merged\n"
                             "or warned about.",
                             0,
                             1,
                             options,
                             NULL};

static int write_catalogue(const info_args *args)
{
    output out;
    int    code = output_open(&out, args->output);
    if (code != EXIT_FINE) return code;
    (args->json ? catalogue_json : catalogue_table)(out.stream);
    return output_deliver(&out);
}

static int write_info(const facts *about, const info_args *args)
{
    output out;
    int    code = output_open(&out, args->output);
    if (code != EXIT_FINE) return code;
    if (args->json)
        info_json(about, out.stream);
    else
        info_table(about, out.stream);
    return output_deliver(&out);
}

int cmd_info(int argc, char **argv)
{
    info_args   args = {0};
    text_list   operands = {0};
    note_list   notes = {0};
    arne_robot *robot = NULL;
    int         code = options_parse(&info, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;

    if (args.catalogue || operands.count == 0) {
        code =
            operands.count == (args.catalogue ? 0 : 1)
                ? write_catalogue(&args)
                : fail_usage(
                      args.catalogue
                          ? "info: --catalogue is of no robot"
                          : "usage: arne info ROBOT [options], or arne info --catalogue [--json]");
        options_free(&info, &args, &operands);
        return code;
    }

    // The warnings are part of what is printed; on stderr they would come twice.
    robot_args how = args.robot;
    how.quiet = 1;
    code = load_robot(operands.text[0], &how, &notes, &robot);
    if (code == EXIT_FINE) code = attach_payloads(operands.text[0], &args.payload, &robot);
    if (code == EXIT_FINE) {
        if (args.robot.quiet) notes_free(&notes);
        code = write_info(&(facts){operands.text[0], robot, &notes}, &args);
        loop_facts found = {.status = ARNE_OK};
        if (code == EXIT_FINE && arne_robot_sizes(robot).loop_count) loop_facts_find(robot, &found);
        if (found.status != ARNE_OK)
            code = fail_error(operands.text[0], found.status, &found.error);
    }
    arne_robot_free(robot);
    notes_free(&notes);
    options_free(&info, &args, &operands);
    return code;
}
