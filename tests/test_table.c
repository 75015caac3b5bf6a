// Tables: what is appended is there, what is written is read back bit by bit, and bad files are
// refused with file and line.
#include "base/plain.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *scratch(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/arne-table-%ld.csv", folder ? folder : "/tmp", (long)getpid());
    return path;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static arne_table *table_of(const char *text)
{
    char        path[256];
    arne_table *table = NULL;
    arne_error  error;
    write_text(scratch(path, sizeof path), text);
    assert_ok_or(arne_table_read_csv(path, &table, &error), &error);
    remove(path);
    return table;
}

static void keeps_what_it_is_given(void **unused)
{
    (void)unused;
    arne_table *table;
    assert_ok(arne_table_new(&table));
    assert_ok(arne_table_add_column(table, "time", "s"));
    assert_ok(arne_table_add_column(table, "q.j, the \"first\"", ""));
    assert_status(arne_table_add_column(table, "time", "ms"), ARNE_VALUE);
    assert_status(arne_table_add_column(table, "", "m"), ARNE_VALUE);
    for (int i = 0; i < 1000; i++)
        assert_ok(arne_table_append(table, (double[]){i, -i / 3.0}));
    assert_status(arne_table_add_column(table, "late", ""), ARNE_VALUE);

    assert_int_equal(arne_table_columns(table), 2);
    assert_int_equal(arne_table_rows(table), 1000);
    assert_string_equal(arne_table_unit(table, 0), "s");
    assert_int_equal(arne_table_find(table, "time"), 0);
    assert_int_equal(arne_table_find(table, "nothing"), -1);
    assert_int_equal(arne_table_line(table, 5), 0);
    for (int i = 0; i < 1000; i++)
        assert_true(arne_table_row(table, i)[1] == -i / 3.0);
    arne_table_free(table);
}

// 17 digits are enough for every number, and a name may hold what CSV is made of.
static void reads_back_the_same(void **unused)
{
    (void)unused;
    char        path[256];
    rng         r = rng_seed(5);
    arne_table *table, *back;
    assert_ok(arne_table_new(&table));
    assert_ok(arne_table_add_column(table, "time", "s"));
    assert_ok(arne_table_add_column(table, "q.a, the \"first\"", "N m/s"));
    assert_ok(arne_table_add_column(table, "#x", ""));
    for (int i = 0; i < 200; i++) {
        const double big = pow(10, rng_uniform(&r, -300, 300));
        const double row[3] = {rng_uniform(&r, -1, 1), big, -1 / big};
        assert_ok(arne_table_append(table, row));
    }
    assert_ok(arne_table_write_csv(table, scratch(path, sizeof path), NULL));
    assert_ok(arne_table_write_csv(table, path, NULL)); // over itself
    assert_ok(arne_table_read_csv(path, &back, NULL));
    assert_int_equal(arne_table_rows(back), 200);
    for (int c = 0; c < 3; c++) {
        assert_string_equal(arne_table_name(back, c), arne_table_name(table, c));
        assert_string_equal(arne_table_unit(back, c), arne_table_unit(table, c));
    }
    for (int i = 0; i < 200; i++)
        assert_memory_equal(arne_table_row(back, i), arne_table_row(table, i), 3 * sizeof(double));
    remove(path);
    arne_table_free(table);
    arne_table_free(back);
}

static void knows_its_lines(void **unused)
{
    (void)unused;
    arne_table *table = table_of("\n# a\ntime [s],,\"q.j\" [rad]\n0,x,pi\n\n1,,90 deg\n");
    assert_int_equal(arne_table_columns(table), 2);
    assert_int_equal(arne_table_line(table, -1), 3);
    assert_int_equal(arne_table_line(table, 0), 4);
    assert_int_equal(arne_table_line(table, 1), 6);
    assert_string_equal(arne_table_name(table, 1), "q.j");
    assert_true(fabs(arne_table_row(table, 1)[1] - acos(0)) < 1e-15);
    arne_table_free(table);
}

