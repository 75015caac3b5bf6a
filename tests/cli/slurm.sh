#!/bin/sh
# The job script examples/robustness/sweep.slurm under Slurm, where Debian's slurm-wlm is installed:
# a controller and a node of its own on this machine, in a folder that is thrown away. 77: skipped.
. "$(dirname "$0")/checks.inc"
EXAMPLES=$HERE/../../examples
bash -n "$EXAMPLES/robustness/sweep.slurm" || fail "the job script has a mistake"
skip() { echo "skipped: $1"; [ "$failures" -eq 0 ] && exit 77; exit 1; }
for program in slurmctld slurmd sbatch srun scontrol; do
    command -v $program >/dev/null || skip "there is no $program (Debian: slurm-wlm)"
done
[ "$(id -u)" -eq 0 ] || skip "a node needs root"
[ -e "$(dirname "$ARNE")/libarne_openmpi.so" ] || skip "Arne was built without Open MPI"
cd "$T" || exit 1
host=$(hostname -s)
port=$((20000 + $$ % 20000))
mkdir state spool
cat >slurm.conf <<END
ClusterName=arne
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
SwitchType=switch/none
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$T/state
SlurmdSpoolDir=$T/spool
SlurmctldPidFile=$T/slurmctld.pid
SlurmdPidFile=$T/slurmd.pid
SlurmctldLogFile=$T/slurmctld.log
SlurmdLogFile=$T/slurmd.log
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$T/slurm.conf"
slurmctld -D -f "$T/slurm.conf" >controller.out 2>&1 &
controller=$!
slurmd -D -f "$T/slurm.conf" -N "$host" >node.out 2>&1 &
node=$!
trap 'kill $node $controller 2>/dev/null; wait $node $controller 2>/dev/null; rm -rf "$T"' EXIT
i=0
while ! sinfo -h -o %T 2>/dev/null | grep -q idle; do
    i=$((i + 1))
    if [ $i -gt 100 ]; then
        tail -n 5 slurmctld.log slurmd.log controller.out node.out >&2
        skip "Slurm does not start here"
    fi
    sleep 0.1
done

# The script as it stands, on three tasks instead of 128 and on a small sweep of the same name.
cp -r "$EXAMPLES/robustness" "$EXAMPLES/mixed_elastic_arm" .
cp -r "$ROBOTS" "$T/robots"
mkdir tree && mv robustness mixed_elastic_arm tree/
sed -e 's/^samples: 1000/samples: 8/' -e 's/^time_limit.*/parameters: {duration: 0.05}/' \
    tree/robustness/sweep_1000.yaml >small.yaml
mv small.yaml tree/robustness/sweep_1000.yaml
cd tree/robustness || exit 1
arne sweep sweep_1000.yaml -o ref -q --isa x86-64-v3
grep -q "has no instruction set" "$T/err" && skip "this build is for one processor"
exits 0
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
for mpi in pmix pmi2; do
    [ $mpi = pmix ] || [ -e "$(dirname "$ARNE")/libarne_mpich.so" ] || continue
    rm -rf robustness
    last="sbatch sweep.slurm with --mpi=$mpi"
    PATH="$(dirname "$ARNE"):$PATH" MPI=$mpi timeout 60 sbatch --wait --ntasks=3 -o job.out \
        -e job.err sweep.slurm >"$T/out" 2>"$T/err" ||
        { cat job.out job.err >>"$T/err"; fail "the job fails"; continue; }
    cmp -s robustness/table.csv ref/table.csv || fail "the table is another one"
    grep -q '"ranks": 3,' robustness/summary.json || fail "not on 3 ranks"
done

finish
