// Designs of sweeps and what is made of their figures: laws of each design, indices of functions
// whose indices are known, shards.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): mkstemp, mkdtemp
#include "reading.h"

#include "robot/inertia.h"
#include "sweep/row_handout.h"
#include "sweep/shard.h"
#include "sweep/sobol_indices.h"
#include "sweep/sweep.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// A sweep over nothing with d parameters that are uniform in (0, 1).
static arne_sweep make(sweep_design design, int samples, sweep_parameter *p, int d)
{
    arne_sweep s = {
        .design = design, .samples = samples, .seed = 3, .parameters = p, .parameter_count = d};
    for (int i = 0; i < d; i++)
        p[i] = (sweep_parameter){.path = "x", .law = LAW_UNIFORM, .a = 0, .b = 1};
    assert_int_equal(sweep_count_rows(&s), ARNE_OK);
    return s;
}

// Of n equal parts each parameter meets each part once.
static void check_parts(const arne_sweep *s, int n)
{
    for (int i = 0; i < s->parameter_count; i++) {
        unsigned char met[1024] = {0};
        for (long r = 0; r < n; r++) {
            sweep_value v[64];
            sweep_values(s, r, v);
            assert_true(v[i].number > 0 && v[i].number < 1);
            const int part = (int)(v[i].number * n);
            assert_int_equal(met[part], 0);
            met[part] = 1;
        }
    }
}

static void hypercubes_meet_each_part_once(void **unused)
{
    sweep_parameter p[30];
    (void)unused;
    for (int n = 1; n <= 100; n += 33) {
        const arne_sweep s = make(DESIGN_LHS, n, p, 30);
        assert_int_equal(s.rows, n);
        check_parts(&s, n);
    }
}

// 2^k points of a Sobol sequence, in far dimensions too; a shift of bits leaves this as it is.
static void sobol_points_meet_each_part_once(void **unused)
{
    sweep_parameter p[60];
    (void)unused;
    for (int n = 1; n <= 1024; n *= 4) {
        arne_sweep s = make(DESIGN_SOBOL, n, p, 60);
        check_parts(&s, n);
        free(s.directions);
    }
    // The first two dimensions together: one point in each of 4 x 4 cells.
    arne_sweep s = make(DESIGN_SOBOL, 16, p, 2);
    int        cells[16] = {0};
    for (long r = 0; r < 16; r++) {
        sweep_value v[2];
        sweep_values(&s, r, v);
        cells[(int)(4 * v[0].number) * 4 + (int)(4 * v[1].number)]++;
    }
    for (int i = 0; i < 16; i++)
        assert_int_equal(cells[i], 1);
    free(s.directions);
}

static void grids_and_rows(void **unused)
{
    double          a[] = {1, 2, 3}, b[] = {10, 20};
    sweep_parameter p[] = {{.path = "a", .count = 3, .values = a},
                           {.path = "b", .count = 2, .values = b}};
    arne_sweep      s = {.design = DESIGN_GRID, .parameters = p, .parameter_count = 2};
    sweep_value     v[2];
    (void)unused;
    assert_int_equal(sweep_count_rows(&s), ARNE_OK);
    assert_int_equal(s.rows, 6);
    sweep_values(&s, 3, v);
    assert_true(v[0].number == 2 && v[1].number == 20);
    // Neighbours: every row but the middle has one that is one step nearer, and ways end there.
    for (long r = 0; r < s.rows; r++) {
        const long parent = sweep_warm_parent(&s, r);
        assert_true(parent < s.rows);
        assert_int_equal(sweep_warm_depth(&s, r) == 0, parent < 0);
        if (parent >= 0)
            assert_int_equal(sweep_warm_depth(&s, parent), sweep_warm_depth(&s, r) - 1);
    }
}

static void distributions_have_their_moments(void **unused)
{
    const sweep_parameter normal = {.law = LAW_NORMAL, .a = 2, .b = 3},
                          logs = {.law = LAW_LOGNORMAL, .a = 0.1, .b = 0.2};
    double mean = 0, square = 0, log_mean = 0;
    enum { N = 20000 };
    (void)unused;
    for (int i = 0; i < N; i++) {
        const double x = sweep_at(&normal, (i + 0.5) / N).number;
        mean += x / N;
        square += (x - 2) * (x - 2) / N;
        log_mean += log(sweep_at(&logs, (i + 0.5) / N).number) / N;
    }
    assert_true(fabs(mean - 2) < 1e-9 && fabs(square - 9) < 0.01 && fabs(log_mean - 0.1) < 1e-9);
    assert_true(fabs(sweep_at(&normal, 0.975).number - (2 + 3 * 1.959963984540054)) < 1e-12);
}

