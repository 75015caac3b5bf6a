// Where a robot touches its surroundings over a run: columns contact.NAME.fx .. fz, in the world's
// axes. The summary of a plan says which points these are; a simulation has the contacts of the
// robot's file, whose forces are drawn at the lowest place of their shapes.
#include "math/lower.h"
#include "math/vectors.h"
#include "report/traces.h"
#include "robot/robot.h"
#include <arne/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct contact {
    char       name[300];
    int        body;
    arne_pose  at; // in the body
    arne_shape shape;
    double     size[3];
    int        column[3];
} contact;

typedef struct contact_list {
    contact *item;
    int      count;
} contact_list;

// Contacts that the table knows nothing of are left out.
static void contact_marks_add_contact(const tracing *t, contact_list *list, contact c)
{
    char column[400];
    for (int k = 0; k < 3; k++) {
        snprintf(column, sizeof column, "contact.%s.f%c", c.name, "xyz"[k]);
        c.column[k] = arne_table_find(run_result(t->run), column);
        if (c.column[k] < 0) return;
    }
    contact *items = realloc(list->item, ((size_t)list->count + 1) * sizeof *items);
    if (!items) {
        t->out->failed = 1;
        return;
    }
    list->item = items;
    items[list->count++] = c;
}

static arne_pose within(const arne_pose *outer, const arne_pose *inner)
{
    const pose A = pose_lift(*outer), B = pose_lift(*inner), X = pose_mul(&A, &B);
    return lower_pose(&X);
}

// Those of a plan: {"name", "frame", "point": [x, y, z]}.
static void add_planned(const tracing *t, contact_list *list)
{
    const doc_node *all = doc_find(t->run->summary, "contacts");
    if (!all || all->kind != DOC_LIST) return;
    for (const doc_item *i = all->first; i; i = i->next) {
        const doc_node *name = doc_find(i->value, "name"), *frame = doc_find(i->value, "frame"),
                       *point = doc_find(i->value, "point");
        contact c = {.shape = ARNE_SHAPE_POINT};
        double  p[3] = {0, 0, 0};
        int     k = 0;
        if (!name || name->kind != DOC_TEXT || !frame || frame->kind != DOC_TEXT) continue;
        const int index = arne_find_frame(t->run->robot, frame->text);
        if (index < 0) continue;
        for (const doc_item *x = point && point->kind == DOC_LIST ? point->first : NULL; x && k < 3;
             x = x->next, k++)
            if (x->value->kind != DOC_TEXT || arne_parse_number(x->value->text, &p[k])) break;
        const arne_frame_info f = arne_robot_frame(t->run->robot, index);
        const arne_pose       off = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {p[0], p[1], p[2]}};
        snprintf(c.name, sizeof c.name, "%s", name->text);
        c.body = f.body;
        c.at = within(&f.pose, &off);
        contact_marks_add_contact(t, list, c);
    }
}

// Those of the robot's file; of one name the second is NAME_2.
static void add_of_robot(const tracing *t, contact_list *list)
{
    const arne_robot *robot = t->run->robot;
    for (int i = 0; i < arne_robot_sizes(robot).contact_count; i++) {
        const arne_contact_info info = arne_robot_contact(robot, i);
        const arne_frame_info   link = arne_robot_frame(robot, info.link);
        contact                 c = {.body = link.body, .shape = info.shape};
        int                     before = 0;
        for (int k = 0; k < i; k++)
            before += strcmp(arne_robot_contact(robot, k).name, info.name) == 0;
        if (before)
            snprintf(c.name, sizeof c.name, "%.250s_%d", info.name, before + 1);
        else
            snprintf(c.name, sizeof c.name, "%.250s", info.name);
        memcpy(c.size, info.size, sizeof c.size);
        c.at = within(&link.pose, &info.pose);
        contact_marks_add_contact(t, list, c);
    }
}

// How far a shape goes from its centre along a direction, given by its parts along its axes.
static double contact_marks_extent(const contact *c, const double along[3])
{
    const double *s = c->size, z = fabs(along[2]), across = sqrt(fmax(1 - z * z, 0));
    switch (c->shape) {
    case ARNE_SHAPE_SPHERE:
        return s[0];
    case ARNE_SHAPE_CAPSULE:
        return s[0] + s[1] / 2 * z;
    case ARNE_SHAPE_BOX:
        return (s[0] * fabs(along[0]) + s[1] * fabs(along[1]) + s[2] * z) / 2;
    case ARNE_SHAPE_CYLINDER:
        return s[0] * across + s[1] / 2 * z;
    case ARNE_SHAPE_DISC:
        return s[0] * across;
    default:
        return 0;
    }
}

arne_vec3 tracing_turn(const float *h, arne_vec3 v)
{
    const double    w = h[3];
    const arne_vec3 a = {h[0], h[1], h[2]};
    const arne_vec3 t = {2 * (a.y * v.z - a.z * v.y), 2 * (a.z * v.x - a.x * v.z),
                         2 * (a.x * v.y - a.y * v.x)};
    return (arne_vec3){v.x + w * t.x + a.y * t.z - a.z * t.y, v.y + w * t.y + a.z * t.x - a.x * t.z,
                       v.z + w * t.z + a.x * t.y - a.y * t.x};
}

