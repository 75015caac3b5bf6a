// ExternalLoads, the file of OpenSim that says which columns of a table are forces on which bodies.
#include "base/error.h"
#include "capture/capture.h"
#include "io/run_folder.h"
#include <stdlib.h>
#include <string.h>

typedef struct loads_file {
    capture_file       file;
    arne_load_columns *item;
    int                count;
    arne_status        status;
} loads_file;

static const char *loads_file_text(loads_file *f, const xml_node *node, const char *tag)
{
    return capture_file_text(&f->file, node, tag);
}

static void loads_file_force(loads_file *f, const xml_node *node)
{
    if (capture_file_is(&f->file, node, "isDisabled", "true") ||
        capture_file_is(&f->file, node, "appliesForce", "false"))
        return;
    arne_load_columns *item = realloc(f->item, ((size_t)f->count + 1) * sizeof *item);
    if (!item) {
        f->status = arne_fail_memory(f->file.reader.error);
        return;
    }
    f->item = item;
    item[f->count] =
        (arne_load_columns){.link = loads_file_text(f, node, "applied_to_body"),
                            .force = loads_file_text(f, node, "force_identifier"),
                            .point = loads_file_text(f, node, "point_identifier"),
                            .torque = loads_file_text(f, node, "torque_identifier"),
                            .force_in = loads_file_text(f, node, "force_expressed_in_body"),
                            .point_in = loads_file_text(f, node, "point_expressed_in_body")};
    if (!item[f->count].link)
        f->status = xml_node_fail(&f->file.reader, ARNE_VALUE, node, "names no applied_to_body");
    f->count++;
}

static arne_status loads_file_build(loads_file *f, const arne_robot *robot, arne_loads **out)
{
    const xml_node *all = xml_node_child(f->file.tree.root, "ExternalLoads");
    const xml_node *objects = all ? xml_node_child(all, "objects") : NULL;
    arne_table     *table = NULL;
    if (!all)
        return xml_node_fail(&f->file.reader, ARNE_VALUE, f->file.tree.root,
                             "there is no <ExternalLoads>");
    for (const xml_node *c = objects ? objects->first : NULL; c && !f->status; c = c->next)
        if (strcmp(c->tag, "ExternalForce") == 0) loads_file_force(f, c);
    const char *data = loads_file_text(f, all, "datafile");
    if (!f->status && !f->count)
        return xml_node_fail(&f->file.reader, ARNE_VALUE, all,
                             "there is no <ExternalForce> to apply");
    if (!f->status && !data)
        return xml_node_fail(&f->file.reader, ARNE_VALUE, all, "names no <datafile>");
    if (f->status) return f->status;
    char *path = arne_path_beside(f->file.reader.file, data);
    if (!path) return arne_fail_memory(f->file.reader.error);
    arne_status status = arne_table_read_csv(path, &table, f->file.reader.error);
    if (!status)
        status = arne_loads_new(robot, table, f->item, f->count, out, f->file.reader.error);
    arne_error *error = f->file.reader.error;
    if (status && table && error && !error->file[0])
        strncat(error->file, path, sizeof error->file - 1);
    arne_table_free(table);
    free(path);
    return status;
}

arne_status arne_loads_read(const arne_robot *robot, const char *path, arne_loads **out,
                            arne_error *error)
{
    arne_error own = {0};
    arne_error_clear(error);
    if (!robot || !path || !out) return arne_fail_null(error);
    *out = NULL;
    loads_file  f = {0};
    arne_status status = capture_file_open(&f.file, path, &own);
    if (!status) status = loads_file_build(&f, robot, out);
    if (status && error) *error = own;
    capture_file_close(&f.file);
    free(f.item);
    return status;
}
