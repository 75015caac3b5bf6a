#!/bin/sh
# test.sh - ARNE ROBOTS: the figures of the README.
. "$(dirname "$0")/../plan_test.inc"

# The least time lies between the exact optimum and what forty control points can do.
plan problem
within "$run" T 0.39185453951567 0.3925
within "$run" violation 0 1e-8
within "$run" violation_between 0 0.1
within "$run" impulse -1e-6 1e-6
within "$run" peak 32.56 33.56
plan variant_torque_rate
within "$run" T 0.3925 0.3945
within "$run" violation 0 1e-8
