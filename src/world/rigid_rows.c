// Which conditions there are in a step: contacts that touch, joints at their limits, joints with
// dry friction.
#include "base/error.h"
#include "world/rigid.h"
#include <stdlib.h>
#include <string.h>

// ---- memory ----

// Whether everything may move with everything.
static int moves_all(const arne_robot *robot)
{
    return robot->shares_coordinates || robot->loop_count > 0;
}

// The coordinates and bodies behind each first moving body, or all of them.
static void find_trees(const arne_robot *robot, rigid *r)
{
    const body *bodies = robot_bodies(robot);
    for (int i = 1; i < robot->body_count; i++) {
        const int whole = moves_all(robot), root = whole ? i : bodies[i].root;
        const int first = whole ? 0 : bodies[i].v_start;
        const int end = whole ? robot->v_count : bodies[i].v_start + bodies[i].v_count;
        if (whole || root == i) {
            r->root_first[root] = first;
            r->root_end[root] = end;
            r->root_body[root] = i;
            r->root_body_end[root] = i + 1;
            continue;
        }
        if (first < r->root_first[root]) r->root_first[root] = first;
        if (end > r->root_end[root]) r->root_end[root] = end;
        r->root_body_end[root] = i + 1;
    }
}

static int rigid_rows_collect_limits(const arne_robot *robot, limit_row *out)
{
    int count = 0;
    for (int j = 0; j < robot->joint_count; j++) {
        const arne_joint_info info = arne_robot_joint(robot, j);
        if (info.q_count != 1) continue;
        for (int side = 1; side >= -1; side -= 2) {
            const double bound = side > 0 ? info.lower : info.upper;
            if (!isfinite(bound)) continue;
            if (out) out[count] = (limit_row){info.q_start, info.v_start, side, bound, 0};
            count++;
        }
    }
    return count;
}

arne_status rigid_new(arne_world *w, int more, arne_error *error)
{
    const arne_robot *robot = w->robot;
    const size_t      nv = (size_t)robot->v_count, nq = (size_t)robot->q_count;
    const size_t      bodies = (size_t)robot->body_count;
    rigid            *r = w->rigid = calloc(1, sizeof *r);
    if (!r) return arne_fail_memory(error);
    r->limit_count = rigid_rows_collect_limits(robot, NULL);
    r->block_room = w->touch_room + r->limit_count + (int)nv + more;
    const size_t room = (size_t)r->block_room;
    r->blocks = calloc(room + 1, sizeof *r->blocks);
    r->rows = calloc(room + 1, sizeof *r->rows);
    r->squeezed = calloc(5 * room + 1, sizeof *r->squeezed);
    r->held = calloc(room + 1, sizeof *r->held);
    r->scratch = calloc(12 * room + nv + 1, sizeof *r->scratch);
    r->dense = malloc((2 * RIGID_FEW_ROWS + 9) * RIGID_FEW_ROWS * sizeof *r->dense);
    r->root_first = calloc(4 * bodies, sizeof *r->root_first);
    r->dry = calloc(nv + 1, sizeof *r->dry);
    r->dry_force = calloc(nv + 1, sizeof *r->dry_force);
    r->limits = calloc((size_t)r->limit_count + 1, sizeof *r->limits);
    r->kept = calloc((size_t)w->touch_room + 1, sizeof *r->kept);
    r->felt = calloc((size_t)w->touch_room + 1, sizeof *r->felt);
    r->block = calloc(8 * nv + 2 * nq + 2, sizeof *r->block);
    if (!r->blocks || !r->rows || !r->squeezed || !r->held || !r->scratch || !r->dense ||
        !r->root_first || !r->dry || !r->dry_force || !r->limits || !r->kept || !r->felt ||
        !r->block)
        return arne_fail_memory(error);
    if (robot->loop_count) {
        r->mobility = calloc(nv * nv + 1, sizeof *r->mobility);
        if (!r->mobility || arne_loop_work_new(robot, &r->loop) != ARNE_OK)
            return arne_fail_memory(error);
    }
    r->least = r->squeezed + 3 * room;
    r->approach = r->least + room;
    r->root_end = r->root_first + bodies;
    r->root_body = r->root_end + bodies;
    r->root_body_end = r->root_body + bodies;
    rigid_rows_collect_limits(robot, r->limits);
    find_trees(robot, r);
    r->v_free = r->block;
    r->v_next = r->v_free + nv;
    r->v_start = r->v_next + nv;
    r->qdd = r->v_start + nv;
    r->slope = r->qdd + nv;
    r->v_middle = r->slope + nv;
    r->q_middle = r->v_middle + nv;
    r->q_next = r->q_middle + nq;
    r->applied = r->q_next + nq;
    r->torques = r->applied + nv;
    r->rates = r->dense + (2 * RIGID_FEW_ROWS + 8) * RIGID_FEW_ROWS;
    return ARNE_OK;
}

