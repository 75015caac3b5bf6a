#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): mkdtemp, nftw
#include "scratch.h"

#include <arne/io.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64]; // atexit and nftw have no context

static const char ARM[] =
    "name: arm\n"
    "bodies:\n"
    "  - {name: base}\n"
    "  - {name: upper, mass: 2, com: [0, 0, 0.2], inertia: [0.1, 0.1, 0.02]}\n"
    "  - {name: lower, mass: 1, com: [0, 0, 0.1], inertia: [0.05, 0.05, 0.01]}\n"
    "joints:\n"
    "  - {name: shoulder, parent: base, child: upper, kind: revolute, axis: [0, 1, 0],\n"
    "     limits: {lower: -3, upper: 3, velocity: 9, effort: 50},\n"
    "     friction: {viscous: 0.1, coulomb: 0.2}}\n"
    "  - {name: elbow, parent: upper, child: lower, kind: revolute, axis: [0, 1, 0],\n"
    "     origin: {xyz: [0, 0, 0.4]}, limits: {lower: -3, upper: 3, velocity: 9, effort: 30}}\n"
    "frames: [{name: tip, link: lower, xyz: [0, 0, 0.3]}]\n";
static const char TABLE[] = "time [s],q.shoulder [rad],q.elbow [rad],tau.elbow [N m],fx [N]\n"
                            "0,0,0,1,0\n0.5,0.1,0.2,1,3\n1,0.2,0.1,2,0\n2,0,0,0,0\n";

static int remove_item(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info, (void)type, (void)walk;
    remove(path);
    return 0;
}

static void remove_folder(void) { nftw(folder, remove_item, 8, FTW_DEPTH | FTW_PHYS); }

int scratch_write(const char *name, const void *bytes, size_t size, char *path)
{
    snprintf(path, SCRATCH_PATH, "%s/%s", scratch_folder(), name);
    FILE *out = fopen(path, "wb");
    if (!out) return 0;
    const int whole = !size || fwrite(bytes, 1, size, out) == size;
    return fclose(out) == 0 && whole;
}

const char *scratch_folder(void)
{
    char path[SCRATCH_PATH];
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s/arne-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) abort();
    atexit(remove_folder);
    snprintf(path, sizeof path, "%s/inputs", folder);
    if (mkdir(path, 0777) != 0 || !scratch_write("arm.yaml", ARM, sizeof ARM - 1, path) ||
        !scratch_write("inputs/arm.yaml", ARM, sizeof ARM - 1, path) ||
        !scratch_write("table.csv", TABLE, sizeof TABLE - 1, path))
        abort();
    return folder;
}

scratch_part scratch_next(const uint8_t **data, size_t *size)
{
    const uint8_t     *end = *size ? memchr(*data, 0, *size) : NULL;
    const scratch_part part = {*data, end ? (size_t)(end - *data) : *size};
    const size_t       gone = part.size + (end != NULL);
    *data += gone;
    *size -= gone;
    return part;
}

void scratch_read_robot(const uint8_t *data, size_t size, const char *path)
{
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    if (arne_builder_new(&builder) != ARNE_OK) return;
    arne_status status = arne_read_text(builder, (const char *)data, size, path, &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    if (status && !error.text[0]) abort();
    arne_robot_free(robot);
    arne_builder_free(builder);
}
