#!/bin/sh
# run.sh ARNE ROBOTS DIR: from a designed motion to the robot that was recorded, all in DIR.
#
# The "real" arm is robots/arm6.yaml with friction, rotors and another tool; what it records has
# noise. Only the recording is used to find it again.
set -eu
LC_ALL=C # awk would read and write decimal commas
export LC_ALL
arne=$1 robots=$(cd "$2" && pwd) dir=$3
mkdir -p "$dir"

# The arm that is recorded.
cat >"$dir/real.yaml" <<END
extends: $robots/arm6.yaml
bodies:
  - {name: link6, mass: 3.5, com: [0.01, -0.02, 0.05], inertia: [0.012, 0.011, 0.006, 0, 0, 0]}
joints:
$(for j in 1 2 3 4 5 6; do echo "  - {name: joint$j, friction: {viscous: $((12 / j)), coulomb: [$((20 / j)), $((18 / j))]}, rotor_inertia: 0.$((7 - j))}"; done)
END

# A motion that tells most, and its recording: 100 samples a second, torques with noise.
"$arne" identify design "$robots/arm6.yaml" --starts 1 --iterations 30 -o "$dir/design" \
    >"$dir/design.txt"
"$arne" compute inverse-dynamics "$dir/real.yaml" --states "$dir/design/motion.csv" \
    -o "$dir/torques.csv"
cut -d, -f2- "$dir/torques.csv" | paste -d, "$dir/design/motion.csv" - | awk -F, -v OFS=, '
    BEGIN { srand(1) }
    NR > 1 { for (i = NF - 5; i <= NF; i++) $i += 2 / (NF - i + 1) * sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
    { print }' >"$dir/log.csv"

# The robot that the recording is of.
"$arne" identify fit "$robots/arm6.yaml" "$dir/log.csv" -o "$dir/found"
