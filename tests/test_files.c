// Files: by content, missing, unreadable, empty, huge, and what is not a robot at all.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "reading.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char small_robot[] = " \n<robot name='r'><link name='a'/></robot>";

// A file in a folder of its own, which remove_scratch() removes.
typedef struct scratch {
    char folder[40], path[80];
} scratch;

static scratch make_scratch(const char *name, const char *text)
{
    scratch s = {"/tmp/arne_test_XXXXXX", ""};
    assert_non_null(mkdtemp(s.folder));
    snprintf(s.path, sizeof s.path, "%s/%s", s.folder, name);
    FILE *file = fopen(s.path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return s;
}

static void remove_scratch(const scratch *s)
{
    unlink(s->path);
    rmdir(s->folder);
}

static void assert_file_fails(const char *path, arne_status status, const char *says)
{
    arne_robot *robot = (arne_robot *)1;
    arne_error  error;
    assert_int_equal(arne_robot_read(path, NULL, &robot, &error), status);
    assert_null(robot);
    assert_int_equal(error.code, status);
    assert_string_equal(error.file, path);
    assert_says(error.text, says);
    assert_int_equal(arne_robot_read(path, NULL, &robot, NULL), status);
}

static void files(void **unused)
{
    (void)unused;
    const scratch s = make_scratch("robot.txt", small_robot);
    arne_robot   *robot = NULL;
    assert_int_equal(arne_robot_read(s.path, NULL, &robot, NULL),
                     ARNE_OK); // by content, not by name
    assert_string_equal(arne_robot_name(robot), "r");
    arne_robot_free(robot);
    assert_file_fails(s.folder, ARNE_FILE, "directory");
    remove_scratch(&s);
    assert_file_fails(s.path, ARNE_FILE, "No such file");
}

static void files_that_are_no_robots(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
        arne_status status;
        const char *says;
    } cases[] = {
        {"robot.urdf", "", ARNE_SYNTAX, "not well-formed XML"},
        {"robot.urdf", "just words", ARNE_SYNTAX, "not well-formed XML"},
        {"robot", "just words", ARNE_SYNTAX, "neither a URDF (XML) nor a YAML"},
        {"robot", "", ARNE_SYNTAX, "empty"},
        {"robot",
         "\x7f"
         "ELF\x01\x02",
         ARNE_SYNTAX, "neither XML nor well-formed YAML"},
        {"arm.xacro", "<robot name='r'><xacro:x/></robot>", ARNE_VALUE, "there is no macro 'x'"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const scratch s = make_scratch(cases[i].name, cases[i].text);
        assert_file_fails(s.path, cases[i].status, cases[i].says);
        remove_scratch(&s);
    }
}

static void unreadable_file(void **unused)
{
    (void)unused;
    const scratch s = make_scratch("robot.urdf", small_robot);
    assert_int_equal(chmod(s.path, 0), 0);
    if (geteuid() != 0) assert_file_fails(s.path, ARNE_FILE, "Permission denied");
    char below[100];
    snprintf(below, sizeof below, "%s/robot.urdf", s.path);
    assert_file_fails(below, ARNE_FILE, "Not a directory");
    remove_scratch(&s);
}

// A file with one line of 100 MB (most of it a hole), and one that never ends.
static void huge_files_are_refused_at_once(void **unused)
{
    (void)unused;
    const scratch s = make_scratch("robot.urdf", "<robot name='");
    const clock_t start = clock();
    assert_int_equal(truncate(s.path, 100 << 20), 0);
    assert_file_fails(s.path, ARNE_TOO_LARGE, "64 MiB");
    assert_true(clock() - start < CLOCKS_PER_SEC);
    remove_scratch(&s);
    assert_file_fails("/dev/zero", ARNE_TOO_LARGE, "64 MiB");
}

static void missing_arguments(void **unused)
{
    (void)unused;
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    assert_int_equal(arne_builder_new(&builder), ARNE_OK);
    assert_int_equal(arne_robot_read(NULL, NULL, &robot, NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_robot_read("x", NULL, NULL, NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read(NULL, "x", NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read(builder, NULL, NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read_urdf(NULL, "", 0, "x", NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read_urdf(builder, NULL, 0, "x", NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read_yaml(NULL, "", 0, "x", NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read_yaml(builder, NULL, 0, "x", NULL), ARNE_NULL_ARGUMENT);
    assert_int_equal(arne_read_urdf(builder, "<robot name='r'/>", 17, NULL, NULL), ARNE_OK);
    arne_builder_free(builder);
}

int main(void)
{
    if (!READERS_ARE_BUILT) return print_readers_missing();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files),
        cmocka_unit_test(files_that_are_no_robots),
        cmocka_unit_test(unreadable_file),
        cmocka_unit_test(huge_files_are_refused_at_once),
        cmocka_unit_test(missing_arguments),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
