#!/bin/sh
# Runs a script of tests with what npm has for it: run.sh MODULES SCRIPT [ARGUMENTS]. MODULES is
# where npm keeps what web/package.json names, developers' packages included. Exit status 77 (a test
# that is skipped) where something of this is missing.
set -eu
web=$(cd "$(dirname "$0")/../../web" && pwd)
modules=$1
shift
skip() {
    echo "skipped: $*"
    exit 77
}
command -v node >/dev/null || skip "node was not found (package nodejs)"
command -v npm >/dev/null || skip "npm was not found (package npm)"
mkdir -p "$modules"
exec 9>"$modules/lock"
if command -v flock >/dev/null; then flock 9; fi
if ! cmp -s "$web/package-lock.json" "$modules/installed.json"; then
    rm -rf "$modules/node_modules" "$modules/installed.json"
    cp "$web/package.json" "$web/package-lock.json" "$web/.npmrc" "$modules/"
    (cd "$modules" && npm ci --ignore-scripts --no-audit --no-fund) >"$modules/npm.log" 2>&1 ||
        skip "npm could not install what tests need: see $modules/npm.log"
    cp "$web/package-lock.json" "$modules/installed.json"
fi
exec 9>&-
MODULES=$(cd "$modules" && pwd)/node_modules
export MODULES
case $1 in
types)
    # TypeScript looks for packages beside the sources.
    T=$(mktemp -d)
    trap 'rm -rf "$T"' EXIT
    cp -r "$web/src" "$web/tsconfig.json" "$web/biome.json" "$web/build.mjs" "$T/"
    ln -s "$MODULES" "$T/node_modules"
    cd "$T"
    node node_modules/typescript/bin/tsc --noEmit
    node node_modules/@biomejs/biome/bin/biome check src
    ;;
*) exec node "$@" ;;
esac
