// How the program was started: alone, or as a rank of mpirun or srun.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): sched_getaffinity
#include "base/error.h"
#include "sweep/sweep_mpi.h"
#include <arne/sweep.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

static long launch_number_of(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : -1;
}

// ARNE_MPI says openmpi, mpich or none where the environment cannot tell.
const char *sweep_launched_by(void)
{
    const char *said = getenv("ARNE_MPI");
    if (said && strcmp(said, "none") == 0) return NULL;
    if (said && strcmp(said, "mpich") == 0) return "mpich";
    if (said && strcmp(said, "openmpi") == 0) return "openmpi";
    if (launch_number_of("OMPI_COMM_WORLD_SIZE") > 0) return "openmpi";
    if (launch_number_of("PMI_SIZE") > 0 || getenv("PMI_FD"))
        return "mpich";                        // hydra; srun --mpi=pmi2
    if (getenv("PMIX_RANK")) return "openmpi"; // srun --mpi=pmix
    return NULL;
}

int arne_sweep_launch_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    if (!sweep_launched_by()) return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (launch_number_of(names[i]) >= 0) return (int)launch_number_of(names[i]);
    return 0;
}

int sweep_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t ours;
    if (sched_getaffinity(0, sizeof ours, &ours) == 0) count = CPU_COUNT(&ours);
#endif
    return count < 1 ? 1 : (int)count;
}

int sweep_group_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                        "SLURM_NTASKS_PER_NODE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (launch_number_of(names[i]) > 0) return (int)launch_number_of(names[i]);
    return 1;
}

arne_status sweep_mpi_open(const char *name, const mpi_module **out, arne_error *error)
{
    const int          open = strcmp(name, "openmpi") == 0;
    const module_need  need = {.name = name,
                               .what = "a sweep over several ranks",
                               .solver = open ? "Open MPI" : "MPICH",
                               .package = open ? "libopenmpi-dev" : "libmpich-dev",
                               .layout = sizeof(mpi_module)};
    const module_head *head = NULL;
    const arne_status  status = module_open(&need, &head, error);
    *out = (const mpi_module *)(const void *)head;
    return status;
}
