#!/bin/sh
# What may stand in the place of the last word of a command line of arne, one a line: complete.sh
# WORD... without "arne". Exit status 3: a file may stand there, 4: a folder. The program itself
# knows its verbs, options and quantities (--help is asked), and the robot's file on the line its
# joints and links (info is asked). The completions of bash, zsh and fish call this.

help() { command arne "$@" --help 2>/dev/null; }
verbs() { help | sed -n '/^Verbs/,/^$/ s/^  \([a-z]*\) .*/\1/p'; }
options() { help "$1" | sed -n '/^Options:/,$ s/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'; }
listed() { help "$1" | sed -n "/^$2/,/^\$/ s/^  \([a-z-][a-z-]*\) .*/\1/p"; }

# The choices of an option: --base fixed|prescribed|free.
choices() {
    help "$1" | ARNE_OPTION=$2 awk '
        $1 == ENVIRON["ARNE_OPTION"] && $2 ~ /^[a-z0-9-]*\|[a-z0-9|-]*$/ { gsub(/\|/, "\n", $2); print $2 }'
}

# Names of the robot in the first file on the line: of "joints", or of "links" and other frames.
names() {
    what=$1
    [ "$what" = joints ] || what='\(links\|frames\)'
    shift
    for word in "$@"; do
        [ -f "$word" ] || continue
        command arne info "$word" --json --quiet 2>/dev/null |
            sed -n "/^ \"$what\": \[/,/^ \]/ s/^ *{\"name\": \"\([^\"]*\)\".*/\1/p"
        return
    done
}

matching() { awk -v word="$1" -v before="$2" -v after="$3" \
    'index($0, word) == 1 { print before $0 after }'; }

verb=$1
for word in "$@"; do
    before=${last-}
    last=$word
done
if [ $# -le 1 ]; then
    { verbs; echo --help; echo --version; } | matching "$last" "" ""
    exit 0
fi
head=${last%"${last##*,}"} # what stands before the last comma
tail=${last##*,}
case $before in
--q | --qd | --qdd | --tau | --lock | --given | --joint)
    after='=' # joint=value
    case $before in --given | --joint) after= ;; esac
    names joints "$@" | matching "$tail" "$head" "$after"
    exit 0
    ;;
--frame | --link | --contact)
    names links "$@" | matching "$tail" "$head" ""
    exit 0
    ;;
--payload | --wrench | --wrench-rate)
    names links "$@" | matching "$last" "" "="
    exit 0
    ;;
--functions)
    listed generate Functions | matching "$tail" "$head" ""
    exit 0
    ;;
--robots | --out) exit 4 ;;
-o) [ "$verb" != generate ] || exit 4 ;;
--*)
    found=$(choices "$verb" "$before")
    [ -z "$found" ] || { printf '%s\n' "$found" | matching "$last" "" "" && exit 0; }
    ;;
esac
case $last in
-*)
    options "$verb" | matching "$last" "" ""
    exit 0
    ;;
esac
[ "$verb" != report ] || exit 4
if [ $# -eq 2 ]; then
    case $verb in
    compute) listed compute Quantities | matching "$last" "" "" && exit 0 ;;
    identify) listed identify Tasks | matching "$last" "" "" && exit 0 ;;
    esac
fi
exit 3
