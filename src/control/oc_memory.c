// The block of a solver: sizes, places.
#define _POSIX_C_SOURCE 200112L // NOLINT(bugprone-reserved-identifier): posix_memalign
#include "base/error.h"
#include "base/options.h"
#include "batch/batch_job.h"
#include "control/oc.h"
#include <arne/configuration.h>
#include <arne/derivatives.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_ALIGNMENT = 64 };

// ---- the controls of a robot ----

int arne_oc_drives(const arne_robot *robot, int *out)
{
    if (!robot) return 0;
    const arne_sizes sizes = arne_robot_sizes(robot);
    int              count = 0;
    for (int i = 0; i < sizes.joint_count; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        const int             motor = arne_joint_motor(robot, i);
        const int behind_spring = motor >= 0 && arne_robot_motor(robot, motor).v_index >= 0;
        if (j.passive || behind_spring || j.parent < 0) continue;
        for (int k = 0; k < j.v_count; k++, count++)
            if (out) out[count] = j.v_start + k;
    }
    for (int i = 0; i < sizes.motor_count; i++) {
        const int v = arne_robot_motor(robot, i).v_index;
        if (v < 0) continue;
        if (out) out[count] = v;
        count++;
    }
    return count;
}

// Coordinates that are driven, then the others.
static void find_driven(const arne_oc *oc, int *out)
{
    int count = arne_oc_drives(oc->robot, out);
    for (int i = 0; i < oc->n; i++) {
        int is_driven = 0;
        for (int k = 0; k < oc->driven_count; k++)
            is_driven |= out[k] == i;
        if (!is_driven) out[count++] = i;
    }
}

// Velocities of continuous joints: their number; out may be NULL.
static int find_turning(const arne_robot *robot, int *out)
{
    const int joints = arne_robot_sizes(robot).joint_count;
    int       count = 0;
    for (int i = 0; i < joints; i++) {
        const arne_joint_info j = arne_robot_joint(robot, i);
        if (j.kind != ARNE_JOINT_CONTINUOUS || j.v_count != 1) continue;
        if (out) out[count] = j.v_start;
        count++;
    }
    return count;
}

// ---- places ----

typedef struct places {
    char  *memory; // NULL: only counted
    size_t used;
} places;