void rigid_free(rigid *r)
{
    if (!r) return;
    free(r->blocks);
    free(r->rows);
    free(r->squeezed);
    free(r->held);
    free(r->scratch);
    free(r->dense);
    free(r->J);
    free(r->Y);
    free(r->root_first);
    free(r->dry);
    free(r->dry_force);
    free(r->limits);
    free(r->kept);
    free(r->felt);
    free(r->block);
    free(r->mobility);
    arne_loop_work_free(r->loop);
    free(r);
}

void rigid_add_dry(arne_world *w, int v, double positive, double negative)
{
    rigid *r = w->rigid;
    if (r->dry_count < w->robot->v_count) r->dry[r->dry_count++] = (dry_row){v, positive, negative};
}

void rigid_without_dry(const rigid *r, const double *qd, double *tau)
{
    for (int i = 0; i < r->dry_count; i++) {
        const dry_row *d = &r->dry[i];
        tau[d->v] += qd[d->v] > 0 ? d->positive : qd[d->v] < 0 ? -d->negative : 0;
    }
}

// ---- collecting ----

void rigid_span(const arne_world *w, int i, contact_rows *rows)
{
    const arne_robot *robot = w->robot;
    const rigid      *r = w->rigid;
    if (i <= 0) return;
    const int root = moves_all(robot) ? i : robot_bodies(robot)[i].root;
    const int end = rows->first + rows->count, body_end = rows->body_end;
    const int fresh = rows->count == 0;
    rows->first = fresh || r->root_first[root] < rows->first ? r->root_first[root] : rows->first;
    rows->count = (fresh || r->root_end[root] > end ? r->root_end[root] : end) - rows->first;
    rows->body_first =
        fresh || r->root_body[root] < rows->body_first ? r->root_body[root] : rows->body_first;
    rows->body_end = fresh || r->root_body_end[root] > body_end ? r->root_body_end[root] : body_end;
}

row_block *rigid_add_block(rigid *r, row_kind kind, int which)
{
    row_block *b = &r->blocks[r->block_count++];
    memset(b, 0, sizeof *b);
    b->kind = kind;
    b->touch = which;
    b->rows.coordinate = -1;
    b->rows.body[0] = b->rows.body[1] = -1;
    b->low = -INFINITY;
    b->high = INFINITY;
    return b;
}

arne_vec3 touch_velocity(const arne_world *w, const arne_work *work, int contact, arne_vec3 p)
{
    const int         link = world_link(w, contact);
    const arne_pose   X = arne_frame_pose(w->robot, work, link);
    const arne_motion v = arne_frame_velocity(w->robot, work, link, ARNE_AXES_ALIGNED);
    return vec_add(v.lin, vec_cross(v.ang, vec_add(p, X.p, -1)), 1);
}

// A disc with a tyre: rows along and across the wheel, soft by its slip. h: 0 for an impact.
static void soften(const arne_world *w, const arne_work *work, const arne_touch *t, double h,
                   row_block *b)
{
    const contact_shape *c = &robot_shapes(w->robot)[t->contact];
    const arne_pose     *X = &w->placed[t->contact];
    const arne_vec3      ahead = vec_cross(X->R.z, t->normal);
    const double         length = vec_length(ahead), slow = w->surfaces[t->surface].slip_velocity;
    if (!(c->tyre[0] > 0) || t->other >= 0 || !(length > 1e-9)) return; // or it lies flat
    b->rows.axis[1] = vec_scale(ahead, 1 / length);
    b->rows.axis[2] = vec_cross(t->normal, b->rows.axis[1]);
    const double along = vec_dot(touch_velocity(w, work, t->contact, X->p), b->rows.axis[1]);
    for (int k = 0; k < 2 && h > 0; k++)
        b->soft[k + 1] = sqrt(along * along + slow * slow) / (h * c->tyre[k]);
}

