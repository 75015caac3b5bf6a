// The table as HDF5: a module, libarne_hdf5.so (src/modules/hdf5).
#ifndef ARNE_SWEEP_SWEEP_HDF5_H
#define ARNE_SWEEP_SWEEP_HDF5_H

#include "base/module.h"

typedef struct hdf5_table {
    const char          *csv, *summary; // files: the table and its summary
    const char         **names, **units;
    const unsigned char *texts; // columns that hold texts
    int                  count, parameters;
    long                 rows;
} hdf5_table;

typedef struct hdf5_module {
    module_head head;
    int (*write)(const hdf5_table *table, const char *path); // 0: fine
} hdf5_module;

#endif