static void *oc_memory_take(places *p, size_t bytes)
{
    void *at = p->memory ? p->memory + p->used : NULL;
    p->used += (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    return at;
}

static double *take_numbers(places *p, size_t count)
{
    return oc_memory_take(p, count * sizeof(double));
}

// Sizes of the horizon's arrays.
static void place_horizon(arne_oc *oc, places *p)
{
    const size_t N = (size_t)oc->N, n = (size_t)oc->n, nu = (size_t)oc->nu, nx = (size_t)oc->nx;
    const size_t sx = (size_t)oc->sx;
    oc->previous = take_numbers(p, nu);
    oc->x0 = take_numbers(p, sx);
    oc->states = take_numbers(p, (N + 1) * sx);
    oc->trial_x = take_numbers(p, (N + 1) * sx);
    oc->controls = take_numbers(p, N * nu);
    oc->trial_u = take_numbers(p, N * nu);
    oc->gaps = take_numbers(p, (N + 1) * nx);
    oc->Vf = take_numbers(p, (N + 1) * nx);
    oc->K = take_numbers(p, N * nu * nx);
    oc->k = take_numbers(p, N * nu);
    oc->multipliers = take_numbers(p, oc->multiplier_count);
    if (oc->constrained)
        oc->spread = take_numbers(p, N * nu * nu + 2 * (size_t)oc->nz * (size_t)oc->ldz);
    if (!oc->euler || oc->impacts) oc->dense = take_numbers(p, N * (nx + 3) * (size_t)oc->ldz);
    if (!oc->euler) return;
    oc->tau = take_numbers(p, N * n);
    oc->a = take_numbers(p, N * n);
    oc->a_q = take_numbers(p, N * n * n);
    oc->a_v = take_numbers(p, N * n * n);
    oc->a_t = take_numbers(p, N * n * n);
    if (oc->weighs_forces) oc->forces = take_numbers(p, N * (size_t)oc->most_rows * (1 + 3 * n));
}

static void place_knot(arne_oc *oc, places *p, size_t rows)
{
    const size_t n = (size_t)oc->n, nu = (size_t)oc->nu, nx = (size_t)oc->nx, nz = (size_t)oc->nz;
    const size_t ldx = (size_t)oc->ldx, ldz = (size_t)oc->ldz, sx = (size_t)oc->sx;
    const size_t all = 2 * n + nu, dense = (nx + 3) * ldz;
    oc->Q = take_numbers(p, (nz + 3) * ldz);
    oc->z = take_numbers(p, ldz);
    oc->own = take_numbers(p, ldz);
    oc->V = take_numbers(p, ldx * ldx);
    oc->bend_room = take_numbers(p, 18 * ldx);
    oc->Vx = take_numbers(p, ldx);
    oc->costate = take_numbers(p, ldx);
    oc->PGP = take_numbers(p, (3 * n + 3) * ldz);
    oc->Vv = take_numbers(p, (n + 3) * (size_t)matrix_padded(oc->n));
    oc->R = take_numbers(p, (nu + 3) * ldx);
    oc->U = take_numbers(p, nu * (size_t)oc->ldu);
    oc->y = take_numbers(p, nu);
    oc->H = take_numbers(p, nu * nu);
    oc->box = take_numbers(p, nu * (nu + 5));
    oc->is_free = oc_memory_take(p, nu);
    oc->F = take_numbers(p, dense + sx + n + nu + 2 * nz);
    oc->L = take_numbers(p, 3 * dense + ldz);
    oc->J = take_numbers(p, (rows + 3) * ldz);
    oc->hJ = take_numbers(p, (rows + 3) * ldz);
    oc->r = take_numbers(p, rows + sx + n + nu);
    oc->g = take_numbers(p, oc->row_count + 2 * nz);
    oc->Jb = take_numbers(p, 6 * n);
    oc->t = take_numbers(p, 4 * n * n + 24 * n);
    oc->stage = take_numbers(p, 8 * n + 2 * sx);
    oc->user = take_numbers(p, (rows > all ? rows : all) * all + all);
}

// Phases with their contacts.
static void place_contacts(arne_oc *oc, const arne_oc_problem *p, places *at)
{
    if (!oc->phase_count) return;
    oc->phases = oc_memory_take(at, (size_t)oc->phase_count * sizeof *oc->phases);
    oc->schedule = oc_memory_take(at, (size_t)oc->N * sizeof *oc->schedule);
    oc->before = -1;
    for (int i = 0; i < oc->phase_count; i++) {
        const arne_oc_phase *given = &p->phases[i];
        const size_t         size = (size_t)given->contact_count * sizeof(arne_oc_contact);
        arne_oc_contact     *own = oc_memory_take(at, size);
        if (!at->memory) continue;
        if (size) memcpy(own, given->contacts, size);
        oc->phases[i] = (oc_stand){own, given->contact_count, 0, given->impact};
        for (int k = given->first; k < oc->N; k++)
            oc->schedule[k] = i;
        for (int k = 0; k < given->contact_count; k++)
            oc->phases[i].rows += own[k].full ? 6 : 3;
    }
}

// Memory for the dynamics of contacts.
static void place_contact_room(arne_oc *oc, places *at)
{
    const size_t  n = (size_t)oc->n, m = (size_t)oc->most_rows;
    contact_room *c = &oc->contact;
    if (!oc->phase_count) return;
    double **const squares[] = {&c->Minv, &c->Dq, &c->Dv, &c->a_q, &c->a_v, &c->a_t};
    double **const rows[] = {&c->J, &c->JM, &c->fq, &c->fv, &c->ft};
    for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++)
        *squares[i] = take_numbers(at, n * n);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        *rows[i] = take_numbers(at, m * n);
    c->S = take_numbers(at, m * m);
    c->f = take_numbers(at, m);
    c->column = take_numbers(at, m + 2 * n);
    c->frame = take_numbers(at, 24 * n);
    c->x = take_numbers(at, (size_t)oc->sx);
    c->loads = oc_memory_take(at, (size_t)oc->most_contacts * sizeof *c->loads);
}

