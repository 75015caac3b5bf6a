#include "compute_modes.h"

#include "csv_states.h"
#include "message.h"

#include <arne/modes.h>
#include <math.h>
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

// Joints that no spring holds need a torque to stay where they are.
static void say_what_holds(const request *ask, const double *q, int quiet)
{
    const arne_sizes sizes = arne_robot_sizes(ask->robot);
    double          *tau = need((size_t)sizes.v_count, sizeof *tau), most = 1e-6;
    int              joint = -1;
    arne_gravity(ask->robot, ask->work, q, tau);
    for (int j = 0; j < sizes.joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(ask->robot, j);
        for (int k = info.v_start; k < info.v_start + info.v_count; k++) {
            if ((ask->given && ask->given[k]) || !(fabs(tau[k]) > most)) continue;
            most = fabs(tau[k]);
            joint = j;
        }
    }
    if (joint >= 0 && !quiet)
        warn("equilibrium",
             "%s: this is no equilibrium of the robot alone: the modes are those "
             "with constant torques that hold it, such as %.4g at joint '%s'",
             ask->path, most, arne_robot_joint(ask->robot, joint).name);
    free(tau);
}

int write_modes(const request *ask, const state_list *states, int wants_json, int quiet, FILE *out)
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
        if (status == ARNE_OK) say_what_holds(ask, m.q, quiet);
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
