#!/bin/sh
# How far the hand is from the eight: test.sh - ARNE ROBOTS
example=$2
here=$(dirname "$0")
. "$here/../testing.sh"

runs simulate "$here/scenario.yaml" --quiet --out "$T/run"
runs compute pose "$here/arm.yaml" --states "$T/run/result.csv" --frame load
awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) { sub(/ .*/, "", $i); column[FILENAME, $i] = i }; next }
    FILENAME == ARGV[1] { for (i = 0; i < 3; i++) wanted[FNR, i] = $(i + 2); next }
    {
        d = 0
        for (i = 0; i < 3; i++) {
            x = $column[FILENAME, "load.p." substr("xyz", i + 1, 1)] - wanted[FNR, i]
            d += x * x
        }
        d = 1000 * sqrt(d)
        t = (FNR - 2) / 100
        pushed = (t >= 2.2 && t < 2.6) || (t >= 3.5 && t < 3.9)
        if (pushed && d > most_pushed) most_pushed = d
        if (!pushed && d > most) most = d
    }
    END {
        printf "at most %.2f mm, %.2f mm where pushed\n", most, most_pushed
        exit !(most > 0 && most < 3 && most_pushed < 8)
    }' "$here/eight.csv" "$T/out" || fail "the hand is too far from the eight"
