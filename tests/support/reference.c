#include "reference.h"

#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

int reference_path(const char *name, char *path, size_t size)
{
    const char *folder = getenv("ARNE_REFERENCE");
    if (!folder) {
        print_message("skipped: ARNE_REFERENCE does not say where the reference data is\n");
        return 0;
    }
    const int length = snprintf(path, size, "%s/%s", folder, name);
    assert_true(length > 0 && (size_t)length < size);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s is not there, but ARNE_REFERENCE is set", path);
    fclose(file);
    return 1;
}

static void path_in(const char *name, const char *end, char *path, size_t size)
{
    const int length = snprintf(path, size, "%s/robots/%s%s", getenv("ARNE_REFERENCE"), name, end);
    assert_true(length > 0 && (size_t)length < size);
}

int our_joint(const reference *r, const json *joint)
{
    const char *name = json_text(json_get(joint, "name"));
    const int   base = json_true(json_get(r->file, "floating_base")) &&
                     json_integer(json_get(joint, "parent")) == 0;
    const int found = base ? 0 : arne_find_joint(r->robot, name);
    if (found < 0) fail_msg("the robot has no joint '%s'", name);
    return found;
}

static void match_joints(reference *r)
{
    const json      *joints = json_get(r->file, "joints");
    const arne_sizes size = arne_robot_sizes(r->robot);
    assert_int_equal(json_count(joints), size.joint_count);
    assert_int_equal(size.q_count, r->nq);
    assert_int_equal(size.v_count, r->nv);
    for (int i = 0; i < json_count(joints); i++) {
        const json           *joint = json_at(joints, i);
        const arne_joint_info j = arne_robot_joint(r->robot, our_joint(r, joint));
        const int             q = json_integer(json_get(joint, "idx_q")),
                  v = json_integer(json_get(joint, "idx_v"));
        assert_int_equal(j.q_count, json_integer(json_get(joint, "nq")));
        for (int k = 0; k < j.q_count; k++)
            r->q_from[j.q_start + k] = q + k;
        for (int k = 0; k < j.v_count; k++)
            r->v_from[j.v_start + k] = v + k;
        r->last = j.child;
    }
    assert_string_equal(json_text(json_get(json_get(r->file, "last_joint"), "name")),
                        json_text(json_get(json_at(joints, json_count(joints) - 1), "name")));
}

reference reference_open(const char *name)
{
    reference  r = {0};
    char       path[4096];
    arne_error error = {0};

    if (!getenv("ARNE_REFERENCE")) {
        print_message("skipped: ARNE_REFERENCE does not say where the reference data is\n");
        skip();
    }
    path_in(name, ".json", path, sizeof path);
    r.file = json_read(path);
    r.nq = json_integer(json_get(r.file, "nq"));
    r.nv = json_integer(json_get(r.file, "nv"));
    path_in(name, ".urdf", path, sizeof path);
    const int                is_free = json_true(json_get(r.file, "floating_base"));
    const arne_build_options options = {
        .base = is_free ? ARNE_BASE_FREE : ARNE_BASE_FIXED, .no_friction = 1, .no_rotor = 1};
    assert_ok_or(arne_robot_read(path, &options, &r.robot, &error), &error);
    r.work = new_work(r.robot);
    match_joints(&r);
    return r;
}

void reference_close(reference *r)
{
    arne_work_free(r->work);
    arne_robot_free(r->robot);
    json_free(r->file);
}

void vector_of(const reference *r, const json *s, const char *key, double *out)
{
    double theirs[MAX_V];
    json_numbers(json_get(s, key), theirs, r->nv);
    for (int i = 0; i < r->nv; i++)
        out[i] = theirs[r->v_from[i]];
}

void columns_of(const reference *r, const json *s, const char *key, int rows, double *out)
{
    double theirs[6 * MAX_V];
    json_numbers(json_get(s, key), theirs, rows * r->nv);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < r->nv; j++)
            out[i * r->nv + j] = theirs[i * r->nv + r->v_from[j]];
}

void matrix_of(const reference *r, const json *s, const char *key, double *out)
{
    double theirs[MAX_V * MAX_V];
    json_numbers(json_get(s, key), theirs, r->nv * r->nv);
    for (int i = 0; i < r->nv; i++)
        for (int j = 0; j < r->nv; j++)
            out[i * r->nv + j] = theirs[r->v_from[i] * r->nv + r->v_from[j]];
}

state state_of(const reference *r, const json *s)
{
    state  out = {.robot = r->robot, .size = arne_robot_sizes(r->robot)};
    double theirs[MAX_Q];
    out.seed = (uint64_t)json_integer(json_get(s, "state"));
    json_numbers(json_get(s, "q"), theirs, r->nq);
    for (int i = 0; i < r->nq; i++)
        out.q[i] = theirs[r->q_from[i]];
    vector_of(r, s, "v", out.qd);
    vector_of(r, s, "a", out.qdd);
    vector_of(r, s, "tau_in", out.tau);
    return out;
}