// A prescribed base moves the contact point whatever the coordinates do. What two links have of it
// is the same.
static void carry(const arne_world *w, const arne_work *work, row_block *b)
{
    const int root = w->robot->root_frame;
    if (w->robot->base != ARNE_BASE_PRESCRIBED || w->touches[b->touch].other >= 0) return;
    const arne_pose   X = arne_frame_pose(w->robot, work, root);
    const arne_motion v = arne_frame_velocity(w->robot, work, root, ARNE_AXES_ALIGNED);
    const arne_vec3   moves = vec_add(v.lin, vec_cross(v.ang, vec_add(b->rows.point, X.p, -1)), 1);
    for (int k = 0; k < 3; k++)
        b->bias[k] = vec_dot(b->rows.axis[k], moves);
}

static void rigid_rows_add_contact(arne_world *w, const arne_work *work, int index, double h)
{
    rigid              *r = w->rigid;
    const arne_touch   *t = &w->touches[index];
    const arne_surface *s = &w->surfaces[t->surface];
    row_block          *b = rigid_add_block(r, ROW_CONTACT, index);
    b->rows.rows = 3;
    b->rows.point = t->point;
    b->rows.axis[0] = t->normal;
    vec_across(t->normal, &b->rows.axis[1], &b->rows.axis[2]);
    b->rows.body[0] = robot_shapes(w->robot)[t->contact].body;
    b->rows.body[1] = t->other < 0 ? -1 : robot_shapes(w->robot)[t->other].body;
    rigid_span(w, b->rows.body[0], &b->rows);
    rigid_span(w, b->rows.body[1], &b->rows);
    b->gap = t->gap;
    b->mu = world_friction(w, t);
    b->restitution = s->restitution;
    soften(w, work, t, h, b);
    carry(w, work, b);
}

static void add_coordinate(arne_world *w, row_block *b, int v, int side)
{
    b->rows.rows = 1;
    b->rows.coordinate = v;
    (void)side;
    if (moves_all(w->robot)) {
        b->rows.count = w->robot->v_count;
        b->rows.body_end = w->robot->body_count;
        return;
    }
    rigid_span(w, robot_dofs(w->robot)[v].body, &b->rows);
}

// How fast a gap opens.
double touch_rate(const arne_world *w, const arne_work *work, const arne_touch *t)
{
    arne_vec3 v = touch_velocity(w, work, t->contact, t->point);
    if (t->other >= 0) v = vec_add(v, touch_velocity(w, work, t->other, t->point), -1);
    return vec_dot(v, t->normal);
}

static void rigid_rows_key_of(const arne_touch *t, int key[4])
{
    key[0] = t->contact;
    key[1] = t->surface;
    key[2] = t->feature;
    key[3] = t->other;
}

// Whether a touch had a row before.
static int was_kept(const rigid *r, const arne_touch *t)
{
    int key[4];
    rigid_rows_key_of(t, key);
    for (int i = 0; i < r->kept_count; i++)
        if (memcmp(key, r->kept[i].key, sizeof key) == 0) return 1;
    return 0;
}

// How far a point of a shape can leave its tangent in a time.
static double turned_off(const arne_world *w, const arne_work *work, int contact, double time)
{
    const contact_record *c = &robot_contacts(w->robot)[contact];
    const arne_motion     v = arne_frame_velocity(w->robot, work, c->info.link, ARNE_AXES_ALIGNED);
    const double          angle = time * vec_length(v.ang);
    return angle * angle * (vec_length(c->info.pose.p) + w->reach[contact]);
}

