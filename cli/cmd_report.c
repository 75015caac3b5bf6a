// arne report DIR: the page of a run.
#include "csv_names.h"
#include "message.h"
#include "options.h"
#include "verbs.h"

#include <arne/report.h>

typedef struct report_args {
    int plots;
} report_args;

#define AT(field) offsetof(report_args, field)
static const option options[] = {
    FLAG("--plots", plots, "also every plot in DIR/plots, as SVG and (by rsvg-convert) as PNG"),
    OPTION_END,
};

static const command report = {
    "report",
    "DIR",
    "Writes DIR/report.html about the run in the folder DIR: one page, which "
    "needs no network, with its\n"
    "key figures, plots, and the moving mechanism.",
    1,
    1,
    options,
    NULL};

static void cmd_report_on_warning(void *context, const arne_warning *warning)
{
    (void)context;
    say("%s: %s", warning->file, warning->text);
}

int cmd_report(int argc, char **argv)
{
    report_args args = {0};
    text_list   operands = {0};
    arne_error  error = {0};
    int         code = options_parse(&report, argc, argv, &args, &operands);
    if (code != OPTIONS_GO) return code;
    const char *dir = operands.text[0];
    if (names_table(dir)) {
        code = fail_data("%s is a table, and the folder of a run is needed here; 'arne view ROBOT "
                         "--states %s' draws the motion of a robot",
                         dir, dir);
        options_free(&report, &args, &operands);
        return code;
    }
    const arne_report_options how = {.plots = args.plots, .warn = cmd_report_on_warning};
    const arne_status         status = arne_report_write(dir, &how, &error);
    code = status == ARNE_OK ? EXIT_FINE : fail_error(dir, status, &error);
    if (code == EXIT_FINE) printf("%s/report.html\n", dir);
    options_free(&report, &args, &operands);
    return code;
}
