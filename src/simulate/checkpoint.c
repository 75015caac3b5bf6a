// The state of an integrator with the grid of its steps, torques that are held, joints that stick,
// filters and limits of the controller, forces of contacts, and what the summary adds up.
#include "simulate/checkpoint.h"

#include "simulate/controllers/controller.h"
#include "world/rigid.h"
#include <string.h>

void checkpoint_numbers(checkpoint *c, double *values, size_t count)
{
    if (c->way == CHECKPOINT_LOAD && count > c->count - c->at) {
        c->bad = 1;
        return;
    }
    if (c->way == CHECKPOINT_SAVE) memcpy(c->numbers + c->at, values, count * sizeof *values);
    if (c->way == CHECKPOINT_LOAD) memcpy(values, c->numbers + c->at, count * sizeof *values);
    c->at += count;
}

// Whole numbers within what a double holds exactly; others are of no run.
void checkpoint_long(checkpoint *c, long *value)
{
    double x = (double)*value;
    checkpoint_numbers(c, &x, 1);
    if (!(x >= -9e15 && x <= 9e15) || x != (double)(long)x)
        c->bad = 1;
    else
        *value = (long)x;
}

void checkpoint_int(checkpoint *c, int *value)
{
    long x = *value;
    checkpoint_long(c, &x);
    if (x < -2147483647 || x > 2147483647)
        c->bad = 1;
    else
        *value = (int)x;
}

void checkpoint_same(checkpoint *c, double value)
{
    double x = value;
    checkpoint_numbers(c, &x, 1);
    if (x != value) c->bad = 1;
}

void checkpoint_integrator(checkpoint *c, arne_integrator *it)
{
    const size_t state = (size_t)(it->nq + it->nv + it->nz);
    checkpoint_same(c, it->options.method);
    checkpoint_same(c, it->nq);
    checkpoint_same(c, it->nv);
    checkpoint_same(c, it->system.event_count);
    checkpoint_numbers(c, &it->time, 1);
    checkpoint_numbers(c, it->q, state);
    checkpoint_numbers(c, it->g0, (size_t)it->system.event_count);
    checkpoint_numbers(c, it->k[0], (size_t)it->tangent);
    checkpoint_numbers(c, it->path, (size_t)it->nv);
    checkpoint_int(c, &it->fresh);
    double *const steps[] = {&it->last_time, &it->last_step, &it->next_step,
                             &it->old_error, &it->grid_from, &it->grid_until,
                             &it->grid_done, &it->reach,     &it->speed};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        checkpoint_numbers(c, steps[i], 1);
    checkpoint_long(c, &it->stats.steps);
    checkpoint_long(c, &it->stats.rejected);
    checkpoint_long(c, &it->stats.rates);
    checkpoint_long(c, &it->stats.columns);
}

static void checkpoint_vec3(checkpoint *c, arne_vec3 *v)
{
    checkpoint_numbers(c, &v->x, 1);
    checkpoint_numbers(c, &v->y, 1);
    checkpoint_numbers(c, &v->z, 1);
}

// The rows of the impacts so far; when they are loaded the table is empty.
static void checkpoint_impacts(checkpoint *c, impact_log *log)
{
    long rows = log->table ? arne_table_rows(log->table) : 0;
    checkpoint_long(c, &rows);
    for (int i = 0; i < rows && log->table && !c->bad; i++) {
        if (c->way != CHECKPOINT_LOAD)
            memcpy(log->row, arne_table_row(log->table, i),
                   (size_t)arne_table_columns(log->table) * sizeof *log->row);
        checkpoint_numbers(c, log->row, (size_t)arne_table_columns(log->table));
        if (c->way == CHECKPOINT_LOAD && arne_table_append(log->table, log->row) != ARNE_OK)
            c->bad = 1;
    }
}

void checkpoint_plant(checkpoint *c, plant *p)
{
    checkpoint_same(c, p->dry_count);
    checkpoint_numbers(c, p->tau, (size_t)p->sizes.v_count);
    checkpoint_numbers(c, &p->closure, 1);
    p->stuck_count = 0;
    for (int i = 0; i < p->dry_count; i++) {
        dry_joint *d = &p->dry[i];
        int        sticks = p->stuck[d->v];
        checkpoint_int(c, &d->mode);
        checkpoint_numbers(c, &d->needed, 1);
        checkpoint_int(c, &sticks);
        p->stuck[d->v] = sticks != 0;
        p->stuck_count += sticks != 0;
    }
    checkpoint_contact(c, p->world);
    for (int i = 0; i < p->sizes.contact_count; i++)
        checkpoint_vec3(c, &p->impulses[i]);
    checkpoint_impacts(c, &p->impacts);
}

void checkpoint_record(checkpoint *c, record *r)
{
    checkpoint_same(c, arne_table_columns(r->table));
    checkpoint_numbers(c, r->tau_before, (size_t)r->p->sizes.v_count);
    double *const sums[] = {&r->contact_time,    &r->time_before,      &r->energy_at_start,
                            &r->kinetic_largest, &r->residual_largest, &r->error_squares,
                            &r->error_peak};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        checkpoint_numbers(c, sums[i], 1);
    checkpoint_long(c, &r->error_count);
}

