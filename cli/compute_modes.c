#include "compute_modes.h"

#include "csv_states.h"
#include "message.h"

#include <arne/modes.h>
#include <stdlib.h>

typedef struct mode_set {
    double *q, *frequency, *shapes;
    int     count;
} mode_set;

static void put_json(json *j, const ordering *order, const mode_set *m)
{
    json_line(j, 1);
    json_open(j, NULL, '{');
    json_numbers(j, "frequency", m->frequency, m->count);
    json_open(j, "shapes", '[');
    for (int i = 0; i < m->count; i++) {
        json_line(j, 2);
        json_open(j, NULL, '[');
        for (int k = 0; k < order->v_count; k++)
            json_number(j, NULL, m->shapes[i * order->v_count + order->v[k]]);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_open(j, "q", '[');
    for (int k = 0; k < order->q_count; k++)
        json_number(j, NULL, m->q[order->q[k]]);
    json_close(j, ']');
    json_close(j, '}');
}

static void put_csv(FILE *out, const ordering *order, const mode_set *m, int first)
{
    if (first) {
        csv_text(out, 1, "mode");
        csv_text(out, 0, "frequency [Hz]");
        for (int k = 0; k < order->v_count; k++)
            csv_text(out, 0, order->v_name[k]);
        fputc('\n', out);
    }
    for (int i = 0; i < m->count; i++) {
        csv_number(out, 1, i + 1);
        csv_number(out, 0, m->frequency[i]);
        for (int k = 0; k < order->v_count; k++)
            csv_number(out, 0, m->shapes[i * order->v_count + order->v[k]]);
        fputc('\n', out);
    }
}

int write_modes(const request *ask, const state_list *states, int wants_json, FILE *out)
{
    const ordering *order = ask->order;
    const size_t    n = (size_t)order->v_count;
    mode_set m = {.frequency = need(n, sizeof(double)), .shapes = need(n * n, sizeof(double))};
    json     j = json_begin(out);
    int      code = EXIT_FINE;
    if (wants_json) json_open(&j, NULL, '[');
    for (int i = 0; i < states->count && code == EXIT_FINE; i++) {
        arne_error error = {0};
        m.q = states->item[i].part[PART_Q];
        const arne_status status = arne_modes(ask->robot, ask->work, ask->given, m.q, &m.count,
                                              m.frequency, m.shapes, &error);
        if (status != ARNE_OK)
            code = fail_error(ask->path, status, &error);
        else if (wants_json)
            put_json(&j, order, &m);
        else
            put_csv(out, order, &m, i == 0);
    }
    if (wants_json) fputs("\n]\n", out);
    free(m.frequency);
    free(m.shapes);
    return code;
}
