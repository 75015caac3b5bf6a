#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "sweep/sweep_files.h"
#include "base/plain.h"
#include "io/folder.h"
#include "io/whole_file.h"
#include <arne/io.h>
#include <arne/plan.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ROBOT[] = "robot.yaml", RUN[] = "run.yaml";

// The robot of the row, as a file of its own.
static arne_status sweep_files_write_robot(arne_sweep *s, const char *folder, arne_error *error)
{
    arne_build_options plain = {.isa = s->build.isa};
    arne_builder      *builder = NULL;
    arne_robot        *robot = NULL;
    char              *path = arne_join(folder, "/", ROBOT);
    if (!path || arne_builder_new(&builder)) {
        free(path);
        return arne_fail_memory(error);
    }
    arne_status status = arne_read_given(builder, s->robot_path, &s->given, NULL, error);
    if (!status) status = arne_builder_finish(builder, &plain, &robot, error);
    if (!status) status = arne_robot_write(robot, path, NULL, NULL, error);
    arne_robot_free(robot);
    arne_builder_free(builder);
    free(path);
    return status;
}

static arne_status write_tree(const doc_node *root, const char *path, arne_error *error)
{
    buffer      text = {0};
    whole_file  file;
    arne_status status = ARNE_OK;
    document_put(&text, root);
    if (text.failed) status = arne_fail_memory(error);
    if (!status) status = arne_whole_file_open(&file, path, error);
    if (!status) {
        fwrite(text.text, 1, text.size, file.stream);
        fputc('\n', file.stream);
        status = arne_whole_file_close(&file, error);
    }
    buffer_free(&text);
    return status;
}

static arne_status sweep_files_make_folder(const char *dir, char **folder, arne_error *error)
{
    *folder = arne_join(dir, ".files", "");
    if (!*folder) return arne_fail_memory(error);
    if (mkdir(*folder, 0777) == 0 || errno == EEXIST) return ARNE_OK;
    return arne_fail(error, ARNE_FILE, *folder, 0, "cannot be made: %s", plain_reason(errno));
}

// The robot of the row is a file in the run's folder; paths to other files are unchanged.
static arne_status write_run(arne_sweep *s, const char *folder, arne_scenario *scenario,
                             arne_error *error)
{
    document    doc = {0};
    reader      r = {.file = s->run_path, .error = error};
    char       *path = arne_join(folder, "/", RUN);
    arne_status status = path ? ARNE_OK : arne_fail_memory(error);
    for (int i = 1; !status && scenario && i < scenario->file_count; i++) {
        char real[PATH_MAX];
        if (!realpath(scenario->files[i].path, real)) continue;
        char *text = document_take(&scenario->doc, strlen(real) + 1);
        if (text)
            scenario->files[i].node->text = strcpy(text, real);
        else
            status = arne_fail_memory(error);
    }
    if (!status && document_copy(scenario ? &scenario->doc : &s->run_tree, &doc))
        status = arne_fail_memory(error);
    const doc_edit robot = {"robot", ROBOT};
    if (!status && s->robot_path) status = document_edit(&r, &doc, &robot);
    if (!status) status = write_tree(doc.root, path, error);
    document_free(&doc);
    free(path);
    return status;
}

arne_status sweep_files_scenario(arne_sweep *s, const char *dir, arne_scenario **out,
                                 arne_error *error)
{
    const scenario_source source = {.path = s->run_path, .given = &s->given};
    arne_scenario        *plain = NULL;
    char                 *folder = NULL, *path = NULL;
    arne_status           status = scenario_read(&source, &s->build, &plain, error);
    if (!status) status = sweep_files_make_folder(dir, &folder, error);
    if (!status) status = sweep_files_write_robot(s, folder, error);
    if (!status) status = write_run(s, folder, plain, error);
    if (!status && !(path = arne_join(folder, "/", RUN))) status = arne_fail_memory(error);
    if (!status) status = arne_scenario_read(path, &s->build, out, error);
    arne_scenario_free(plain);
    free(folder);
    free(path);
    return status;
}

arne_status sweep_files_plan(arne_sweep *s, const char *dir, arne_plan **out, arne_error *error)
{
    char       *folder = NULL, *path = NULL;
    arne_status status = sweep_files_make_folder(dir, &folder, error);
    if (!status) status = sweep_files_write_robot(s, folder, error);
    if (!status) status = write_run(s, folder, NULL, error);
    if (!status && !(path = arne_join(folder, "/", RUN))) status = arne_fail_memory(error);
    if (!status) status = arne_plan_read(path, &s->build, out, error);
    free(folder);
    free(path);
    return status;
}

void sweep_files_remove(const char *dir)
{
    const char *const names[] = {ROBOT, RUN};
    for (size_t i = 0; i < 2; i++) {
        char *folder = arne_join(dir, ".files/", names[i]);
        if (folder) unlink(folder);
        free(folder);
    }
    char *folder = arne_join(dir, ".files", "");
    if (folder) rmdir(folder);
    free(folder);
}
