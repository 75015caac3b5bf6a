#!/bin/sh
# The library for browsers, by node and in Chromium: run.sh MODULES PLAYGROUND PICTURES, with ARNE,
# ROBOTS and WASM in the environment. Skipped, with a line that says so, where there is no module or
# something of the tests is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -f "$WASM/live.wasm" ] || { echo "skipped: there is no module in $WASM (make wasm)"; exit 0; }
node "$here/module.mjs" "$WASM" "$ARNE" "$ROBOTS"
code=0
sh "$here/../browser/run.sh" "$1" "$here/playground.mjs" "$ARNE" "$ROBOTS" "$2" "$3" || code=$?
[ $code -eq 77 ] || exit $code
