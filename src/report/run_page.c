#include "report/run_page.h"

#include "base/buffer.h"
#include "base/error.h"
#include "io/kept_files.h"
#include "io/yaml_robot.h"
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// "DIR/file"; NULL where there is no memory.
static char *run_page_join(const char *dir, const char *file)
{
    buffer b = {0};
    put(&b, "%s/%s", dir, file);
    if (b.failed) buffer_free(&b);
    return b.text;
}

// A summary names files of its own folder only.
static int leaves_folder(const char *file)
{
    if (*file == '/' || !*file) return 1;
    for (const char *at = file; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) return 1;
    }
    return 0;
}

static arne_status run_page_check_file(const run *r, const doc_node *from, const char *file)
{
    if (!leaves_folder(file)) return ARNE_OK;
    return arne_reader_fail(&r->reader, ARNE_VALUE, from->line,
                            "'%s' is not a file within the folder of the run", file);
}

// --- the summary

static arne_status run_page_read_summary(run *r)
{
    char       *text = NULL;
    size_t      size = 0;
    arne_status status = arne_reader_load(&r->reader, &text, &size);
    if (!status) status = document_parse(&r->reader, text, size, &r->tree);
    free(text);
    if (status) return status;
    r->summary = r->tree.root;
    if (!r->summary || r->summary->kind != DOC_MAP)
        return arne_reader_fail(&r->reader, ARNE_VALUE, 1, "a summary must be a mapping");
    return ARNE_OK;
}

const char *run_text(const run *r, const char *key, const char *otherwise)
{
    const doc_node *n = doc_find(r->summary, key);
    return n && n->kind == DOC_TEXT && *n->text ? n->text : otherwise;
}

static double run_page_limit_of(const doc_node *n, double otherwise, arne_status *status)
{
    double value = otherwise;
    if (n->kind == DOC_TEXT && (strcmp(n->text, "null") == 0 || !*n->text)) return otherwise;
    if (n->kind != DOC_TEXT || arne_parse_number(n->text, &value)) *status = ARNE_VALUE;
    return value;
}

arne_status run_limits(const run *r, const char *column, int *has, double *low, double *high)
{
    const doc_node *limits = doc_find(r->summary, "limits"), *pair = NULL;
    arne_status     status = ARNE_OK;
    *has = 0;
    *low = -INFINITY;
    *high = INFINITY;
    if (limits && limits->kind == DOC_MAP) pair = doc_find(limits, column);
    if (!pair) return ARNE_OK;
    if (pair->kind == DOC_LIST && pair->count == 2) {
        *low = run_page_limit_of(pair->first->value, -INFINITY, &status);
        *high = run_page_limit_of(pair->last->value, INFINITY, &status);
    } else {
        status = ARNE_VALUE;
    }
    if (status)
        return arne_reader_fail(&r->reader, status, pair->line,
                                "the limits of '%s' must be two numbers, or null for none", column);
    *has = isfinite(*low) || isfinite(*high);
    return ARNE_OK;
}

// --- tables

static arne_status add_table(run *r, const char *file)
{
    run_table *tables = realloc(r->tables, ((size_t)r->table_count + 1) * sizeof *tables);
    if (!tables) return arne_fail_memory(r->reader.error);
    r->tables = tables;
    char *path = run_page_join(r->dir, file);
    if (!path) return arne_fail_memory(r->reader.error);
    arne_table       *table = NULL;
    const arne_status status = kept_files_table(NULL, path, &table, r->reader.error);
    free(path);
    if (!status) r->tables[r->table_count++] = (run_table){file, table};
    return status;
}

arne_status run_table_of(run *r, const doc_node *from, const char *file, const arne_table **out)
{
    int k = 0;
    while (k < r->table_count && strcmp(r->tables[k].file, file) != 0)
        k++;
    arne_status status = ARNE_OK;
    if (k == r->table_count) {
        status = run_page_check_file(r, from, file);
        if (!status) status = add_table(r, file);
    }
    if (!status) *out = r->tables[k].table;
    return status;
}

int run_time_column(const run *r)
{
    const int time = arne_table_find(run_result(r), "time");
    return time >= 0 ? time : arne_table_find(run_result(r), "t");
}

// --- the robot

static arne_status read_robot(run *r)
{
    const doc_node    *robot = doc_find(r->summary, "robot");
    const doc_node    *base = doc_find(r->summary, "base");
    const doc_node    *gravity = doc_find(r->summary, "gravity");
    arne_build_options options = {0};
    arne_vec3          g;
    arne_status        status = ARNE_OK;
    if (!robot || robot->kind != DOC_TEXT)
        return arne_reader_fail(&r->reader, ARNE_VALUE, r->summary->line,
                                "the summary does not name the file of its robot");
    if (base) {
        const doc_slot  slot = {&r->reader, "", "base", base};
        const doc_word *chosen = NULL;
        status = doc_choice(&slot, arne_yaml_bases, &chosen);
        if (!status) options.base = (arne_base)chosen->value;
    }
    if (!status && gravity) {
        const doc_slot slot = {&r->reader, "", "gravity", gravity};
        status = doc_vec3(&slot, &g);
        options.gravity = &g;
    }
    if (!status) status = run_page_check_file(r, robot, robot->text);
    char *path = status ? NULL : run_page_join(r->dir, robot->text);
    if (!status && !path) return arne_fail_memory(r->reader.error);
    if (!status) status = arne_robot_read(path, &options, &r->robot, r->reader.error);
    free(path);
    if (!status && arne_work_new(r->robot, &r->work)) return arne_fail_memory(r->reader.error);
    return status;
}

arne_status run_read_summary(const char *dir, run *out, arne_error *error)
{
    *out = (run){.dir = dir, .summary_path = run_page_join(dir, "summary.json")};
    if (!out->summary_path) return arne_fail_memory(error);
    out->reader = (reader){.file = out->summary_path, .named = 1, .error = error};
    return run_page_read_summary(out);
}

arne_status run_read(const char *dir, run *out, arne_error *error)
{
    arne_status status = run_read_summary(dir, out, error);
    if (!status) status = add_table(out, "result.csv");
    if (!status) status = read_robot(out);
    return status;
}

void run_free(run *r)
{
    for (int k = 0; k < r->table_count; k++)
        arne_table_free(r->tables[k].table);
    free(r->tables);
    arne_work_free(r->work);
    arne_robot_free(r->robot);
    document_free(&r->tree);
    free(r->summary_path);
    *r = (run){0};
}

arne_status run_looks(const run *r, size_t room, looks *out)
{
    buffer      path = {0};
    arne_error  ignored;
    arne_status status = ARNE_OK;
    put(&path, "%s/%s", r->dir, run_text(r, "robot", ""));
    if (path.failed) status = arne_fail_memory(r->reader.error);
    // `arne view` reports mistakes in visuals; a run is shown in spite of them.
    const arne_status looked = status ? status : looks_read(path.text, NULL, room, out, &ignored);
    if (looked) looks_free(out);
    if (looked == ARNE_NO_MEMORY) status = arne_fail_memory(r->reader.error);
    buffer_free(&path);
    return status;
}
