// Tables of OpenSim: .mot and .sto (coordinates, forces, states) and .trc (markers).
#ifndef ARNE_IO_STORAGE_H
#define ARNE_IO_STORAGE_H

#include "base/buffer.h"
#include <arne/table.h>

// Whether a path ends in .mot, .sto or .trc.
int storage_is(const char *path);

// The same table as CSV, line by line, so that messages name the line of the file. Missing cells
// become nan. Columns of a file with inDegrees=yes have the unit ARNE_UNIT_DEGREES, markers are
// NAME.x, NAME.y, NAME.z. States of OpenSim 4 (/jointset/JOINT/NAME/value) have the name of the
// coordinate, or qd.NAME (/speed).
ARNE_CHECKED arne_status storage_to_csv(const char *path, const char *text, size_t size,
                                        buffer *out, arne_error *error);
// A table as .mot or .sto: q.NAME becomes NAME, tau.NAME becomes NAME_moment or NAME_force.
void storage_put(const arne_table *table, const char *name, buffer *out);

#endif
