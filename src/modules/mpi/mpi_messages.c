// The module libarne_openmpi.so or libarne_mpich.so: the few calls of MPI that a sweep needs.
// ARNE_MPI_MODULE is its table's name.
#include "sweep/sweep_mpi.h"
#include <arne/version.h>
#include <mpi.h>

static int mpi_messages_start(int *rank, int *size)
{
    int ready = 0;
    if (MPI_Initialized(&ready) != MPI_SUCCESS) return -1;
    if (!ready && MPI_Init(NULL, NULL) != MPI_SUCCESS) return -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
           MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS;
}

// Short messages, which MPI buffers: sending does not wait for the receiver.
static int send_message(int to, const void *bytes, size_t size)
{
    return MPI_Send(bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int receive_message(int *from, void *bytes, size_t size)
{
    int        there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS) return -1;
    if (!there) return 0;
    if (MPI_Recv(bytes, (int)size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status) !=
        MPI_SUCCESS)
        return -1;
    *from = status.MPI_SOURCE;
    return 1;
}

static void mpi_messages_finish(void)
{
    int over = 0;
    if (MPI_Finalized(&over) == MPI_SUCCESS && !over) MPI_Finalize();
}

extern const mpi_module ARNE_MPI_MODULE;
__attribute__((visibility("default")))
const mpi_module ARNE_MPI_MODULE = {.head = {ARNE_VERSION_STRING, sizeof(mpi_module)},
                                    .start = mpi_messages_start,
                                    .send = send_message,
                                    .receive = receive_message,
                                    .finish = mpi_messages_finish};
