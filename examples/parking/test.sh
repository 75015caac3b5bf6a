#!/bin/sh
# test.sh - ARNE ROBOTS: the figures of the README.
. "$(dirname "$0")/../plan_test.inc"

plan problem
within "$run" objective 4.478 4.480
within "$run" violation 0 1e-8
within "$run" violation_between 0 0.004