static void refuses_bad_files(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        int         line;
        const char *says;
    } bad[] = {
        {"", 1, "there is no header line"},
        {"a,b\n1,2\n1\n", 3, "the header has 2 columns, this row has 1"},
        {"a,b\n1,2,3\n", 2, "the header has 2 columns, this row has 3"},
        {"a,b\n1,nan\n", 2, "column 2: 'nan' is not a finite number"},
        {"a,b\n1,\n", 2, "column 2: '' is not a finite number"},
        {"a,b,a [m]\n", 1, "column 'a' is there twice"},
    };
    char path[256];
    scratch(path, sizeof path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        arne_table *table;
        arne_error  error;
        write_text(path, bad[i].text);
        assert_true(arne_table_read_csv(path, &table, &error) != ARNE_OK);
        assert_null(table);
        assert_string_equal(error.file, path);
        assert_int_equal(error.line, bad[i].line);
        assert_string_equal(error.text, bad[i].says);
    }
    remove(path);
}

// What cannot be written leaves nothing behind and harms nothing that was there.
static void writes_whole_or_not(void **unused)
{
    (void)unused;
    arne_table *table = table_of("a\n1\n");
    arne_error  error;
    assert_status(arne_table_write_csv(table, "/nowhere/at/all.csv", &error), ARNE_FILE);
    assert_string_equal(error.file, "/nowhere/at/all.csv");
    if (access("/dev/full", W_OK) == 0)
        assert_status(arne_table_write_csv(table, "/dev/full", &error), ARNE_FILE);
    arne_table_free(table);
}

// Files that several threads read: the rows are in their order, lines are counted right through,
// and the first mistake counts.
static void large_files_are_read_in_order(void **unused)
{
    (void)unused;
    enum { ROWS = 150000 };
    for (int bad = 0; bad < 3; bad++) {
        char        path[256];
        arne_table *table = NULL;
        arne_error  error;
        FILE       *file = fopen(scratch(path, sizeof path), "wb");
        assert_non_null(file);
        fputs("# made by a test\na,b [deg],c\n", file);
        for (int i = 0; i < ROWS; i++) {
            if (i % 1000 == 999) fputs("\n# idle\n", file);
            if (bad && i == 140000) fputs("1,2\n", file);
            if (bad > 1 && i == 70000) fputs("1,x,3\n", file);
            plain_write(file, i % 3 ? "%d,%.17g,\"%d\"\r\n" : "%d, %.17g,pi*%d\n", i, i / 7.0, i);
        }
        assert_int_equal(fclose(file), 0);
        const arne_status status = arne_table_read_csv(path, &table, &error);
        remove(path);
        if (bad) {
            assert_status(status, ARNE_VALUE);
            assert_string_equal(error.text, bad == 1 ? "the header has 3 columns, this row has 2"
                                                     : "column 2: 'x' is not a finite number");
            assert_int_equal(error.line, bad == 1 ? 140003 + 2 * 140 : 70003 + 2 * 70);
            continue;
        }
        assert_ok_or(status, &error);
        assert_int_equal(arne_table_rows(table), ROWS);
        for (int i = 0; i < ROWS; i++) {
            const double *row = arne_table_row(table, i);
            assert_true(row[0] == i && row[1] == i / 7.0 * (acos(-1) / 180));
            assert_true(i % 3 ? row[2] == i : fabs(row[2] - acos(-1) * i) < 1e-9);
            assert_int_equal(arne_table_line(table, i), i + 3 + 2 * ((i + 1) / 1000));
        }
        arne_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_it_is_given),
        cmocka_unit_test(reads_back_the_same),
        cmocka_unit_test(knows_its_lines),
        cmocka_unit_test(refuses_bad_files),
        cmocka_unit_test(large_files_are_read_in_order),
        cmocka_unit_test(writes_whole_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
