// Reading texts in tests: what came out, and what was said about it.
#ifndef READING_H
#define READING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arne/arne.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Without expat or libyaml the library reads nothing that these tests could look at.
#if defined ARNE_HAVE_EXPAT && defined ARNE_HAVE_YAML
#define READERS_ARE_BUILT 1
#else
#define READERS_ARE_BUILT 0
#endif

static inline int print_readers_missing(void)
{
    print_message("skipped: the library was built without expat or libyaml\n");
    return 0;
}

typedef arne_status (*read_text)(arne_builder *, const char *, size_t, const char *, arne_error *);

typedef struct reading {
    arne_builder *builder;
    arne_robot   *robot;
    arne_status   status;
    arne_error    error;
    int           warning_count;
    char          warnings[8192]; // one line each: FILE:LINE: [RULE] TEXT
} reading;

// A text that must fail, and how. line 0: it is not looked at.
typedef struct bad_text {
    const char *text;
    arne_status status;
    int         line;
    const char *says; // part of the message
} bad_text;

static inline void note_warning(void *context, const arne_warning *w)
{
    reading     *r = context;
    const size_t used = strlen(r->warnings);
    snprintf(r->warnings + used, sizeof r->warnings - used, "%s:%d: [%s] %s\n", w->file, w->line,
             w->rule, w->text);
    r->warning_count++;
}

static inline void finish_reading(reading *r)
{
    const arne_build_options options = {.warn = note_warning, .warn_context = r};
    if (!r->status) r->status = arne_builder_finish(r->builder, &options, &r->robot, &r->error);
    assert_int_equal(r->status == ARNE_OK, r->robot != NULL);
}

static inline reading read_with(read_text read, const char *text)
{
    reading r = {0};
    assert_int_equal(arne_builder_new(&r.builder), ARNE_OK);
    r.status = read(r.builder, text, strlen(text), "file", &r.error);
    finish_reading(&r);
    return r;
}

static inline reading read_path(const char *path)
{
    reading r = {0};
    assert_int_equal(arne_builder_new(&r.builder), ARNE_OK);
    r.status = arne_read(r.builder, path, &r.error);
    finish_reading(&r);
    return r;
}

static inline void end_reading(reading *r)
{
    arne_robot_free(r->robot);
    arne_builder_free(r->builder);
}

static inline void assert_says(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("'%s' does not say '%s'", text, part);
}

static inline void assert_good(const reading *r)
{
    if (r->status)
        fail_msg("%s:%d: %s (%s)", r->error.file, r->error.line, r->error.text,
                 arne_status_text(r->status));
}

// Reads without any complaint.
static inline reading read_good(read_text read, const char *text)
{
    reading r = read_with(read, text);
    assert_good(&r);
    if (r.warning_count) fail_msg("warnings:\n%s", r.warnings);
    return r;
}

static inline void assert_bad(const reading *r, const bad_text *bad)
{
    if (r->status != bad->status)
        fail_msg("'%s' instead of '%s' (%s) from: %.200s", arne_status_text(r->status),
                 arne_status_text(bad->status), r->error.text, bad->text);
    assert_int_equal(r->error.code, bad->status);
    assert_says(r->error.text, bad->says);
    assert_string_equal(r->error.file, "file");
    if (bad->line && bad->line != r->error.line)
        fail_msg("line %d instead of %d: %s", r->error.line, bad->line, r->error.text);
}

static inline void assert_all_bad(read_text read, const bad_text *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        reading r = read_with(read, bad[i].text);
        assert_bad(&r, &bad[i]);
        end_reading(&r);
        // The error is optional.
        arne_builder *builder = NULL;
        arne_robot   *robot = NULL;
        assert_int_equal(arne_builder_new(&builder), ARNE_OK);
        arne_status status = read(builder, bad[i].text, strlen(bad[i].text), "file", NULL);
        if (!status) status = arne_builder_finish(builder, NULL, &robot, NULL);
        assert_int_equal(status, bad[i].status);
        assert_null(robot);
        arne_builder_free(builder);
    }
}

static inline arne_joint_spec joint_of(const reading *r, const char *name)
{
    arne_joint_spec spec = {0};
    assert_int_equal(arne_builder_get_joint(r->builder, name, &spec), ARNE_OK);
    return spec;
}

static inline arne_body_spec body_of(const reading *r, const char *name)
{
    arne_body_spec spec = {0};
    assert_int_equal(arne_builder_get_body(r->builder, name, &spec), ARNE_OK);
    return spec;
}

static inline arne_joint_info joint_info(const reading *r, const char *name)
{
    const int joint = arne_find_joint(r->robot, name);
    assert_true(joint >= 0);
    return arne_robot_joint(r->robot, joint);
}

// Exactly equal: readers do not compute, they only convert.
static inline void assert_vec3(arne_vec3 v, double x, double y, double z)
{
    if (v.x != x || v.y != y || v.z != z)
        fail_msg("(%.17g, %.17g, %.17g) instead of (%.17g, %.17g, %.17g)", v.x, v.y, v.z, x, y, z);
}

static inline void assert_near(const double *a, const double *b, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("entry %d is %.17g instead of %.17g", i, a[i], b[i]);
}

static inline void assert_pose(arne_pose a, arne_pose b)
{
    assert_near(&a.R.x.x, &b.R.x.x, 12, 1e-15);
}

static inline char *append(char *end, const char *text)
{
    while (*text)
        *end++ = *text++;
    *end = 0;
    return end;
}

// A text made of a beginning, many times a middle, and an end; free() it.
static inline char *repeated(const char *head, const char *body, size_t times, const char *tail)
{
    char *text = malloc(strlen(head) + strlen(body) * times + strlen(tail) + 1);
    assert_non_null(text);
    char *end = append(text, head);
    for (size_t i = 0; i < times; i++)
        end = append(end, body);
    append(end, tail);
    return text;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

#endif
