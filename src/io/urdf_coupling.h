// Couplings of URDF+: ratio (sum of joints on the way to the predecessor) = (sum of joints on the
// way to the successor), both ways from the link where they part (Chignoli et al., URDF+,
// arXiv:2411.19753).
#ifndef ARNE_IO_URDF_COUPLING_H
#define ARNE_IO_URDF_COUPLING_H

#include "io/reader.h"

typedef struct urdf_coupling {
    char  *name, *predecessor, *successor; // links
    double ratio;
    int    line;
} urdf_coupling;

typedef struct urdf_couplings {
    urdf_coupling *item;
    int            count, room;
} urdf_couplings;

// Keeps copies of the names; 0 where there is no memory.
int  urdf_coupling_add(urdf_couplings *list, const char *name, const char *predecessor,
                       const char *successor, double ratio, int line);
void urdf_couplings_free(urdf_couplings *list);

// Makes a joint of each coupling follow the others: one, or the sum of several.
ARNE_CHECKED arne_status urdf_couplings_tie(reader *r, const urdf_couplings *list);

#endif
