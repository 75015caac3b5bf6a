#include "result.h"

#include "csv_states.h"
#include "message.h"

#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int axis_count(const ordering *order, axis_kind axis)
{
    switch (axis) {
    case AXIS_ONE:
        return 1;
    case AXIS_XYZ:
        return 3;
    case AXIS_XYZW:
        return 4;
    case AXIS_TWIST:
        return 6;
    case AXIS_Q:
        return order->q_count;
    case AXIS_V:
        return order->v_count;
    case AXIS_JOINT:
        return order->v_count - order->theta_count;
    case AXIS_THETA:
        return order->theta_count;
    case AXIS_ACTIVE:
        return order->v_active;
    case AXIS_PARAMETER:
        return order->parameter_count;
    }
    return 0;
}

// Where the i-th number that the user sees stands in the robot's own order.
static int axis_index(const ordering *order, axis_kind axis, int i)
{
    if (axis == AXIS_Q) return order->q[i];
    if (axis == AXIS_ACTIVE) return order->active[i];
    if (axis == AXIS_V || axis == AXIS_JOINT) return order->v[i];
    const int joints = order->v_count - order->theta_count;
    if (axis == AXIS_THETA) return order->v[joints + i] - joints;
    return i;
}

static const char *axis_name(const ordering *order, axis_kind axis, int i)
{
    static const char *const twist[] = {"lin.x", "lin.y", "lin.z", "ang.x", "ang.y", "ang.z"};
    static const char *const xyz[] = {"x", "y", "z", "w"};
    switch (axis) {
    case AXIS_ONE:
        return "";
    case AXIS_XYZ:
    case AXIS_XYZW:
        return xyz[i];
    case AXIS_TWIST:
        return twist[i];
    case AXIS_Q:
        return order->q_name[i];
    case AXIS_V:
    case AXIS_JOINT:
        return order->v_name[i];
    case AXIS_THETA:
        return order->v_name[order->v_count - order->theta_count + i] + strlen("theta.");
    case AXIS_ACTIVE:
        return order->active_name[i];
    case AXIS_PARAMETER:
        return order->parameter_name[i];
    }
    return "";
}

// An index of three, of which those that are not there stay 0, as the user counts.
typedef struct place {
    int at[FIELD_AXES];
} place;

static double entry(const result *r, const field *f, const place *p)
{
    size_t index = 0;
    for (int a = 0; a < FIELD_AXES; a++)
        index = index * (size_t)axis_count(r->order, f->axis[a]) +
                (size_t)axis_index(r->order, f->axis[a], p->at[a]);
    return f->value[index];
}

// The place after this one, the last index first; 0 where there is none.
static int next_place(const result *r, const field *f, place *p)
{
    for (int a = FIELD_AXES - 1; a >= 0; a--) {
        if (++p->at[a] < axis_count(r->order, f->axis[a])) return 1;
        p->at[a] = 0;
    }
    return 0;
}

static size_t entry_count(const result *r, const field *f)
{
    size_t count = 1;
    for (int a = 0; a < FIELD_AXES; a++)
        count *= (size_t)axis_count(r->order, f->axis[a]);
    return count;
}

// --- filling -----------------------------------------------------------------------------------

// The field's memory is kept for the next state, where the same field has the same size.
static field *next_field(result *r)
{
    if (r->count == r->capacity) {
        r->capacity = 2 * r->capacity + 4;
        r->item = need_more(r->item, (size_t)r->capacity, sizeof *r->item);
        for (int i = r->count; i < r->capacity; i++)
            r->item[i] = (field){0};
    }
    return &r->item[r->count++];
}

static double *add_field(result *r, field about)
{
    field *f = next_field(r);
    about.value = need_more(f->value, entry_count(r, &about), sizeof *about.value);
    *f = about;
    return f->value;
}

double *result_add_in(result *r, const char *group, const char *member, const char *key,
                      axis_kind rows, axis_kind columns)
{
    return add_field(r, (field){group, member, key, {rows, columns}, NULL, NULL});
}

double *result_add(result *r, const char *key, axis_kind rows, axis_kind columns)
{
    return result_add_in(r, NULL, NULL, key, rows, columns);
}

double *result_add_cube(result *r, const char *key)
{
    return add_field(r, (field){NULL, NULL, key, {AXIS_V, AXIS_V, AXIS_V}, NULL, NULL});
}

void result_add_vec3(result *r, const char *group, const char *member, const char *key, arne_vec3 v)
{
    double *value = result_add_in(r, group, member, key, AXIS_XYZ, AXIS_ONE);
    value[0] = v.x;
    value[1] = v.y;
    value[2] = v.z;
}

void result_add_text(result *r, const char *key, const char *text)
{
    field  *f = next_field(r);
    double *value = f->value;
    *f = (field){NULL, NULL, key, {AXIS_ONE}, value, text};
}

void result_reset(result *r) { r->count = 0; }

void result_free(result *r)
{
    for (int i = 0; i < r->capacity; i++)
        free(r->item[i].value);
    free(r->item);
    *r = (result){.order = r->order};
}

