// Runs scenarios for the random draws, one a line of stdin: the path of the scenario, a tab, and
// the path of a file for the result. Answers a line for each:
//     refused TAB text                          it could not be read
//     failed TAB text                           the run failed
//     ok TAB energy residual TAB steps TAB name [unit] TAB name [unit] ...
// The file has the rows as doubles of this machine, one row after the other; the file with .impacts
// behind its name those of the impacts, where there is rigid ground.
#include "base/plain.h"
#include <arne/arne.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Texts of errors have no tabs or ends of lines that would end the answer.
static void answer(const char *what, const char *text)
{
    printf("%s\t", what);
    for (; *text; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
    putchar('\n');
}

static int write_rows(const arne_table *table, const char *path)
{
    FILE *file = fopen(path, "wb");
    int   fine = file != NULL;
    for (int i = 0; fine && i < arne_table_rows(table); i++)
        fine = fwrite(arne_table_row(table, i), sizeof(double), (size_t)arne_table_columns(table),
                      file) == (size_t)arne_table_columns(table);
    return file && fclose(file) == 0 && fine;
}

static void run(const char *scenario, const char *out)
{
    arne_scenario          *s = NULL;
    arne_table             *table = NULL, *impacts = NULL;
    arne_simulation_summary summary;
    arne_error              error = {0};
    if (arne_scenario_read(scenario, NULL, &s, &error) != ARNE_OK) {
        answer("refused", error.text);
        return;
    }
    arne_simulation_spec sim = *arne_scenario_simulation(s);
    char                 beside[4200];
    snprintf(beside, sizeof beside, "%s.impacts", out);
    sim.impacts = &impacts;
    if (arne_simulate(&sim, NULL, NULL, &table, &summary, &error)) {
        answer("failed", error.text);
    } else if (!write_rows(table, out) || (impacts && !write_rows(impacts, beside))) {
        answer("failed", "the result cannot be written");
    } else {
        plain_write(stdout, "ok\t%a\t%ld", summary.energy_residual, summary.steps);
        for (int i = 0; i < arne_table_columns(table); i++)
            printf("\t%s [%s]", arne_table_name(table, i), arne_table_unit(table, i));
        putchar('\n');
    }
    arne_table_free(table);
    arne_table_free(impacts);
    arne_scenario_free(s);
}

int main(void)
{
    char line[4096];
    setlocale(LC_ALL, "");
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        char *out = strchr(line, '\t');
        if (!out) return 1;
        *out++ = 0;
        run(line, out);
        fflush(stdout);
    }
    return 0;
}