// Ishigami's function, whose indices are known: S = 0.3139, 0.4424, 0; ST = 0.5576, 0.4424, 0.2437
// (a = 7, b = 0.1).
static void indices_of_a_known_function(void **unused)
{
    const double first[] = {0.31390519, 0.44241114, 0},
                 total[] = {0.55758886, 0.44241114, 0.24368366};
    const double    pi = 3.14159265358979323846;
    sweep_parameter p[3];
    const int       n = 4096;
    arne_sweep      s = make(DESIGN_SALTELLI, n, p, 3);
    double         *f = calloc((size_t)s.rows, sizeof *f);
    sobol_index     out[3];
    (void)unused;
    assert_int_equal(s.rows, n * 5);
    for (long r = 0; r < s.rows; r++) {
        sweep_value v[3];
        double      x[3];
        sweep_values(&s, r, v);
        for (int i = 0; i < 3; i++)
            x[i] = pi * (2 * v[i].number - 1);
        f[r] = sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
    }
    assert_int_equal(sobol_indices(f, n, 3, out), n);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(out[i].first - first[i]) < 0.02);
        assert_true(fabs(out[i].total - total[i]) < 0.02);
        assert_true(out[i].first_within > 0 && out[i].first_within < 0.1 &&
                    out[i].total_within < 0.1);
    }
    f[7] = NAN; // a row that failed takes its sample along, no more
    assert_int_equal(sobol_indices(f, n, 3, out), n - 1);
    free(f);
    free(s.directions);
}

// ---- robustness

// Every body stays possible, and every number within 10 % of the file's.
static void robust_bodies_are_possible(void **unused)
{
    char        path[] = "/tmp/arne_sweep_XXXXXX";
    const int   file = mkstemp(path);
    FILE       *out = fdopen(file, "w");
    arne_sweep *s = NULL;
    arne_error  error;
    (void)unused;
    fprintf(out,
            "run: {compute: gravity, robot: %s/arm6.yaml, q: 0}\nrobustness: 10 %%\nsamples: 200\n",
            ARNE_ROBOTS_DIR);
    fclose(out);
    assert_int_equal(arne_sweep_read(path, NULL, &s, &error), ARNE_OK);
    assert_int_equal(arne_sweep_rows(s), 200);
    for (long r = 0; r < 200; r += 20) {
        sweep_value v[128];
        char       *line = NULL;
        assert_true(s->parameter_count > 30 && s->parameter_count < 128);
        sweep_values(s, r, v);
        for (int i = 0; i < s->parameter_count; i++)
            assert_true(v[i].number > 0.9 && v[i].number < 1.1);
        assert_int_equal(arne_sweep_row(s, r, NULL, &line, &error), ARNE_OK);
        assert_non_null(strstr(line, ",ok"));
        free(line);
    }
    arne_sweep_free(s);
    unlink(path);
}

// A factor of 1 is the robot of the file; a mass of twice is twice the weight.
static void factors_act_on_the_robot(void **unused)
{
    arne_builder   *builder = NULL;
    arne_body_spec  before, after;
    const double    inertia[6] = {2, 3, 4, 0.1, -0.2, 0.3};
    const arne_vec3 com = {0.1, 0.2, 0.3};
    sweep_parameter p[7];
    sweep_value     v[7];
    arne_sweep      s = {.parameters = p, .parameter_count = 7, .row_values = v};
    (void)unused;
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    before = arne_body_spec_default();
    before.name = "link";
    assert_int_equal(arne_builder_add_body(builder, &before, NULL), ARNE_OK);
    assert_int_equal(arne_builder_set_inertia(builder, "link", 5, com, inertia, 0, NULL), ARNE_OK);
    for (int i = 0; i < 7; i++) {
        p[i] = (sweep_parameter){.body = "link", .part = i};
        v[i] = (sweep_value){1, NULL};
    }
    assert_int_equal(sweep_amend(&s, builder, NULL), ARNE_OK);
    assert_int_equal(arne_builder_get_body(builder, "link", &after), ARNE_OK);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(after.inertia[i] - inertia[i]) < 1e-13);
    for (int i = 0; i < 7; i++)
        v[i].number = i < 1 ? 2 : i < 4 ? 1 : 0.9;
    assert_int_equal(sweep_amend(&s, builder, NULL), ARNE_OK);
    assert_int_equal(arne_builder_get_body(builder, "link", &after), ARNE_OK);
    assert_true(after.mass == 10);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(after.inertia[i] - 0.9 * inertia[i]) < 1e-13);
    arne_builder_free(builder);
}

// ---- files

