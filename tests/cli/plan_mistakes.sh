#!/bin/sh
# arne plan: a problem file with a mistake in each of three sections is answered with all of them,
# each with its line.
. "$(dirname "$0")/checks.inc"

# three ROBOT LINE LINE LINE: lines 2, 3 and 4 of the problem are wrong, and nothing else is.
three() {
    printf 'robot: %s/%s.yaml\n%s\n%s\n%s\n' "$ROBOTS" "$1" "$2" "$3" "$4" >"$T/p.yaml"
    arne plan "$T/p.yaml"
    exits 1
    nothing
    for line in 2 3 4; do
        grep -q "p.yaml:$line:" "$T/err" || fail \
            "nothing about line $line: $(sed -n "${line}p" "$T/p.yaml")"
    done
    [ "$(grep -c "p.yaml:[234]:" "$T/err")" -eq "$(grep -c . "$T/err")" ] ||
        fail "more than the mistakes"
}

three planar_2r 'contacts: [{frame: tip, friction: -0.3}]' \
    'fatigue: {elbow: {fatigue: 0.1, recovery: 0.1}}' 'repeat: {times: 0}'
three planar_2r 'contacts: [{friction: 0.3}]' 'strength: {joint3: {stall: 1, no_load: 2}}' \
    'wrenches: [{frame: tip, force: [1, 2]}]'
three planar_2r 'contacts: [{frame: tip, friction: 0.5, phases: [a]}]' \
    'repeat: {times: 3, rest: -1}' 'quadrature: simpson'
three planar_2r 'strength: {joint1: {torques: [[1, 2], [3]], angles: [0, 1], velocities: [0, 1]}}' \
    'contacts: [{frame: tip, friction: 0.5, stays: xw}]' 'grid: {points: 1}'
three planar_2r 'contacts: [{friction: 1, name: a}]' \
    'constraints: [{quantity: contact_force, contact: b, upper: 1}]' \
    'objective: [{quantity: contact_force, contact: a, phase: go}]'
three planar_2r 'path: {points: [[0, 1]]}' 'start: {position: 0}' \
    'contacts: [{frame: tip, friction: 1}]'
three human 'gait: {speed: -1, step: 9}' 'frozen: {nose: 0}' 'constraints: [{quantity: torque}]'
three human 'gait: {walker: {right: {heel: nope}}}' 'solver: {iterations: -4}' 'spline: {degree: 1}'
three human 'gait: {borders: [0.1, 0.2]}' 'objective: [{quantity: torque, phase: flight}]' \
    'contacts: [{frame: R_heel, friction: 1}]'
three planar_2r 'gait: {speed: 1}' 'guess: {joint9: 1}' 'time: 1'
three quadruped 'contacts: [{shape: paw, friction: 1}]' \
    'phases: [{name: a, time: 1, impact: maybe}]' 'base: flying'
three quadruped 'contacts: [{frame: front_left_foot, friction: 0.7, plane_normal: [0, 0, 0]}]' \
    'constraints: [{quantity: contact_force, contact: rear, upper: 1}]' \
    'start: {position: {base.w: 1}}'
three five_bar 'contacts: [{frame: tool, holds: nothing}]' \
    'strength: {motor1: {stall: -1, no_load: 2}}' 'end: {velocity: fast}'
three planar_2r 'payloads: [{frame: tip, mass: 1, phases: [x]}]' \
    'wrenches: [{frame: tip, file: none.csv}]' \
    'fatigue: {joint1: {fatigue: -1, recovery: 2}}'
finish
