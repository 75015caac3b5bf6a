// The folder of a run, where the file system can do less than ours: no exchange in one step.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier)
#include "testing.h"

#include "base/sha256.h"
#include "io/run_folder.h"
#include "io/run_list.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_text(const char *dir, const char *name, const char *text)
{
    char  path[300];
    FILE *out;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static int has_text(const char *dir, const char *name, const char *text)
{
    char  path[300], found[100] = "";
    FILE *in;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    in = fopen(path, "r");
    if (!in) return 0;
    found[fread(found, 1, sizeof found - 1, in)] = 0;
    fclose(in);
    return strcmp(found, text) == 0;
}

static int no_exchange(const char *a, const char *b)
{
    (void)a, (void)b;
    errno = ENOSYS;
    return -1;
}

static void two_folders_change_places(void **unused)
{
    arne_exchange_fn ways[2] = {arne_folder_exchange, no_exchange};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char root[] = "/tmp/arne-run-XXXXXX", a[64], b[64];
        assert_non_null(mkdtemp(root));
        snprintf(a, sizeof a, "%s/run.partial-0123abcd", root);
        snprintf(b, sizeof b, "%s/run", root);
        assert_int_equal(mkdir(a, 0777), 0);
        write_text(a, "result.csv", "new");
        assert_int_equal(arne_run_folder_swap(a, b, ways[i]), 0); // nothing was there
        assert_true(has_text(b, "result.csv", "new"));
        assert_int_equal(mkdir(a, 0777), 0);
        write_text(a, "result.csv", "newer");
        assert_int_equal(arne_run_folder_swap(a, b, ways[i]), 0);
        assert_true(has_text(b, "result.csv", "newer"));
        assert_true(has_text(a, "result.csv", "new"));
        run_list_remove(a, 1);
        run_list_remove(b, 1);
        assert_int_equal(rmdir(root), 0);
    }
}

// FIPS 180-4, examples of the Secure Hash Standard.
static void hashes_are_those_of_the_standard(void **unused)
{
    static const char *const cases[][2] = {
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sha256 s;
        char   text[SHA256_TEXT];
        sha256_start(&s);
        for (const char *c = cases[i][0]; *c; c++)
            sha256_add(&s, c, 1);
        sha256_text(&s, text);
        assert_string_equal(text, cases[i][1]);
    }
}

// A run holds its place until it is dropped; then another one may have it, and nothing is left.
static void a_place_is_held_by_one(void **unused)
{
    char       root[] = "/tmp/arne-run-XXXXXX", dir[64];
    run_folder one, other;
    arne_error error;
    (void)unused;
    assert_non_null(mkdtemp(root));
    snprintf(dir, sizeof dir, "%s/run", root);
    assert_int_equal(arne_run_folder_begin(&one, dir, &error), ARNE_OK);
    assert_int_equal(arne_run_folder_begin(&other, dir, &error), ARNE_FILE);
    assert_non_null(strstr(error.text, "another run"));
    arne_run_folder_drop(&one);
    assert_int_equal(arne_run_folder_begin(&other, dir, &error), ARNE_OK);
    write_text(other.partial, "result.csv", "1");
    write_text(other.partial, "summary.json", "{\"kind\": \"simulate\"}");
    assert_int_equal(arne_run_folder_finish(&other, NULL, &error), ARNE_OK);
    arne_run_folder_drop(&other);
    assert_int_equal(run_list_check(dir, NULL, &error), ARNE_OK);
    write_text(dir, "result.csv", "2");
    assert_int_equal(run_list_check(dir, NULL, &error), ARNE_FILE);
    assert_non_null(strstr(error.file, "result.csv"));
    run_list_remove(dir, 0);
    assert_int_equal(rmdir(root), 0);
}

// What ended processes left beside the place: only a run that was whole comes back, to where it
// belongs; half a run goes.
static void only_whole_runs_come_back(void **unused)
{
    static const struct {
        const char *left, *summary;
        int         listed;
        const char *place; // NULL: it is removed
    } cases[] = {
        {"run.partial-0123abcd", "{\"kind\": \"simulate\"}", 0, NULL},
        {"run.partial-0123abcd", "{\"kind\": \"simulate\"}", 1, "run"},
        {"run.partial-0123abcd", "{\"kind\": \"plan\", \"complete\": false}", 1, "run.incomplete"},
        {"run.partial-0123abcd", "{\"kind\": \"plan\", \"complete\": true}", 1, "run"},
        {"run.replaced-0123abcd", "{\"kind\": \"partial\"}", 0, NULL},
        {"run.replaced-0123abcd", "{\"kind\": \"plan\", \"complete\": false}", 1, "run.incomplete"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static const char *const places[] = {"run", "run.incomplete"};
        char                     root[] = "/tmp/arne-run-XXXXXX", dir[64], path[100];
        run_folder               folder;
        arne_error               error;
        assert_non_null(mkdtemp(root));
        snprintf(dir, sizeof dir, "%s/run", root);
        snprintf(path, sizeof path, "%s/%s", root, cases[i].left);
        assert_int_equal(mkdir(path, 0777), 0);
        write_text(path, "result.csv", "1");
        write_text(path, "summary.json", cases[i].summary);
        if (cases[i].listed) assert_int_equal(run_list_write(path, &error), ARNE_OK);
        assert_int_equal(arne_run_folder_begin(&folder, dir, &error), ARNE_OK);
        arne_run_folder_drop(&folder);
        for (int k = 0; k < 2; k++) {
            const int expected = cases[i].place && strcmp(cases[i].place, places[k]) == 0;
            snprintf(path, sizeof path, "%s/%s", root, places[k]);
            assert_int_equal(has_text(path, "result.csv", "1"), expected);
            run_list_remove(path, 0);
        }
        assert_int_equal(rmdir(root), 0); // nothing else is left
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_folders_change_places),
        cmocka_unit_test(hashes_are_those_of_the_standard),
        cmocka_unit_test(a_place_is_held_by_one),
        cmocka_unit_test(only_whole_runs_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
