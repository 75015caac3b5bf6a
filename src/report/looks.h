// How a robot looks as its file says, with the bytes of its meshes.
#ifndef ARNE_REPORT_LOOKS_H
#define ARNE_REPORT_LOOKS_H

#include "base/buffer.h"
#include "io/visual.h"

#include <arne/report.h>

typedef struct mesh_file {
    char          *path;
    unsigned char *bytes;
    size_t         size;
    const char    *format;   // how its name ends, or "packed": see stl_pack.h
    char          *material; // the text of an OBJ's material file; may be NULL
} mesh_file;

typedef struct looks {
    visual_list visuals;
    int        *mesh; // of each visual: which file; -1: none
    mesh_file  *files;
    int         file_count;
} looks;

// Bytes that all meshes of a page together may have, so that it stays below 3 MB; less where the
// page carries the library, too.
enum { LOOKS_ROOM = 1400000, LOOKS_ROOM_LIVE = 250000 };

// Reads the looks of the robot in a file. A mesh that is not found or cannot be shown is one
// warning for all of them. Where meshes need more than `room` bytes, those of STL files become
// coarser, with a warning; without room none is read. looks_free is needed also after a failure.
ARNE_CHECKED arne_status looks_read(const char *path, const arne_mesh_options *how, size_t room,
                                    looks *out, arne_error *error);
void                     looks_free(looks *l);
// Whether a mesh holds pictures, or numbers in an address of its own, as glTF files may.
int looks_have_data(const looks *l);
// "meshes":[{"name","format","data"}]
void looks_put_meshes(buffer *b, const looks *l);

#endif
