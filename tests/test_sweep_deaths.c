// Processes of a sweep that die: a row is blamed for itself alone, and only after a second process,
// which has no other row, has died of it, too; rows that failed are computed again on request.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): mkdtemp
#include "reading.h"

#include "sweep/sweep.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ROWS = 100 };

static const char robot[] = "name: r\nbodies: [{name: base}, {name: link, mass: 1, inertia: [1, 1, "
                            "1]}]\njoints: [{name: j, kind: revolute, parent: base, child: link, "
                            "axis: [0, 1, 0]}]\n";

typedef struct trial {
    char        folder[32], sweep[64], out[64], marks[64];
    arne_sweep *s;
    int (*is_deadly)(long row);
    int signal, times; // it dies of this, at each deadly row so often
    int jobs, retry;
} trial;

static trial *now;

// How often a row was begun here, processes that died included: a byte each in a file.
static long count_begun(const trial *t, long row, int one_more)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%ld", t->marks, row);
    const int  file = open(path, O_RDWR | O_CREAT | O_APPEND, 0600);
    const long before = lseek(file, 0, SEEK_END);
    if (one_more) assert_int_equal(write(file, "x", 1), 1);
    close(file);
    return before;
}

// Called for every row, in the process that computes it.
static arne_status die(void *context, arne_builder *builder, arne_error *error)
{
    const arne_sweep *s = context;
    const long        row = s->row_values ? lround(s->row_values[0].number) : -1;
    (void)builder;
    (void)error;
    if (row >= 0 && now->is_deadly(row) && count_begun(now, row, 1) < now->times) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(now->signal, SIG_DFL);
        raise(now->signal);
    }
    return ARNE_OK;
}

static void write_file(const trial *t, const char *name, const char *text)
{
    char path[96];
    snprintf(path, sizeof path, "%s/%s", t->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void begin(trial *t)
{
    strcpy(t->folder, "/tmp/arne_deaths_XXXXXX");
    assert_non_null(mkdtemp(t->folder));
    snprintf(t->sweep, sizeof t->sweep, "%s/sweep.yaml", t->folder);
    snprintf(t->out, sizeof t->out, "%s/out", t->folder);
    snprintf(t->marks, sizeof t->marks, "%s", t->folder);
    write_file(t, "robot.yaml", robot);
    write_file(t, "run.yaml", "robot: robot.yaml\nduration: 0.01\nintegrator: {step: 0.001}\n");
    char text[2000] = "run: run.yaml\nfigures: {q: {column: q.j, reduce: max}}\nparameters: "
                      "{initial.q.j: [0";
    for (int i = 1; i < ROWS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", %d", i);
    strcat(text, "]}\n");
    write_file(t, "sweep.yaml", text);
}

static arne_sweep_summary run(trial *t)
{
    const arne_sweep_options how = {
        .jobs = t->jobs, .chunk = 10, .alone = 1, .resume = t->retry, .retry = t->retry};
    arne_sweep_summary sum;
    arne_error         error = {0};
    now = t;
    assert_int_equal(arne_sweep_read(t->sweep, NULL, &t->s, &error), ARNE_OK);
    t->s->given.amend = die;
    t->s->given.context = t->s;
    if (arne_sweep_run(t->s, t->out, &how, &sum, &error)) fail_msg("%s", error.text);
    arne_sweep_free(t->s);
    return sum;
}

static void end(const trial *t)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", t->folder);
    assert_int_equal(system(command), 0);
}

// The statuses of all rows: exactly the deadly ones, if they are to fail, are not ok.
static void check_table(const trial *t, int fails)
{
    char  path[96], line[500];
    long  row = 0;
    FILE *file = (snprintf(path, sizeof path, "%s/table.csv", t->out), fopen(path, "r"));
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file); row++) {
        const int ok = strstr(line, ",ok\n") != NULL;
        assert_int_equal(strtol(line, NULL, 10), row);
        if (ok == (fails && t->is_deadly(row))) fail_msg("%s", line);
    }
    assert_int_equal(row, ROWS);
    fclose(file);
}

static int row_50(long row) { return row == 50; }
static int some_rows(long row) { return row % 7 == 3; }

static void a_row_that_crashes_is_blamed_alone(void **unused)
{
    (void)unused;
    for (int jobs = 1; jobs <= 3; jobs += 2) {
        trial t = {.is_deadly = row_50, .signal = SIGSEGV, .times = 1000, .jobs = jobs};
        begin(&t);
        assert_int_equal(run(&t).failed, 1);
        check_table(&t, 1);
        assert_int_equal(count_begun(&t, 50, 0), 2); // once with others, once alone
        end(&t);
    }
}

static void rows_whose_process_was_killed_are_computed(void **unused)
{
    (void)unused;
    for (int times = 1; times <= 3; times++) {
        trial t = {.is_deadly = some_rows, .signal = SIGKILL, .times = times, .jobs = 2};
        begin(&t);
        assert_int_equal(run(&t).failed, 0);
        check_table(&t, 0);
        end(&t);
    }
}

static void rows_that_failed_are_tried_again_on_request(void **unused)
{
    trial t = {.is_deadly = some_rows, .signal = SIGABRT, .times = 2, .jobs = 2};
    (void)unused;
    begin(&t);
    assert_int_equal(run(&t).failed, 14);
    check_table(&t, 1);
    t.retry = 1;
    const arne_sweep_summary sum = run(&t);
    assert_int_equal(sum.failed, 0);
    assert_int_equal(sum.resumed, ROWS - 14);
    check_table(&t, 0);
    end(&t);
}

int main(void)
{
    if (!READERS_ARE_BUILT) return 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_crashes_is_blamed_alone),
        cmocka_unit_test(rows_whose_process_was_killed_are_computed),
        cmocka_unit_test(rows_that_failed_are_tried_again_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
