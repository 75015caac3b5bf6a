#include "compute_identify.h"

#include "csv_states.h"
#include "message.h"
#include "output.h"

#include <arne/identify.h>
#include <math.h>
#include <stdlib.h>

static const double *row_of(const arne_base_set *set, int i)
{
    return set->grouping + (size_t)i * (size_t)set->parameter_count;
}

static void compute_identify_write_json(const arne_base_set *set, const ordering *order,
                                        const double *value, FILE *out)
{
    json j = json_begin(out);
    json_open(&j, NULL, '[');
    json_line(&j, 1);
    json_open(&j, NULL, '{');
    json_integer(&j, "rank", set->rank);
    json_open(&j, "parameters", '[');
    for (int i = 0; i < set->rank; i++) {
        json_line(&j, 2);
        json_open(&j, NULL, '{');
        json_text(&j, "name", order->parameter_name[set->kept[i]]);
        json_number(&j, "value", value[i]);
        json_open(&j, "group", '{');
        for (int c = 0; c < set->parameter_count; c++)
            if (row_of(set, i)[c] != 0)
                json_number(&j, order->parameter_name[c], row_of(set, i)[c]);
        json_close(&j, '}');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    fputs("\n]\n", out);
}

// "link1.Izz + link2.Izz - 0.25 link2.m", the parameter itself first. Returns an exit status.
static int relation(const arne_base_set *set, const ordering *order, int i, output *text)
{
    const int code = output_open(text, NULL);
    if (code != EXIT_FINE) return code;
    fputs(order->parameter_name[set->kept[i]], text->stream);
    for (int c = 0; c < set->parameter_count; c++) {
        const double factor = row_of(set, i)[c], much = fabs(factor);
        if (factor == 0 || c == set->kept[i]) continue;
        fprintf(text->stream, factor > 0 ? " + " : " - ");
        if (much != 1) fprintf(text->stream, "%.9g ", much);
        fputs(order->parameter_name[c], text->stream);
    }
    return output_text(text) ? EXIT_FINE : fail_data("out of memory");
}

static int write_csv(const arne_base_set *set, const ordering *order, const double *value,
                     FILE *out)
{
    fputs("parameter,value,grouping\n", out);
    for (int i = 0; i < set->rank; i++) {
        output    text;
        const int code = relation(set, order, i, &text);
        if (code == EXIT_FINE) {
            csv_text(out, 1, order->parameter_name[set->kept[i]]);
            csv_number(out, 0, value[i]);
            csv_text(out, 0, text.text);
            fputc('\n', out);
        }
        output_drop(&text);
        if (code != EXIT_FINE) return code;
    }
    return EXIT_FINE;
}

int write_base_parameters(const request *ask, const ordering *order, int wants_json, FILE *out)
{
    arne_error        error = {0};
    arne_base_set    *set;
    const arne_status status =
        arne_base_set_new(ask->robot, ask->work, ARNE_PARAMETERS_INERTIAL, 1, &set, &error);
    if (status != ARNE_OK) return fail_error(ask->path, status, &error);
    double *all = need((size_t)set->parameter_count, sizeof *all);
    double *value = need((size_t)set->rank, sizeof *value);
    int     code = EXIT_FINE;
    arne_parameters(ask->robot, all);
    arne_base_values(set, all, value);
    if (wants_json)
        compute_identify_write_json(set, order, value, out);
    else
        code = write_csv(set, order, value, out);
    free(all);
    free(value);
    arne_base_set_free(set);
    return code;
}
