#include "compute_contact.h"

#include "load.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

// NAME, NAME=point, NAME=foot.
static int parse_contact(const arne_robot *robot, const char *text, arne_held *out)
{
    const char  *equals = strrchr(text, '=');
    const int    foot = equals && strcmp(equals, "=foot") == 0;
    const int    point = equals && strcmp(equals, "=point") == 0;
    const size_t length = foot || point ? (size_t)(equals - text) : strlen(text);
    char        *name = need(length + 1, 1);
    memcpy(name, text, length);
    out->full = foot;
    out->frame = find_frame(robot, "--contact", name);
    free(name);
    return out->frame < 0 ? EXIT_USAGE : EXIT_FINE;
}

int contacts_make(request *ask, const contact_args *args)
{
    const int  count = args->contact->count;
    arne_held *held = need((size_t)count, sizeof *held);
    int       *frames = need((size_t)count, sizeof *frames), code = EXIT_FINE;
    for (int i = 0; i < count && code == EXIT_FINE; i++) {
        held[i].unilateral = args->unilateral || args->friction >= 0;
        held[i].friction = args->friction;
        code = parse_contact(ask->robot, args->contact->text[i], &held[i]);
        frames[i] = held[i].frame;
        for (int k = 0; k < i && code == EXIT_FINE; k++)
            if (frames[k] == frames[i])
                code = fail_usage("--contact: '%s' is there twice", args->contact->text[i]);
    }
    ask->held = frames;
    ask->held_count = count;
    arne_error        error = {0};
    const arne_status status =
        code == EXIT_FINE ? arne_holding_new(ask->robot, held, count, &ask->holding, &error)
                          : ARNE_OK;
    free(held);
    return status == ARNE_OK ? code : fail_error(ask->path, status, &error);
}

void contacts_free(request *ask)
{
    arne_holding_free(ask->holding);
    free((void *)(size_t)ask->held);
    ask->holding = NULL;
    ask->held = NULL;
}

static void put_forces(const request *ask, const arne_wrench *forces, result *out)
{
    for (int i = 0; i < ask->held_count; i++) {
        const char *name = arne_robot_frame(ask->robot, ask->held[i]).name;
        result_add_vec3(out, "contacts", name, "force", forces[i].lin);
        result_add_vec3(out, "contacts", name, "moment", forces[i].ang);
    }
}

int contact_dynamics(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    arne_wrench      *forces = need((size_t)ask->held_count, sizeof *forces);
    double           *qdd = result_add(out, "qdd", AXIS_V, AXIS_ONE);
    const arne_status status =
        arne_contact_dynamics(ask->holding, ask->work, at->part[PART_Q], at->part[PART_QD],
                              at->part[PART_TAU], ask->f_ext, qdd, forces, NULL, &error);
    if (status == ARNE_OK) put_forces(ask, forces, out);
    free(forces);
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, &error);
}

// Force and moment of each held frame along q, qd or tau.
static void put_force_derivatives(const request *ask, int way, const double *rows, result *out)
{
    static const char *const force[] = {"dforce_dq", "dforce_dqd", "dforce_dtau"};
    static const char *const moment[] = {"dmoment_dq", "dmoment_dqd", "dmoment_dtau"};
    const size_t             half = 3 * (size_t)arne_robot_sizes(ask->robot).v_count;
    for (int i = 0; i < ask->held_count; i++, rows += 2 * half) {
        const char *name = arne_robot_frame(ask->robot, ask->held[i]).name;
        memcpy(result_add_in(out, "contacts", name, force[way], AXIS_XYZ, AXIS_V), rows,
               half * sizeof *rows);
        memcpy(result_add_in(out, "contacts", name, moment[way], AXIS_XYZ, AXIS_V), rows + half,
               half * sizeof *rows);
    }
}

int contact_dynamics_derivatives(const request *ask, const state *at, result *out)
{
    const size_t size = 6 * (size_t)ask->held_count * (size_t)arne_robot_sizes(ask->robot).v_count;
    double      *rows = need(3 * size, sizeof *rows);
    const arne_contact_derivatives d = {.dqdd_dq = result_add(out, "dqdd_dq", AXIS_V, AXIS_V),
                                        .dqdd_dqd = result_add(out, "dqdd_dqd", AXIS_V, AXIS_V),
                                        .dqdd_dtau = result_add(out, "dqdd_dtau", AXIS_V, AXIS_V),
                                        .dforces_dq = rows,
                                        .dforces_dqd = rows + size,
                                        .dforces_dtau = rows + 2 * size};
    arne_error                     error = {0};
    const arne_status              status = arne_contact_dynamics_derivatives(
                     ask->holding, ask->work, at->part[PART_Q], at->part[PART_QD], at->part[PART_TAU],
                     ask->loads, ask->load_count, &d, &error);
    for (int way = 0; way < 3 && status == ARNE_OK; way++)
        put_force_derivatives(ask, way, rows + (size_t)way * size, out);
    free(rows);
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, &error);
}

int contact_inverse_dynamics(const request *ask, const state *at, result *out)
{
    arne_error        error = {0};
    arne_wrench      *forces = need((size_t)ask->held_count, sizeof *forces);
    double           *tau = result_add(out, "tau", AXIS_V, AXIS_ONE);
    const arne_status status =
        arne_contact_inverse_dynamics(ask->holding, ask->work, at->part[PART_Q], at->part[PART_QD],
                                      at->part[PART_QDD], ask->f_ext, tau, forces, &error);
    if (status == ARNE_OK) put_forces(ask, forces, out);
    free(forces);
    return status == ARNE_OK ? EXIT_FINE : fail_error(ask->path, status, &error);
}