static size_t place_terms(arne_oc *oc, const arne_oc_problem *problem)
{
    size_t most = 1;
    oc->multiplier_count = oc->row_count = 0;
    const arne_oc_term undriven = {
        .quantity = (arne_oc_quantity)OC_UNDRIVEN, .lower = oc->zeros, .upper = oc->zeros};
    for (int i = 0; i < oc->term_count; i++) {
        const arne_oc_term *given = i < problem->term_count ? &problem->terms[i] : &undriven;
        oc_term             t = {.given = *given, .rows = oc_term_rows(oc, given)};
        t.first = given->at_end ? oc->N : given->first;
        t.last = given->at_end ? oc->N : given->last || given->first ? given->last : oc->N - 1;
        oc->row_count += (size_t)t.rows;
        most = (size_t)t.rows > most ? (size_t)t.rows : most;
        if (oc->terms) oc->terms[i] = t;
        if (given->lower || given->upper || given == &undriven) {
            if (oc->terms) oc->terms[i].multipliers = oc->multipliers + oc->multiplier_count;
            oc->multiplier_count += (size_t)t.rows * (size_t)(t.last - t.first + 1);
            oc->constrained = 1;
        }
    }
    return most;
}

static void place_copies(arne_oc *oc, const arne_oc_problem *p, places *at)
{
    double *lower = take_numbers(at, (size_t)oc->nu), *upper = take_numbers(at, (size_t)oc->nu);
    double *B = p->actuation ? take_numbers(at, (size_t)(oc->n * oc->nu)) : NULL;
    int    *drive = p->actuation ? NULL : oc_memory_take(at, (size_t)oc->nu * sizeof *drive);
    int    *driven = oc_memory_take(at, (size_t)oc->n * sizeof *driven);
    oc->zeros = oc->by_acceleration ? take_numbers(at, (size_t)oc->n) : NULL;
    oc->turning = oc_memory_take(at, (size_t)oc->turning_count * sizeof *oc->turning);
    oc->terms = oc_memory_take(at, (size_t)oc->term_count * sizeof *oc->terms);
    if (!at->memory) return;
    for (int i = 0; i < oc->nu; i++) {
        lower[i] = p->control_lower ? p->control_lower[i] : -INFINITY;
        upper[i] = p->control_upper ? p->control_upper[i] : INFINITY;
    }
    if (B) memcpy(B, p->actuation, (size_t)(oc->n * oc->nu) * sizeof *B);
    find_driven(oc, driven);
    for (int i = 0; i < oc->nu && drive; i++)
        drive[i] = oc->by_acceleration ? i : driven[i];
    find_turning(oc->robot, oc->turning);
    oc->lower = lower;
    oc->upper = upper;
    oc->B = B;
    oc->drive = drive;
    oc->driven = driven;
}

