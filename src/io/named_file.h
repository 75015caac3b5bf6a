// Files that other files name: meshes and their materials, tables, what a robot extends. A robot
// may come from anywhere, so what it names is read only where it cannot do harm:
//
//     any of them   is a plain file: a pipe would make us wait, a device has no end
//     a mesh        is called one (.stl, .obj, .dae, .gltf, .glb), and so is what a link leads to
//     a material    is called .mtl and lies in the folder of its mesh or below, links followed:
//                   the page of a robot shows its bytes to whoever gets the page
//
// What people name on the command line may be anything.
#ifndef ARNE_IO_NAMED_FILE_H
#define ARNE_IO_NAMED_FILE_H

#include <arne/status.h>
#include <stddef.h>

// As much as pages take of a file, and of all files together.
enum { NAMED_FILE_MOST = 24 << 20, NAMED_FILES_MOST = 60 << 20 };

// Fails, with the path, for what is there and is no plain file. (That it is missing is said by
// whoever opens it.)
ARNE_CHECKED arne_status named_file_check(const char *path, arne_error *error);

// The format of a mesh by its name, in small letters; NULL: it is none that Arne knows.
const char *named_mesh_format(const char *path);
// Whether there is a mesh that may be read.
int named_mesh_is_file(const char *path);

// The file of colours that an OBJ names (mtllib), to be freed; NULL where it names none, or none
// that may be read. text ends with a zero. *said (may be NULL): its name as the OBJ has it, and its
// length.
char *named_material(const char *mesh, const char *text, const char **said, size_t *length);

// The bytes of a plain file, with a zero behind them; NULL where it cannot be read or is larger
// than NAMED_FILE_MOST.
unsigned char *named_file_bytes(const char *path, size_t *size);

#endif
