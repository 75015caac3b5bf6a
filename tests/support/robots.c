// scandir is POSIX, not C.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)

#include "testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static const char *robots_dir(void)
{
    const char *dir = getenv("ARNE_ROBOTS_DIR");
    return dir && *dir ? dir : ARNE_ROBOTS_DIR;
}

static int ends_in(const char *text, const char *end)
{
    const size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

static int is_robot_file(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return name[0] != '.' &&
           (ends_in(name, ".urdf") || ends_in(name, ".yaml") || ends_in(name, ".yml"));
}

static char *path_of(const char *dir, const char *name)
{
    const size_t size = strlen(dir) + strlen(name) + 2;
    char        *path = malloc(size);
    assert_non_null(path);
    snprintf(path, size, "%s/%s", dir, name);
    return path;
}

char **robot_files(int *count)
{
    struct dirent **entries = NULL;
    const int       found = scandir(robots_dir(), &entries, is_robot_file, alphasort);
    if (found <= 0) fail_msg("no robots in %s", robots_dir());

    char **files = calloc((size_t)found + 1, sizeof *files);
    assert_non_null(files);
    for (int i = 0; i < found; i++) {
        files[i] = path_of(robots_dir(), entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    *count = found;
    return files;
}

void robot_files_free(char **files)
{
    for (char **f = files; f && *f; f++)
        free(*f);
    free(files);
}

static arne_robot *read_path(const char *path, const arne_build_options *options)
{
    arne_robot *robot = NULL;
    arne_error  error = {0};
    if (arne_robot_read(path, options, &robot, &error) != ARNE_OK)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return robot;
}

arne_robot *read_robot(const char *name, const arne_build_options *options)
{
    int    count, found = -1;
    char **files = robot_files(&count);
    for (int i = 0; i < count; i++) {
        const char *file = strrchr(files[i], '/') + 1;
        if (strncmp(file, name, strlen(name)) == 0 && file[strlen(name)] == '.') found = i;
    }
    if (found < 0) fail_msg("no robot %s in %s", name, robots_dir());

    arne_robot *robot = read_path(files[found], options);
    robot_files_free(files);
    return robot;
}

arne_robot *finish(const arne_builder *builder, const arne_build_options *options)
{
    arne_robot *robot = NULL;
    arne_error  error = {0};
    assert_ok_or(arne_builder_finish(builder, options, &robot, &error), &error);
    assert_non_null(robot);
    return robot;
}

arne_work *new_work(const arne_robot *robot)
{
    arne_work *work = NULL;
    assert_ok(arne_work_new(robot, &work));
    assert_non_null(work);
    return work;
}

// The kernels of another instruction set are the same texts: fewer robots and states will do.
static int is_another_isa(void) { return getenv("ARNE_TEST_ISA") != NULL; }

// With functions it is the trees that differ, and they cost more.
int robots_have_functions(void) { return getenv("ARNE_TEST_FUNCTIONS") != NULL; }

robot_set robot_set_begin(int tree_count)
{
    robot_set set = {.index = -1, .tree_count = is_another_isa() ? tree_count / 3 : tree_count};
    set.files = robot_files(&set.file_count);
    if (robots_have_functions() && tree_count > 0) set.index = set.file_count - 1;
    return set;
}

static arne_robot *tree_robot(int index)
{
    const uint64_t           seed = (uint64_t)index;
    const arne_build_options options = {.base = random_tree_base(seed)};
    arne_builder            *builder = random_tree(seed);
    if (seed / (3 * ARNE_JOINT_STRAIN) % 3 == 2) add_random_motors(builder, seed);
    if (seed % 2) add_random_couplings(builder, seed);
    if (robots_have_functions() && seed % 3) add_random_strains(builder, seed);
    if (robots_have_functions()) add_random_functions(builder, seed);
    arne_robot *robot = finish(builder, &options);
    arne_builder_free(builder);
    return robot;
}

int robot_set_next(robot_set *set)
{
    arne_work_free(set->work);
    arne_robot_free(set->robot);
    set->work = NULL;
    set->robot = NULL;

    if (++set->index >= set->file_count + set->tree_count) {
        robot_files_free(set->files);
        return 0;
    }
    if (set->index < set->file_count)
        set->robot = read_path(set->files[set->index], NULL);
    else
        set->robot = tree_robot(set->index - set->file_count);
    set->work = new_work(set->robot);

    const arne_sizes size = arne_robot_sizes(set->robot);
    assert_true(size.q_count <= MAX_Q && size.v_count <= MAX_V);
    assert_true(size.body_count <= MAX_BODIES && size.frame_count <= MAX_FRAMES);
    return 1;
}

int state_ready(const state *s, arne_work *work)
{
    const int is_tree = strncmp(arne_robot_name(s->robot), "random tree", 11) == 0;
    state_set_base(s, work);
    const uint64_t of_file = is_another_isa() && STATES_OF_FILE > 6 ? 6 : STATES_OF_FILE;
    return s->seed <= (is_tree ? STATES_OF_TREE : of_file);
}
