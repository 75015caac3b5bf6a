// Any bytes as a mesh and, behind a zero byte, as the file that it names (materials, buffers): the
// hull of its vertices, the page that shows it, and what packs it must return and leak nothing. The
// first byte selects the format.
#include "io/mesh_hull.h"
#include "report/stl_pack.h"
#include "report/vtp.h"
#include "scratch.h"
#include <arne/io.h>
#include <arne/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void hear(void *context, const arne_warning *warning)
{
    (void)context;
    if (!warning->text || !*warning->text) abort();
}

// The page of a robot of one link, whose visual and collision are the mesh.
static void show(const char *format)
{
    char          urdf[512], path[SCRATCH_PATH], page[SCRATCH_PATH];
    arne_builder *builder = NULL;
    arne_robot   *robot = NULL;
    arne_error    error = {0};
    const int     length = snprintf(
            urdf, sizeof urdf,
            "<robot name='r'><link name='a'><visual><geometry><mesh filename='mesh.%s'/></geometry>"
                "</visual><collision><geometry><mesh filename='mesh.%s'/></geometry></collision></link>"
                "</robot>",
            format, format);
    if (!scratch_write("mesh.urdf", urdf, (size_t)length, path)) return;
    snprintf(page, sizeof page, "%s/mesh.html", scratch_folder());
    const arne_robot_page how = {.looks = path, .meshes = {.warn = hear}};
    if (arne_builder_new(&builder) != ARNE_OK) return;
    arne_status status = arne_read(builder, path, &error);
    if (!status) status = arne_builder_finish(builder, NULL, &robot, &error);
    if (!status) status = arne_report_robot(page, robot, &how, &error);
    if (status && !error.text[0]) abort();
    arne_robot_free(robot);
    arne_builder_free(builder);
}

// stl_pack expects a zero behind the bytes.
static void pack_stl(const uint8_t *bytes, size_t size)
{
    size_t         packed = 0;
    unsigned char *copy = calloc(size + 1, 1);
    if (copy && size) memcpy(copy, bytes, size);
    if (copy) free(stl_pack(copy, size, &packed));
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const FORMATS[] = {"stl", "obj", "dae", "gltf", "glb", "vtp"};
    static const char *const NAMED[] = {"mesh.mtl", "mesh.mtl", "mesh.png",
                                        "mesh.bin", "mesh.bin", "mesh.mtl"};
    char                     path[SCRATCH_PATH], name[16];
    arne_vec3                hull[MESH_HULL_MOST];
    const char              *why = NULL;
    size_t                   packed = 0;
    if (!size) return 0;
    const int which = data[0] % 6;
    data++, size--;
    const uint8_t     *rest = data;
    size_t             left = size;
    const int          binary = which == 0 || which == 4; // zeros are part of it
    const scratch_part mesh = binary ? (scratch_part){data, size} : scratch_next(&rest, &left);
    snprintf(name, sizeof name, "mesh.%s", FORMATS[which]);
    if (!binary && !scratch_write(NAMED[which], rest, left, path)) return 0;
    if (!scratch_write(name, mesh.bytes, mesh.size, path)) return 0;
    const int count = mesh_hull(path, hull, &why);
    if (count > MESH_HULL_MOST || (count == 0 && !why)) abort();
    if (which == 0) pack_stl(mesh.bytes, mesh.size);
    if (which == 5) free(vtp_to_obj(mesh.bytes, mesh.size, &packed));
    show(FORMATS[which]);
    remove(path);
    return 0;
}