static void write_text(const char *folder, const char *name, const char *text)
{
    char  path[300];
    FILE *out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

// Rows do not open the files of the run again: they are the same after all files are gone. So it is
// with what the robot's file extends, and with tables.
static void files_are_read_once(void **unused)
{
    static const char *const names[] = {"s.yaml", "run.yaml", "robot.yaml", "base.yaml", "m.csv"};
    char                     folder[] = "/tmp/arne_sweep_XXXXXX", path[300];
    char                    *before = NULL, *after = NULL;
    arne_sweep              *s = NULL;
    arne_error               error;
    (void)unused;
    assert_non_null(mkdtemp(folder));
    write_text(folder, "base.yaml",
               "bodies: [{name: world}, {name: a, mass: 1, com: [0.1, 0, 0], inertia: [1, 1, 1]}]\n"
               "joints: [{name: j, kind: revolute, parent: world, child: a, axis: [0, 0, 1]}]\n");
    write_text(folder, "robot.yaml", "extends: base.yaml\n");
    write_text(folder, "m.csv", "time,q.j\n0,0\n0.3,0.2\n0.6,0.1\n1,0\n");
    write_text(folder, "run.yaml",
               "robot: robot.yaml\nduration: 0.02\nreference: {type: table, file: m.csv}\n"
               "controller: {type: pd, kp: 10, kd: 1}\n");
    write_text(folder, "s.yaml", "run: run.yaml\nparameters: {controller.kp: [10, 20, 30]}\n");
    snprintf(path, sizeof path, "%s/s.yaml", folder);
    assert_int_equal(arne_sweep_read(path, NULL, &s, &error), ARNE_OK);
    assert_int_equal(s->input_count, 5);
    assert_int_equal(arne_sweep_row(s, 1, NULL, &before, &error), ARNE_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(arne_sweep_row(s, 1, NULL, &after, &error), ARNE_OK);
    assert_non_null(strstr(before, ",ok"));
    assert_string_equal(before, after);
    free(before);
    free(after);
    arne_sweep_free(s);
    assert_int_equal(rmdir(folder), 0);
}

// ---- shards

static int count_rows(void *context, const extent *e)
{
    *(long *)context += e->count;
    return 0;
}

static void shards_know_their_lines(void **unused)
{
    char       path[] = "/tmp/arne_shard_XXXXXX";
    const int  file = mkstemp(path);
    FILE      *out = fdopen(file, "w");
    shard_scan scan;
    long       rows = 0;
    (void)unused;
    for (int r = 0; r < 10; r++) {
        buffer line = {0};
        put(&line, "%d,1.5,\"a, b\",ok", r);
        shard_seal(&line);
        if (r == 4) line.text[3] = '7';                          // damaged
        fwrite(line.text, 1, line.size - (r == 9 ? 3 : 0), out); // torn
        buffer_free(&line);
    }
    fclose(out);
    assert_int_equal(shard_scan_file(path, 0, count_rows, &rows, &scan), 0);
    assert_int_equal(rows, 8);
    assert_int_equal(scan.damaged, 1);
    assert_int_equal(scan.torn, 1);
    assert_int_equal(shard_sum("123456789", 9), 0xcbf43926u); // of the standard
    unlink(path);
}

// Numbers of rows that no sweep has: a sum would overflow, and none is before the first.
static void shards_take_no_impossible_rows(void **unused)
{
    static const char *const numbers[] = {"9223372036854775807", "0", "-1", "-9223372036854775808"};
    char                     path[] = "/tmp/arne_shard_XXXXXX";
    FILE                    *out = fdopen(mkstemp(path), "w");
    shard_scan               scan;
    long                     rows = 0;
    (void)unused;
    for (int r = 0; r < 4; r++) {
        buffer line = {0};
        put(&line, "%s,1.5,ok", numbers[r]);
        shard_seal(&line);
        fwrite(line.text, 1, line.size, out);
        buffer_free(&line);
    }
    fclose(out);
    assert_int_equal(shard_scan_file(path, 0, count_rows, &rows, &scan), 0);
    assert_int_equal(rows, 2);
    assert_int_equal(scan.damaged, 2);
    unlink(path);
}

// Between the fastest and the slowest rows so far, and soon that of the latest ones.
static void paces_are_means(void **unused)
{
    (void)unused;
    pace   p = {0};
    double before = 0;
    for (int i = 0; i < 200; i++) {
        const long rows = 1 + i % 7;
        pace_add(&p, rows, (i < 5 ? 0.02 : 0.05) * (double)rows);
        assert_true(p.seconds >= 0.02 - 1e-12 && p.seconds <= 0.05 + 1e-12);
        assert_true(p.seconds >= before - 1e-12);
        before = p.seconds;
    }
    assert_true(fabs(p.seconds - 0.05) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hypercubes_meet_each_part_once),
        cmocka_unit_test(sobol_points_meet_each_part_once),
        cmocka_unit_test(grids_and_rows),
        cmocka_unit_test(distributions_have_their_moments),
        cmocka_unit_test(indices_of_a_known_function),
        cmocka_unit_test(robust_bodies_are_possible),
        cmocka_unit_test(factors_act_on_the_robot),
        cmocka_unit_test(files_are_read_once),
        cmocka_unit_test(shards_know_their_lines),
        cmocka_unit_test(shards_take_no_impossible_rows),
        cmocka_unit_test(paces_are_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
