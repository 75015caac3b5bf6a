// Folders of runs that are kept lie in DIR.incomplete/runs until all else of DIR is there; then
// they move into the folder that becomes DIR. A process that is killed after that leaves them in
// DIR.partial-XXXXXXXX/runs, and a sweep that is resumed takes them back from there. What a killed
// process left of a run that was not done goes: it would be in the way of the same row.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "sweep/sweep_store.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// All that is in one folder goes to another; what is there already stays.
static void move_all(const char *from, const char *to)
{
    DIR *folder = opendir(from);
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
        char     *old = arne_join(from, "/", e->d_name), *new = arne_join(to, "/", e->d_name);
        const int moves = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
        if (moves && old && new &&access(new, F_OK) != 0) rename(old, new);
        free(old);
        free(new);
    }
    if (folder) closedir(folder);
    rmdir(from);
}

static void look_into(const sweep_store *st, const char *parent, const char *entry)
{
    char *folder = arne_join(parent, "/", entry),
         *runs = folder ? arne_join(folder, "/runs", "") : NULL;
    if (runs && access(runs, F_OK) == 0) move_all(runs, st->runs);
    free(folder);
    free(runs);
}

void store_take_back_runs(const sweep_store *st)
{
    static const char PARTIAL[] = ".partial-";
    const char       *slash = strrchr(st->dir, '/'), *base = slash ? slash + 1 : st->dir;
    const size_t      length = strlen(base);
    char             *parent = slash ? arne_join(st->dir, "", "") : arne_join(".", "", "");
    if (parent && slash) parent[slash == st->dir ? 1 : slash - st->dir] = 0;
    DIR *folder = parent ? opendir(parent) : NULL;
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder))
        if (strncmp(e->d_name, base, length) == 0 &&
            strncmp(e->d_name + length, PARTIAL, sizeof PARTIAL - 1) == 0)
            look_into(st, parent, e->d_name);
    if (folder) closedir(folder);
    free(parent);
}

void store_fetch_runs(const sweep_store *st)
{
    char *runs = arne_join(st->dir, "/runs", "");
    if (runs) move_all(runs, st->runs);
    free(runs);
}

static int kept_runs_remove_item(void *context, const folder_item *item)
{
    (void)context;
    unlinkat(item->parent, item->base, item->kind == FOLDER_FOLDER ? AT_REMOVEDIR : 0);
    return 0;
}

// "17" of a row that is done stays, and so does "17.incomplete", of a run that ended before its
// time; all else is half a run.
static int is_done(const sweep_store *st, const char *name)
{
    char      *end;
    const long row = strtol(name, &end, 10);
    const int  whole = end != name && (!*end || strcmp(end, ".incomplete") == 0);
    return whole && row >= 0 && row < st->sweep->rows && store_has(st, row);
}

void store_clear_runs(const sweep_store *st)
{
    DIR *folder = opendir(st->runs);
    for (struct dirent *e = folder ? readdir(folder) : NULL; e; e = readdir(folder)) {
        if (e->d_name[0] == '.' || is_done(st, e->d_name)) continue;
        char *path = arne_join(st->runs, "/", e->d_name);
        if (path) arne_folder_walk(path, kept_runs_remove_item, NULL);
        if (path) rmdir(path);
        free(path);
    }
    if (folder) closedir(folder);
}