void rigid_collect(arne_world *w, arne_work *work, const double *q, const double *qd, double h,
                   double before)
{
    rigid *r = w->rigid;
    r->block_count = 0;
    for (int i = 0; i < w->touch_count; i++) {
        const arne_touch *t = &w->touches[i];
        const double      gap = t->gap - (before > 0 ? before * touch_rate(w, work, t) : 0);
        const int         open = !(gap <= rigid_touch(w));
        if (open && !(before > 0 && was_kept(r, t) &&
                      gap <= rigid_touch(w) + turned_off(w, work, t->contact, before)))
            continue;
        rigid_rows_add_contact(w, work, i, h);
        r->blocks[r->block_count - 1].open = open;
    }
    for (int i = 0; i < r->limit_count; i++) {
        const limit_row *l = &r->limits[i];
        const double     gap = l->side * (q[l->q] - l->bound);
        if (gap - before * l->side * qd[l->v] > rigid_touch(w)) continue;
        row_block *b = rigid_add_block(r, ROW_LIMIT, i);
        add_coordinate(w, b, l->v, l->side);
        b->gap = gap;
        if (l->side > 0)
            b->low = 0;
        else
            b->high = 0;
    }
    for (int i = 0; i < r->dry_count && h > 0; i++) {
        const dry_row *d = &r->dry[i];
        row_block     *b = rigid_add_block(r, ROW_DRY, i);
        add_coordinate(w, b, d->v, 1);
        b->low = -h * d->positive;
        b->high = h * d->negative;
    }
}

// Room for all rows; the least that is needed is allocated once and then grows by doubling.
static arne_status rigid_rows_make_room(rigid *r, size_t needed, arne_error *error)
{
    if (needed <= r->room) return ARNE_OK;
    const size_t more = 2 * needed;
    double      *J = malloc(more * sizeof *J), *Y = malloc(more * sizeof *Y);
    if (!J || !Y) {
        free(J);
        free(Y);
        return arne_fail_memory(error);
    }
    free(r->J);
    free(r->Y);
    r->J = J;
    r->Y = Y;
    r->room = more;
    return ARNE_OK;
}

arne_status rigid_reserve(arne_world *w, arne_error *error)
{
    const rigid *r = w->rigid;
    const size_t nv = (size_t)w->robot->v_count;
    const size_t all = 3 * (size_t)w->touch_room * nv + (size_t)r->limit_count + nv;
    const size_t inward = nv * (size_t)contact_stride(RIGID_FEW_ROWS);
    return rigid_rows_make_room(w->rigid, (all > inward ? all : inward) / 2 + 1, error);
}

// Where a robot cannot go at all: the fixed point stays.
static void rigid_rows_regularise(row_block *b)
{
    double largest = 0;
    for (int k = 0; k < 9; k++)
        largest = fabs(b->K[k]) > largest ? fabs(b->K[k]) : largest;
    for (int k = 0; k < 3; k++)
        b->K[4 * k] += 1e-10 * largest;
}

static void own_mobility(const rigid *r, int m, row_block *b)
{
    const int n = b->rows.rows, count = b->rows.count;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            b->K[n * k + l] = r->factors ? r->dense[(b->row + k) * m + b->row + l]
                                         : row_dot(r->J + b->rows.at + (size_t)(k * count),
                                                   r->Y + b->rows.at + (size_t)(l * count), count);
    if (n == 3) rigid_rows_regularise(b);
}

// With loops: Y by the mobility that they leave, row by row.
static arne_status close_columns(const arne_world *w, arne_work *work, const double *q,
                                 size_t numbers, arne_error *error)
{
    const rigid      *r = w->rigid;
    const size_t      nv = (size_t)w->robot->v_count;
    const arne_status status =
        arne_loop_inverse_mass_matrix(w->robot, work, r->loop, q, r->mobility, error);
    for (size_t row = 0; row < numbers && !status; row += nv)
        for (size_t i = 0; i < nv; i++)
            r->Y[row + i] = row_dot(r->J + row, r->mobility + i * nv, (int)nv);
    return status;
}