// --- JSON --------------------------------------------------------------------------------------

// Arrays in arrays, as many as the field has indices; p says where in the outer ones we are.
static void axis_json(const result *r, const field *f, int axis, place *p, const char *key,
                      json *out)
{
    if (axis == FIELD_AXES || f->axis[axis] == AXIS_ONE) {
        json_number(out, key, entry(r, f, p));
        return;
    }
    json_open(out, key, '[');
    for (int i = 0; i < axis_count(r->order, f->axis[axis]); i++) {
        p->at[axis] = i;
        axis_json(r, f, axis + 1, p, NULL, out);
    }
    p->at[axis] = 0;
    json_close(out, ']');
}

static void field_json(const result *r, const field *f, json *out)
{
    place p = {{0}};
    if (f->text)
        json_text(out, f->key, f->text);
    else
        axis_json(r, f, 0, &p, f->key, out);
}

static int same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

void result_json(const result *r, json *out)
{
    const char *group = NULL, *member = NULL; // the objects that are open
    json_open(out, NULL, '{');
    for (int i = 0; i < r->count; i++) {
        const field *f = &r->item[i];
        if (member && !(same(f->group, group) && same(f->member, member))) {
            json_close(out, '}');
            member = NULL;
        }
        if (group && !same(f->group, group)) {
            json_close(out, '}');
            group = NULL;
        }
        if (f->group && !group) json_open(out, group = f->group, '{');
        if (f->member && !member) json_open(out, member = f->member, '{');
        field_json(r, f, out);
    }
    if (member) json_close(out, '}');
    if (group) json_close(out, '}');
    json_close(out, '}');
}

// --- CSV ---------------------------------------------------------------------------------------

static char *room_for(row_text *to, size_t length)
{
    if (to->length + length >= to->capacity) {
        to->capacity = 2 * (to->length + length) + 64;
        to->text = need_more(to->text, to->capacity, 1);
    }
    return to->text + to->length;
}

static void append_one(row_text *to, char c)
{
    *room_for(to, 1) = c;
    to->length++;
}

static void result_append(row_text *to, const char *text, const char *after)
{
    const size_t length = strlen(text) + strlen(after);
    char        *at = room_for(to, length);
    snprintf(at, to->capacity - to->length, "%s%s", text, after);
    to->length += length;
}

// "M.j1.j2", "tool.p.x", "tool.R.xy", "wrenches.link1.force.x". Frames go by their name alone.
static void column_name(const result *r, const field *f, const place *p, row_text *out)
{
    const int is_matrix = f->axis[0] == AXIS_XYZ && f->axis[1] == AXIS_XYZ;
    out->length = 0;
    if (f->group && strcmp(f->group, "frames") != 0) result_append(out, f->group, ".");
    if (f->member) result_append(out, f->member, ".");
    result_append(out, f->key, "");
    for (int a = 0; a < FIELD_AXES && f->axis[a] != AXIS_ONE; a++) {
        result_append(out, a == 1 && is_matrix ? "" : ".", "");
        result_append(out, axis_name(r->order, f->axis[a], p->at[a]), "");
    }
}

int result_is_finite(const result *r, char *name, size_t size)
{
    for (int i = 0; i < r->count; i++) {
        const field *f = &r->item[i];
        place        p = {{0}};
        if (f->text || entry_count(r, f) == 0) continue;
        do {
            if (isfinite(entry(r, f, &p))) continue;
            row_text column = {0};
            column_name(r, f, &p, &column);
            snprintf(name, size, "%s", column.text);
            free(column.text);
            return 0;
        } while (next_place(r, f, &p));
    }
    return 1;
}

void result_csv_header(const result *r, FILE *out)
{
    row_text name = {0};
    int      first = 1;
    for (int i = 0; i < r->count; i++) {
        const field *f = &r->item[i];
        place        p = {{0}};
        if (entry_count(r, f) == 0) continue;
        do {
            column_name(r, f, &p, &name);
            csv_text(out, first, name.text);
            first = 0;
        } while (next_place(r, f, &p));
    }
    free(name.text);
    fputc('\n', out);
}

static void append_number(row_text *to, double value)
{
    to->length += arne_print_number(value, room_for(to, ARNE_NUMBER_SIZE));
}

// In quotes where it must be.
static void append_text(row_text *to, const char *text)
{
    const int quoted = strpbrk(text, ",\"") != NULL;
    if (quoted) append_one(to, '"');
    for (; *text; text++) {
        if (*text == '"') append_one(to, '"');
        append_one(to, *text);
    }
    if (quoted) append_one(to, '"');
}

void result_csv_row(const result *r, row_text *out)
{
    int first = 1;
    for (int i = 0; i < r->count; i++) {
        const field *f = &r->item[i];
        place        p = {{0}};
        if (entry_count(r, f) == 0) continue;
        do {
            if (!first) append_one(out, ',');
            if (f->text)
                append_text(out, f->text);
            else
                append_number(out, entry(r, f, &p));
            first = 0;
        } while (next_place(r, f, &p));
    }
    append_one(out, '\n');
}
