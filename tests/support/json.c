// A value owns its children: objects and arrays hold them in a linked list.
#include "json.h"
#include "base/plain.h"

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
} json_kind;

struct json {
    json_kind kind;
    double    number;
    char     *text, *key;
    int       count;
    json     *first, *last, *next;
};

typedef struct reader {
    const char *path, *start, *at;
} reader;

static json *read_value(reader *r);

static void stop(const reader *r, const char *why)
{
    fail_msg("%s: byte %d: %s", r->path, (int)(r->at - r->start), why);
}

static void skip_space(reader *r)
{
    while (*r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static int take(reader *r, char c)
{
    skip_space(r);
    if (*r->at != c) return 0;
    r->at++;
    return 1;
}

static json *new_value(json_kind kind)
{
    json *v = calloc(1, sizeof *v);
    assert_non_null(v);
    v->kind = kind;
    return v;
}

// Escapes are kept as written but for the quote: names in our files need no more.
static char *read_text(reader *r)
{
    if (!take(r, '"')) stop(r, "a text was expected");
    const char *start = r->at;
    while (*r->at && *r->at != '"')
        r->at += r->at[0] == '\\' && r->at[1] ? 2 : 1;
    const size_t length = (size_t)(r->at - start);
    if (!take(r, '"')) stop(r, "a text does not end");

    char *text = malloc(length + 1);
    assert_non_null(text);
    memcpy(text, start, length);
    text[length] = 0;
    return text;
}

static void append(json *parent, json *child)
{
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static json *read_members(reader *r, json_kind kind, char end)
{
    json *value = new_value(kind);
    if (take(r, end)) return value;
    do {
        char *key = kind == JSON_OBJECT ? read_text(r) : NULL;
        if (key && !take(r, ':')) stop(r, "':' was expected");
        json *child = read_value(r);
        child->key = key;
        append(value, child);
    } while (take(r, ','));
    if (!take(r, end)) stop(r, "',' or the end of a list was expected");
    return value;
}

static json *read_word(reader *r)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(r->at, words[i], length) == 0) {
            r->at += length;
            return new_value((json_kind)i);
        }
    }
    char *end = NULL;
    json *value = new_value(JSON_NUMBER);
    value->number = plain_number(r->at, &end);
    if (end == r->at) stop(r, "a value was expected");
    r->at = end;
    return value;
}

static json *read_value(reader *r)
{
    skip_space(r);
    if (take(r, '{')) return read_members(r, JSON_OBJECT, '}');
    if (take(r, '[')) return read_members(r, JSON_ARRAY, ']');
    if (*r->at != '"') return read_word(r);
    json *value = new_value(JSON_TEXT);
    value->text = read_text(r);
    return value;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: cannot be opened", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);

    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = 0;
    fclose(file);
    return text;
}

json *json_read(const char *path)
{
    char  *text = read_file(path);
    reader r = {path, text, text};
    json  *value = read_value(&r);
    skip_space(&r);
    if (*r.at) stop(&r, "there is more after the value");
    free(text);
    return value;
}

void json_free(json *value)
{
    if (!value) return;
    for (json *child = value->first; child;) {
        json *next = child->next;
        json_free(child);
        child = next;
    }
    free(value->text);
    free(value->key);
    free(value);
}

const json *json_find(const json *object, const char *key)
{
    for (const json *child = object->first; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0) return child;
    return NULL;
}

const json *json_get(const json *object, const char *key)
{
    const json *value = json_find(object, key);
    if (!value) fail_msg("the reference has no \"%s\"", key);
    return value;
}

int json_count(const json *value) { return value->count; }

const json *json_at(const json *array, int index)
{
    const json *child = array->first;
    while (child && index-- > 0)
        child = child->next;
    assert_non_null(child);
    return child;
}

int json_is_number(const json *value) { return value->kind == JSON_NUMBER; }

double json_number(const json *value)
{
    assert_int_equal(value->kind, JSON_NUMBER);
    return value->number;
}

int json_integer(const json *value) { return (int)json_number(value); }

int json_true(const json *value) { return value->kind == JSON_TRUE; }

const char *json_text(const json *value)
{
    assert_int_equal(value->kind, JSON_TEXT);
    return value->text;
}

static int flatten(const json *value, double *out, int room)
{
    if (value->kind == JSON_NUMBER) {
        assert_true(room > 0);
        *out = value->number;
        return 1;
    }
    assert_int_equal(value->kind, JSON_ARRAY);
    int used = 0;
    for (const json *child = value->first; child; child = child->next)
        used += flatten(child, out + used, room - used);
    return used;
}

void json_numbers(const json *value, double *out, int count)
{
    assert_int_equal(flatten(value, out, count), count);
}
