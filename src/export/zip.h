// A zip archive whose files are stored as they are.
#ifndef ARNE_EXPORT_ZIP_H
#define ARNE_EXPORT_ZIP_H

#include "base/buffer.h"

typedef struct zip {
    buffer files, directory;
    int    count, too_large; // zip counts sizes in 32 bits
} zip;

void zip_add(zip *z, const char *name, const void *bytes, size_t size, int executable);
// The whole archive is in z->files then, unless that has failed.
void zip_end(zip *z);
void zip_free(zip *z);

#endif
