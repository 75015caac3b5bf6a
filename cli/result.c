#include "result.h"

#include "csv.h"
#include "message.h"

#include <stdlib.h>
#include <string.h>

static int axis_count(const ordering *order, axis_kind axis)
{
    switch (axis) {
    case AXIS_ONE:
        return 1;
    case AXIS_XYZ:
        return 3;
    case AXIS_TWIST:
        return 6;
    case AXIS_Q:
        return order->q_count;
    case AXIS_V:
        return order->v_count;
    }
    return 0;
}

// Where the i-th number that the user sees stands in the robot's own order.
static int axis_index(const ordering *order, axis_kind axis, int i)
{
    if (axis == AXIS_Q) return order->q[i];
    if (axis == AXIS_V) return order->v[i];
    return i;
}

static const char *axis_name(const ordering *order, axis_kind axis, int i)
{
    static const char *const twist[] = {"lin.x", "lin.y", "lin.z", "ang.x", "ang.y", "ang.z"};
    static const char *const xyz[] = {"x", "y", "z"};
    switch (axis) {
    case AXIS_ONE:
        return "";
    case AXIS_XYZ:
        return xyz[i];
    case AXIS_TWIST:
        return twist[i];
    case AXIS_Q:
        return order->q_name[i];
    case AXIS_V:
        return order->v_name[i];
    }
    return "";
}

static double entry(const result *r, const field *f, int row, int column)
{
    const int i = axis_index(r->order, f->rows, row), j = axis_index(r->order, f->columns, column);
    return f->value[i * axis_count(r->order, f->columns) + j];
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

double *result_add_in(result *r, const char *group, const char *member, const char *key,
                      axis_kind rows, axis_kind columns)
{
    field    *f = next_field(r);
    const int count = axis_count(r->order, rows) * axis_count(r->order, columns);
    double   *value = need_more(f->value, (size_t)count, sizeof *value);
    *f = (field){group, member, key, rows, columns, value, NULL};
    return value;
}

double *result_add(result *r, const char *key, axis_kind rows, axis_kind columns)
{
    return result_add_in(r, NULL, NULL, key, rows, columns);
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
    *f = (field){NULL, NULL, key, AXIS_ONE, AXIS_ONE, value, text};
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

static void field_json(const result *r, const field *f, json *out)
{
    const int rows = axis_count(r->order, f->rows), columns = axis_count(r->order, f->columns);
    if (f->text) {
        json_text(out, f->key, f->text);
        return;
    }
    if (f->rows == AXIS_ONE) {
        json_number(out, f->key, f->value[0]);
        return;
    }
    json_open(out, f->key, '[');
    for (int i = 0; i < rows; i++) {
        if (f->columns != AXIS_ONE) json_open(out, NULL, '[');
        for (int j = 0; j < columns; j++)
            json_number(out, NULL, entry(r, f, i, j));
        if (f->columns != AXIS_ONE) json_close(out, ']');
    }
    json_close(out, ']');
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

// "M.j1.j2", "tool.p.x", "tool.R.xy", "wrenches.link1.force.x". Frames go by their name alone.
static char *column_name(const result *r, const field *f, int row, int column)
{
    const char *group = f->group && strcmp(f->group, "frames") != 0 ? f->group : NULL;
    const char *first = axis_name(r->order, f->rows, row);
    const char *second = axis_name(r->order, f->columns, column);
    const char *between = f->rows == AXIS_XYZ && f->columns == AXIS_XYZ ? "" : ".";
    const char *piece[] = {group ? group : "",
                           group ? "." : "",
                           f->member ? f->member : "",
                           f->member ? "." : "",
                           f->key,
                           *first ? "." : "",
                           first,
                           *second ? between : "",
                           second};
    size_t length = 0;
    for (size_t i = 0; i < sizeof piece / sizeof *piece; i++)
        length += strlen(piece[i]);
    char *name = need(length + 1, 1), *end = name;
    for (size_t i = 0; i < sizeof piece / sizeof *piece; i++) {
        const size_t count = strlen(piece[i]);
        memcpy(end, piece[i], count);
        end += count;
    }
    return name;
}

void result_csv_header(const result *r, FILE *out)
{
    int first = 1;
    for (int k = 0; k < r->count; k++) {
        const field *f = &r->item[k];
        const int rows = axis_count(r->order, f->rows), columns = axis_count(r->order, f->columns);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++, first = 0) {
                char *name = column_name(r, f, i, j);
                csv_text(out, first, name);
                free(name);
            }
    }
    fputc('\n', out);
}

void result_csv_row(const result *r, FILE *out)
{
    int first = 1;
    for (int k = 0; k < r->count; k++) {
        const field *f = &r->item[k];
        const int rows = axis_count(r->order, f->rows), columns = axis_count(r->order, f->columns);
        if (f->text) {
            csv_text(out, first, f->text);
            first = 0;
            continue;
        }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++, first = 0)
                csv_number(out, first, entry(r, f, i, j));
    }
    fputc('\n', out);
}
