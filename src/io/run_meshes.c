// Meshes of a robot in the folder of a run, so that its page can be made again where the robot's
// own folders are not. They lie where the copied robot finds them: package://NAME/PATH in
// inputs/NAME/PATH, a path beside the robot in inputs/ likewise.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "io/named_file.h"
#include "io/run_folder.h"
#include "io/visual.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct copying {
    const run_folder *folder;
    arne_error       *error;
    size_t            total;
} copying;

// Where a mesh goes, relative to inputs/; NULL where it stays: an absolute path, one that leaves
// the folder, and a name that a list of files cannot have.
static const char *run_meshes_place_of(const char *said)
{
    static const char *const schemes[] = {"package://", "model://", NULL};
    for (int i = 0; schemes[i]; i++)
        if (strncmp(said, schemes[i], strlen(schemes[i])) == 0) said += strlen(schemes[i]);
    if (*said == '/' || !*said || strstr(said, "..") || strstr(said, "://")) return NULL;
    for (const char *c = said; *c; c++)
        if ((unsigned char)*c < 32 || *c == '?' || *c == '\\' || *c == '"') return NULL;
    return said;
}

// Whether the bytes are there: a mesh that cannot be written stays where it is, and the run goes
// on.
static int write_bytes(char *path, size_t inputs, const char *bytes, size_t size)
{
    for (char *slash = strchr(path + inputs, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0777); // where it fails, so does opening the file
        *slash = '/';
    }
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    const int written = fwrite(bytes, 1, size, out) == size;
    if (fclose(out) == 0 && written) return 1;
    remove(path);
    return 0;
}

// Copies a file to inputs/PLACE unless it is there. *bytes: what is in it, to be freed; NULL where
// it stayed.
static arne_status run_meshes_copy(copying *c, const char *from, const char *place, char **bytes)
{
    struct stat there;
    size_t      size = 0;
    arne_status status = ARNE_OK;
    char       *inputs = arne_run_folder_path(c->folder, "inputs/");
    char       *path = inputs ? arne_join(inputs, place, "") : NULL;
    *bytes = NULL;
    if (!path) {
        status = arne_fail_memory(c->error);
    } else if (stat(path, &there) != 0) {
        *bytes = (char *)named_file_bytes(from, &size);
        if (*bytes && c->total + size <= NAMED_FILES_MOST &&
            write_bytes(path, strlen(inputs), *bytes, size))
            c->total += size;
    }
    free(inputs);
    free(path);
    return status;
}

// The file of an OBJ's colours lies beside it or below.
static arne_status copy_colours(copying *c, const char *from, const char *place, const char *text)
{
    const char *said = NULL;
    size_t      length = 0;
    char        name[256], *bytes = NULL, *there = named_material(from, text, &said, &length);
    if (!there) return ARNE_OK;
    arne_status status = ARNE_OK;
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : 0, said);
    char *here = run_meshes_place_of(name) ? arne_path_beside(place, name) : NULL;
    if (here) status = run_meshes_copy(c, there, here, &bytes);
    if (!here && run_meshes_place_of(name)) status = arne_fail_memory(c->error);
    free(bytes);
    free(there);
    free(here);
    return status;
}

static arne_status copy_mesh(copying *c, const char *robot, const char *said)
{
    const char *place = run_meshes_place_of(said);
    char       *found = place ? visual_mesh_path(robot, said, NULL, 0) : NULL, *bytes = NULL;
    if (!found) return ARNE_OK;
    arne_status status = run_meshes_copy(c, found, place, &bytes);
    if (!status && bytes) status = copy_colours(c, found, place, bytes);
    free(bytes);
    free(found);
    return status;
}

arne_status arne_run_folder_copy_meshes(const run_folder *folder, const char *robot,
                                        arne_error *error)
{
    visual_list list = {0};
    arne_error  ignored;
    copying     c = {.folder = folder, .error = error};
    arne_status status = ARNE_OK;
    // `arne view` reports mistakes in visuals; they do not affect the motion.
    if (visuals_read(robot, &list, &ignored) == ARNE_NO_MEMORY) status = arne_fail_memory(error);
    for (int i = 0; i < list.count && !status; i++)
        if (list.item[i].kind == VISUAL_MESH && list.item[i].mesh)
            status = copy_mesh(&c, list.item[i].file, list.item[i].mesh);
    visuals_free(&list);
    return status;
}