static void oc_sizes(arne_oc *oc, const arne_oc_problem *p)
{
    const arne_sizes sizes = arne_robot_sizes(p->robot);
    *oc = (arne_oc){.robot = p->robot, .nq = sizes.q_count, .n = sizes.v_count, .N = p->knots};
    oc->h = p->step;
    oc->euler = p->integrator == ARNE_OC_EULER;
    oc->driven_count = arne_oc_drives(p->robot, NULL);
    oc->by_acceleration = p->control_kind == ARNE_OC_BY_ACCELERATION;
    oc->nu = oc->by_acceleration ? oc->n : p->actuation ? p->control_count : oc->driven_count;
    oc->bounded = p->control_lower || p->control_upper;
    oc->bend_count = tangent_find(p->robot, NULL);
    oc->plain = oc->bend_count == 0;
    oc->turning_count = find_turning(p->robot, NULL);
    oc->squares = 1;
    for (int i = 0; i < p->term_count && p->terms; i++) {
        const arne_oc_term *t = &p->terms[i];
        oc->squares &= t->quantity != ARNE_OC_COST && !t->lower && !t->upper;
        oc->rate |= p->terms[i].quantity == ARNE_OC_RATE;
        oc->circles |= p->terms[i].wrap;
        oc->weighs_forces |= t->quantity == ARNE_OC_FORCE || t->quantity == ARNE_OC_FRICTION;
    }
    oc->sx = oc->nq + oc->n;
    oc->nx = 2 * oc->n + (oc->rate ? oc->nu : 0);
    oc->nz = oc->nx + oc->nu;
    oc->ldx = matrix_padded(oc->nx);
    oc->ldz = matrix_padded(oc->nz);
    oc->ldu = matrix_padded(oc->nu) + MATRIX_PAD;
    oc->term_count = p->term_count + (oc->by_acceleration && oc->driven_count < oc->n);
    oc->squares &= oc->term_count == p->term_count;
    oc->phase_count = p->phases ? p->phase_count : 0;
    oc->contact_damping = p->contact_damping;
    oc->threads = p->threads > 1 ? p->threads : 1;
    for (int i = 0; i < oc->phase_count; i++) {
        int rows = 0;
        for (int k = 0; k < p->phases[i].contact_count && p->phases[i].contacts; k++)
            rows += p->phases[i].contacts[k].full ? 6 : 3;
        oc->most_rows = rows > oc->most_rows ? rows : oc->most_rows;
        oc->impacts |= p->phases[i].impact;
        if (p->phases[i].contact_count > oc->most_contacts)
            oc->most_contacts = p->phases[i].contact_count;
    }
}

// What each thread has of its own.
static void place_own(arne_oc *oc, places *at, size_t rows)
{
    const size_t in_rows = batch_most_inputs(oc->robot), out_rows = batch_most_outputs(oc->robot);
    void        *work = oc_memory_take(at, arne_work_size(oc->robot));
    oc->lanes_block =
        oc_memory_take(at, oc->lanes->size(oc->robot, in_rows, out_rows) + BLOCK_ALIGNMENT);
    oc->bends = oc_memory_take(at, (size_t)oc->bend_count * sizeof *oc->bends);
    place_contact_room(oc, at);
    place_knot(oc, at, rows);
    if (!at->memory) return;
    tangent_find(oc->robot, oc->bends);
    oc->work = arne_work_place(oc->robot, work);
    oc->lanes->place(oc->robot, in_rows, oc->lanes_block);
}

static void place_helpers(arne_oc *oc, places *at, size_t rows)
{
    arne_oc *helpers = oc_memory_take(at, (size_t)(oc->threads - 1) * sizeof *helpers), one;
    for (int i = 0; i < oc->threads - 1; i++) {
        arne_oc *h = at->memory ? &helpers[i] : &one;
        *h = *oc;
        place_own(h, at, rows);
    }
    oc->helpers = helpers;
}

// Counts the bytes; with memory, places everything there.
static size_t oc_walk(arne_oc *oc, const arne_oc_problem *p, char *memory)
{
    places at = {memory, 0};
    oc_memory_take(&at, sizeof *oc);
    const size_t rows = place_terms(oc, p); // counts multipliers: terms have no place yet
    place_copies(oc, p, &at);
    oc->lanes = batch_kernel_widest(oc->robot);
    place_horizon(oc, &at);
    place_contacts(oc, p, &at);
    place_own(oc, &at, rows);
    if (memory) place_terms(oc, p);
    place_helpers(oc, &at, rows);
    return at.used;
}

// Whether the recursion of second derivatives has this robot.
static int has_second_derivatives(arne_oc *oc)
{
    const int n = oc->n;
    double   *q = oc->states, *room = oc->t, *out = room + n;
    return oc->plain &&
           !arne_second_derivatives(oc->robot, oc->work, q, room, room, NULL, 0, room, out,
                                    out + n * n, out + 2 * n * n, out + 3 * n * n, NULL);
}