arne_status rigid_columns(arne_world *w, arne_work *work, const double *q, int wants_Y,
                          const double *torques, arne_error *error)
{
    rigid    *r = w->rigid;
    const int few = !wants_Y && !r->loop && rigid_is_small(r);
    size_t    at = 0;
    int       m = 0;
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        b->rows.at = at;
        b->row = m;
        r->rows[i] = b->rows;
        at += (size_t)(b->rows.rows * b->rows.count);
        m += b->rows.rows;
    }
    const size_t inward = few ? (size_t)(w->robot->v_count * contact_stride(m)) : 0;
    arne_status  status = rigid_rows_make_room(r, at > inward ? at : inward, error);
    r->factors = NULL;
    r->acting = 0;
    if (status || !r->block_count) return status;
    if (few && contact_mobility(w->robot, work, q, r->rows, r->block_count, torques, r->J, r->Y,
                                r->dense, r->rates))
        r->factors = work;
    else
        status = contact_columns(w->robot, work, q, r->rows, r->block_count, r->J, r->Y, error);
    if (!status && r->loop) status = close_columns(w, work, q, at, error);
    for (int i = 0; i < r->block_count && !status; i++)
        own_mobility(r, m, &r->blocks[i]);
    return status;
}

arne_status rigid_close(const arne_world *w, arne_work *work, double *q, double *v,
                        arne_error *error)
{
    const rigid *r = w->rigid;
    return r->loop ? arne_loop_project(w->robot, work, r->loop, q, v, error) : ARNE_OK;
}

// ---- what is remembered ----

void rigid_recall(arne_world *w, double h)
{
    rigid *r = w->rigid;
    int    at = 0;
    for (int i = 0; i < r->block_count; i++) {
        row_block *b = &r->blocks[i];
        if (b->kind == ROW_LIMIT) b->p[0] = h * r->limits[b->touch].force;
        if (b->kind == ROW_DRY) b->p[0] = fmax(b->low, fmin(b->high, h * r->dry_force[b->touch]));
        if (b->kind != ROW_CONTACT) continue;
        int key[4];
        rigid_rows_key_of(&w->touches[b->touch], key);
        // Both are in the order in which contacts are found.
        for (int tries = 0; tries < r->kept_count; tries++, at++) {
            if (at >= r->kept_count) at = 0;
            if (memcmp(key, r->kept[at].key, sizeof key) != 0) continue;
            for (int k = 0; k < 3; k++)
                b->p[k] = h * r->kept[at].force[k];
            at++;
            break;
        }
    }
}

void rigid_keep(arne_world *w, double h)
{
    rigid *r = w->rigid;
    r->kept_count = 0;
    for (int i = 0; i < r->limit_count; i++)
        r->limits[i].force = 0;
    for (int i = 0; i < r->block_count; i++) {
        const row_block *b = &r->blocks[i];
        if (b->kind == ROW_LIMIT) r->limits[b->touch].force = b->p[0] / h;
        if (b->kind == ROW_DRY) r->dry_force[b->touch] = b->p[0] / h;
        if (b->kind != ROW_CONTACT) continue;
        kept_force *k = &r->kept[r->kept_count++];
        k->touch = w->touches[b->touch];
        k->touch.force = vec_of(0, 0, 0);
        rigid_rows_key_of(&k->touch, k->key);
        for (int j = 0; j < 3; j++) {
            k->force[j] = b->p[j] / h;
            k->touch.force = vec_add(k->touch.force, b->rows.axis[j], k->force[j]);
        }
    }
}

// What was felt before has mostly been felt in the same order.
void rigid_feel(arne_world *w, const arne_touch *t, double part)
{
    rigid *r = w->rigid;
    int    key[4], other[4], at = r->felt_count;
    rigid_rows_key_of(t, key);
    for (int tries = 0; tries < r->felt_count; tries++) {
        const int here = (r->felt_last + 1 + tries) % r->felt_count;
        rigid_rows_key_of(&r->felt[here], other);
        if (memcmp(key, other, sizeof key) != 0) continue;
        at = here;
        break;
    }
    const arne_vec3 before = at < r->felt_count ? r->felt[at].force : vec_of(0, 0, 0);
    if (at == r->felt_count) r->felt_count++;
    r->felt_last = at;
    r->felt[at] = *t;
    r->felt[at].force = vec_add(before, t->force, part);
}