// Where the contact is at a sample: the lowest place of its shape.
static arne_vec3 contact_marks_place_of(const tracing *t, const contact *c, int index)
{
    const figure *f = t->figure;
    const float  *X =
        f->poses + ((size_t)tracing_frame(t, index) * (size_t)f->body_count + (size_t)c->body) * 7;
    const arne_vec3  u = tracing_up(t), p = tracing_turn(X + 3, c->at.p);
    const arne_mat3 *R = &c->at.R;
    const arne_vec3  axes[3] = {tracing_turn(X + 3, (arne_vec3){R->x.x, R->y.x, R->z.x}),
                                tracing_turn(X + 3, (arne_vec3){R->x.y, R->y.y, R->z.y}),
                                tracing_turn(X + 3, (arne_vec3){R->x.z, R->y.z, R->z.z})};
    const double     along[3] = {dot3(axes[0], u), dot3(axes[1], u), dot3(axes[2], u)};
    const double     low = contact_marks_extent(c, along);
    return (arne_vec3){X[0] + p.x - low * u.x, X[1] + p.y - low * u.y, X[2] + p.z - low * u.z};
}

static arne_vec3 force_of(const tracing *t, const contact *c, int index)
{
    const double *row = tracing_row(t, index);
    return (arne_vec3){row[c->column[0]], row[c->column[1]], row[c->column[2]]};
}

static void contact_marks_put_forces(tracing *t, const contact *c)
{
    for (int i = 0; i < t->samples; i++) {
        const arne_vec3 p = contact_marks_place_of(t, c, i), f = force_of(t, c, i);
        const double    value[6] = {p.x, p.y, p.z, f.x, f.y, f.z};
        for (int k = 0; k < 6; k++)
            t->values[6 * i + k] = (float)value[k];
    }
    tracing_put(t, c->name, "Contact forces", "force", -1, 6);
}

// A place, and where it is in the plane across the direction that is up.
typedef struct flat {
    double    x, y;
    arne_vec3 at;
} flat;

static int by_place(const void *a, const void *b)
{
    const flat *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

// Corners of the convex hull, by Andrew's monotone chain: twice the area of three of them says
// where they turn. Returns how many there are; `out` has room for twice as many as points.
static double contact_marks_turn_of(const flat *a, const flat *b, const flat *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

static int hull(flat *points, int count, flat *out)
{
    int k = 0;
    qsort(points, (size_t)count, sizeof *points, by_place);
    for (int i = 0; i < count; i++) {
        while (k >= 2 && contact_marks_turn_of(&out[k - 2], &out[k - 1], &points[i]) <= 0)
            k--;
        out[k++] = points[i];
    }
    for (int i = count - 2, first = k + 1; i >= 0; i--) {
        while (k >= first && contact_marks_turn_of(&out[k - 2], &out[k - 1], &points[i]) <= 0)
            k--;
        out[k++] = points[i];
    }
    return count > 1 ? k - 1 : k;
}

// Contacts that press by less than this part of the largest force do not carry.
static const double LEAST_PRESSURE = 0.01;

static double largest_pressure(const tracing *t, const contact_list *list)
{
    const arne_vec3 u = tracing_up(t);
    double          most = 0;
    for (int c = 0; c < list->count; c++)
        for (int i = 0; i < t->samples; i++)
            most = fmax(most, dot3(u, force_of(t, &list->item[c], i)));
    return most;
}

// Of each sample the corners of the polygon, then NaN; and the centre of pressure.
static void put_support(tracing *t, const contact_list *list)
{
    const size_t    n = (size_t)list->count, all = (size_t)t->samples;
    const int       a = (t->figure->up.axis + 1) % 3, b = (t->figure->up.axis + 2) % 3;
    const arne_vec3 u = tracing_up(t);
    const double    least = LEAST_PRESSURE * largest_pressure(t, list);
    flat           *points = malloc((3 * n + 3) * sizeof *points), *corners = points + n;
    float          *places = malloc((all * 3 * (n + 1) + 1) * sizeof *places), *own = t->values;
    for (size_t i = 0; points && places && i < all; i++) {
        double sum[3] = {0, 0, 0}, press = 0;
        int    count = 0;
        for (size_t c = 0; c < n; c++) {
            const double f = dot3(u, force_of(t, &list->item[c], (int)i));
            if (!(f > least)) continue;
            const arne_vec3 p = contact_marks_place_of(t, &list->item[c], (int)i);
            const double    at[3] = {p.x, p.y, p.z};
            points[count++] = (flat){at[a], at[b], p};
            press += f;
            for (int k = 0; k < 3; k++)
                sum[k] += f * at[k];
        }
        const int edges = count ? hull(points, count, corners) : 0;
        for (size_t c = 0; c < n; c++)
            for (int k = 0; k < 3; k++)
                places[(i * n + c) * 3 + (size_t)k] =
                    (int)c < edges ? (float)(&corners[c].at.x)[k] : NAN;
        for (int k = 0; k < 3; k++)
            own[3 * i + (size_t)k] = press > 0 ? (float)(sum[k] / press) : NAN;
    }
    if (points && places) {
        tracing_put(t, "Centre of pressure", "Centre of pressure", "point", -1, 3);
        t->values = places;
        tracing_put(t, "Support polygon", "Support polygon", "polygon", -1, 3 * n);
        t->values = own;
    } else {
        t->out->failed = 1;
    }
    free(points);
    free(places);
}

void traces_contacts(tracing *t)
{
    contact_list list = {0};
    add_planned(t, &list);
    if (!list.count) add_of_robot(t, &list);
    for (int i = 0; i < list.count; i++)
        contact_marks_put_forces(t, &list.item[i]);
    if (list.count && largest_pressure(t, &list) > 0) put_support(t, &list);
    free(list.item);
}
