#!/bin/sh
# Runs the recipes of docs/install.md as they stand there, each in a copy of the system that is
# thrown away.
#
# install.sh ARCHIVE [HEADING...] ARCHIVE: what `make dist` made; headings: those of the recipes,
# all unless told
#
# Needs root and overlay mounts. Each recipe starts in the unpacked archive, with a home of its own;
# what its last command prints must be the `text` block after it. Packages are also looked at by
# lintian, and their own tests (debian/tests) run on the system they are installed in.
set -eu
archive=$(realpath "$1")
shift
here=$(cd "$(dirname "$0")" && pwd)
page=$here/../../docs/install.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
    echo "install.sh: skipped, it needs root and mounts of its own" >&2
    exit 77
fi

# block HEADING LANGUAGE: the first such block below a heading.
block() {
    awk -v heading="## $1" -v fence="\`\`\`$2" '
        /^## / { here = $0 == heading }
        here && $0 == fence { on = 1; next }
        on && /^```/ { exit }
        on' "$page"
}
program() { awk '$0 == "```c" { on = 1; next } on && /^```/ { exit } on' "$page"; }

# Inside: the system under an overlay. Files go to $work/upper, which is not the system's.
cat >"$work/inside" <<'S'
set -eu
work=$1 archive=$2
mount -t tmpfs tmpfs "$work/upper"
mkdir "$work/upper/files" "$work/upper/work" "$work/upper/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/upper/files,workdir=$work/upper/work" "$work/upper/root"
mount -t proc proc "$work/upper/root/proc"
mount --rbind /dev "$work/upper/root/dev"
if [ -n "${CCACHE_DIR:-}" ]; then # what one recipe compiled the next one need not
    mkdir -p "$CCACHE_DIR" "$work/upper/root$CCACHE_DIR"
    mount --bind "$CCACHE_DIR" "$work/upper/root$CCACHE_DIR"
fi
mkdir -p "$work/upper/root/stranger/project"
tar -xzf "$archive" -C "$work/upper/root/stranger"
mv "$work/upper/root/stranger"/arne-* "$work/upper/root/stranger/arne"
cp "$work/hold.c" "$work/upper/root/stranger/arne/"
cp "$work/hold.c" "$work/CMakeLists.txt" "$work/upper/root/stranger/project/"
cp "$work/recipe" "$work/upper/root/stranger/"
chroot "$work/upper/root" env HOME=/stranger PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin sh -c 'cd /stranger/arne && . ../recipe' >"$work/printed" 2>"$work/said"
if [ "$3" = "Debian packages" ]; then
    cp "$work/packages" "$work/upper/root/stranger/"
    chroot "$work/upper/root" env HOME=/stranger PATH=/usr/sbin:/usr/bin:/sbin:/bin sh /stranger/packages >>"$work/said" 2>&1
fi
S
cat >"$work/packages" <<'S'
set -eu
cd /stranger/arne
lintian --allow-root --fail-on error ../*.changes
for test in $(sed -n 's/^Tests: //p' debian/tests/control); do
    AUTOPKGTEST_TMP=$(mktemp -d)
    export AUTOPKGTEST_TMP
    echo "debian/tests/$test"
    sh "debian/tests/$test"
done
S

program >"$work/hold.c"
block "A C program with CMake" cmake >"$work/CMakeLists.txt"
grep -q find_package "$work/CMakeLists.txt" && grep -q arne_gravity "$work/hold.c"
mkdir "$work/upper"
if [ $# -eq 0 ]; then
    grep '^## ' "$page" | sed 's/^## //' >"$work/headings"
else
    for heading; do echo "$heading"; done >"$work/headings"
fi
bad=0
while read -r heading; do
    block "$heading" sh >"$work/lines"
    block "$heading" text >"$work/expected"
    [ -s "$work/lines" ] && [ -s "$work/expected" ] || { echo "no recipe '$heading'" >&2; exit 1; }
    { echo "set -eu"; cat "$work/lines"; } >"$work/recipe"
    began=$(date +%s)
    if unshare -m sh "$work/inside" "$work" "$archive" "$heading" </dev/null &&
        tail -n "$(wc -l <"$work/expected")" "$work/printed" | cmp -s - "$work/expected"; then
        echo "ok: $heading ($(($(date +%s) - began)) s)"
    else
        echo "FAIL: $heading" >&2
        tail -n 20 "$work/printed" "$work/said" >&2
        bad=1
    fi
done <"$work/headings"
exit $bad
