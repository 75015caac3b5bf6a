#!/bin/sh
# test.sh - ARNE ROBOTS: the figures of the README.
. "$(dirname "$0")/../plan_test.inc"

# The indirect solutions, with and without the offset.
plan problem
within "$run" T 0.64616 0.64636
within "$run" objective 0.85296 0.85316
plan variant_no_offset
within "$run" T 0.58568 0.58588
within "$run" objective 0.77313 0.77333