// ---- entries ----

static arne_status problem_take(const arne_oc_problem *problem, arne_oc_problem *own, arne_oc *oc,
                                arne_error *error)
{
    if (!problem || !problem->robot) return arne_fail_null(error);
    if (!options_take(own, sizeof *own, OPTIONS_FIRST(arne_oc_problem), problem))
        return options_refuse(error);
    if (arne_work_size(own->robot) == 0)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "the robot is built for instructions that this processor lacks");
    oc_sizes(oc, own);
    return oc_check(oc, own, error);
}

size_t arne_oc_size(const arne_oc_problem *problem, arne_error *error)
{
    arne_oc_problem own;
    arne_oc         oc;
    if (problem_take(problem, &own, &oc, error)) return 0;
    return oc_walk(&oc, &own, NULL);
}

arne_status arne_oc_place(const arne_oc_problem *problem, void *memory, arne_oc **out,
                          arne_error *error)
{
    arne_oc_problem own;
    arne_oc         oc;
    if (out) *out = NULL;
    if (!out || !memory) return arne_fail_null(error);
    const arne_status status = problem_take(problem, &own, &oc, error);
    if (status) return status;
    if ((uintptr_t)memory % BLOCK_ALIGNMENT)
        return arne_fail(error, ARNE_VALUE, NULL, 0, "memory is not aligned to %d bytes",
                         BLOCK_ALIGNMENT);
    arne_oc count = oc;
    memset(memory, 0, oc_walk(&count, &own, NULL));
    oc_walk(&oc, &own, memory);
    arne_oc *placed = memory;
    *placed = oc;
    for (int k = 0; k <= oc.N; k++)
        arne_neutral(oc.robot, oc.states + (ptrdiff_t)k * oc.sx);
    placed->recursive = has_second_derivatives(placed);
    *out = placed;
    return ARNE_OK;
}

arne_status arne_oc_new(const arne_oc_problem *problem, arne_oc **out, arne_error *error)
{
    if (out) *out = NULL;
    if (!out) return arne_fail_null(error);
    arne_error   own;
    const size_t size = arne_oc_size(problem, error ? error : &own);
    void        *memory = NULL;
    if (!size) return error ? error->code : own.code;
    if (posix_memalign(&memory, BLOCK_ALIGNMENT, size)) return arne_fail_memory(error);
    arne_status status = arne_oc_place(problem, memory, out, error);
    if (!status && (*out)->threads > 1 && pool_new((*out)->threads, &(*out)->pool))
        status = arne_fail_memory(error);
    if (status) {
        free(memory);
        *out = NULL;
    } else
        (*out)->allocated = memory;
    return status;
}

void arne_oc_free(arne_oc *oc)
{
    if (!oc) return;
    pool_free(oc->pool);
    free(oc->allocated);
}

int arne_oc_control_count(const arne_oc *oc) { return oc ? oc->nu : 0; }
int arne_oc_state_count(const arne_oc *oc) { return oc ? oc->nx : 0; }

const double *arne_oc_states(const arne_oc *oc) { return oc ? oc->states : NULL; }
const double *arne_oc_controls(const arne_oc *oc) { return oc ? oc->controls : NULL; }
const double *arne_oc_gains(const arne_oc *oc) { return oc ? oc->K : NULL; }

const double *arne_oc_multipliers(const arne_oc *oc, int term)
{
    return oc && term >= 0 && term < oc->term_count ? oc->terms[term].multipliers : NULL;
}

const char *arne_oc_outcome_name(arne_oc_outcome outcome)
{
    static const char *const NAMES[] = {"converged", "iterations", "stalled", "deadline",
                                        "stopped"};
    return (unsigned)outcome < ARNE_OC_OUTCOME_COUNT ? NAMES[outcome] : "unknown";
}
