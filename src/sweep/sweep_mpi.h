// Messages between ranks: a module each for Open MPI and MPICH (src/modules/mpi), loaded where
// mpirun or srun has started the program.
#ifndef ARNE_SWEEP_SWEEP_MPI_H
#define ARNE_SWEEP_SWEEP_MPI_H

#include "base/module.h"

// What the modules hold, by the names arne_openmpi_module and arne_mpich_module.
typedef struct mpi_module {
    module_head head;
    int (*start)(int *rank, int *size); // 0: fine
    int (*send)(int to, const void *bytes, size_t size);
    // 1: there was a message; 0: there is none now; -1: failure
    int (*receive)(int *from, void *bytes, size_t size);
    void (*finish)(void);
} mpi_module;

// What the environment says: how the program was started. NULL: alone.
const char *sweep_launched_by(void);
int         sweep_group_size(void); // ranks on a node, as it says; 1 where it does not
int         sweep_processors(void); // that this process may run on

ARNE_CHECKED arne_status sweep_mpi_open(const char *name, const mpi_module **out,
                                        arne_error *error);

#endif