void checkpoint_controller(checkpoint *c, arne_controller *k)
{
    checkpoint_same(c, k != NULL);
    if (!k) return;
    checkpoint_numbers(c, k->before, (size_t)k->size.v_count);
    checkpoint_numbers(c, &k->before_time, 1);
    checkpoint_int(c, &k->started);
    checkpoint_long(c, &k->hits.samples);
    checkpoint_long(c, &k->hits.torque);
    checkpoint_long(c, &k->hits.torque_rate);
    checkpoint_int(c, &k->hits.first_torque);
    checkpoint_int(c, &k->hits.first_rate);
    if (k->hits.first_torque >= k->size.v_count || k->hits.first_rate >= k->size.v_count)
        c->bad = 1;
    checkpoint_numbers(c, &k->hits.first_torque_time, 1);
    checkpoint_numbers(c, &k->hits.first_rate_time, 1);
    for (int i = 0; i < 2 * k->size.v_count; i++) // those of rates lie behind
        checkpoint_long(c, &k->torque_hits[i]);
    checkpoint_same(c, (double)(k->law->remembers ? k->number_count : 0));
    if (k->law->remembers) checkpoint_numbers(c, k->numbers, k->number_count);
}

// ---- contact ----

// Numbers of an entry of a list.
enum { PAIR_NUMBERS = 2, TOUCH_NUMBERS = 14, KEPT_NUMBERS = 7 + TOUCH_NUMBERS };

// The count of a list that has room for so many entries, each of so many numbers.
static int checkpoint_list(checkpoint *c, int *count, int room, int numbers)
{
    checkpoint_int(c, count);
    if (c->most && *count < room) c->at += (size_t)(room - *count) * (size_t)numbers;
    if (*count < 0 || *count > room) {
        c->bad = 1;
        *count = 0;
    }
    return *count;
}

// Indices below what there is, or -1.
static void checkpoint_index(checkpoint *c, int *value, int end)
{
    checkpoint_int(c, value);
    if (*value < -1 || *value >= end) {
        c->bad = 1;
        *value = -1;
    }
}

static void checkpoint_touch(checkpoint *c, const arne_world *w, arne_touch *t)
{
    checkpoint_index(c, &t->contact, w->robot->contact_count);
    checkpoint_index(c, &t->other, w->robot->contact_count);
    checkpoint_index(c, &t->surface, w->surface_count);
    checkpoint_int(c, &t->feature);
    if (t->contact < 0 || t->surface < 0) c->bad = 1;
    arne_vec3 *const vectors[] = {&t->point, &t->normal, &t->force};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        checkpoint_vec3(c, vectors[i]);
    checkpoint_numbers(c, &t->gap, 1);
}

static void checkpoint_rigid(checkpoint *c, arne_world *w)
{
    rigid *r = w->rigid;
    checkpoint_same(c, r->limit_count);
    checkpoint_same(c, r->dry_count);
    for (int i = 0; i < r->limit_count; i++)
        checkpoint_numbers(c, &r->limits[i].force, 1);
    checkpoint_numbers(c, r->dry_force, (size_t)r->dry_count);
    checkpoint_int(c, &r->has_slope);
    checkpoint_numbers(c, r->slope, (size_t)w->robot->v_count);
    for (int i = 0, n = checkpoint_list(c, &r->kept_count, w->touch_room, KEPT_NUMBERS); i < n;
         i++) {
        for (int k = 0; k < 4; k++)
            checkpoint_int(c, &r->kept[i].key[k]);
        checkpoint_numbers(c, r->kept[i].force, 3);
        checkpoint_touch(c, w, &r->kept[i].touch);
    }
    const int touches = checkpoint_list(c, &w->touch_count, w->touch_room, TOUCH_NUMBERS);
    for (int i = 0; i < touches && !c->bad; i++)
        checkpoint_touch(c, w, &w->touches[i]);
    if (c->bad) w->touch_count = 0;
    checkpoint_numbers(c, &r->residual_largest, 1);
    checkpoint_numbers(c, &r->deepest, 1);
}

void checkpoint_contact(checkpoint *c, arne_world *w)
{
    checkpoint_same(c, w != NULL);
    if (!w) return;
    const int shapes = w->robot->contact_count, room = w->pair_room;
    checkpoint_int(c, &w->looked);
    for (int i = 0, n = checkpoint_list(c, &w->pair_count, room, PAIR_NUMBERS); i < n; i++) {
        checkpoint_index(c, &w->pairs[i].a, shapes);
        checkpoint_index(c, &w->pairs[i].b, shapes);
        if (w->pairs[i].a < 0 || w->pairs[i].b < 0) c->bad = 1;
    }
    if (c->bad) w->pair_count = 0;
    checkpoint_same(c, w->rigid != NULL);
    if (w->rigid) checkpoint_rigid(c, w);
}
