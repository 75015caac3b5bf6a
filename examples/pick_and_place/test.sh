#!/bin/sh
# test.sh - ARNE ROBOTS: the figures of the README.
. "$(dirname "$0")/../plan_test.inc"

# A motion within all limits, in less time than the speed of joint 1 and its start and stop allow
# twice over.
plan problem
within "$run" T 1 1.2
within "$run" violation 0 1e-8
