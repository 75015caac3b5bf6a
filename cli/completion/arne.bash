# Completion of arne for bash. The program itself knows its verbs, options and quantities: --help is asked.

_arne_options() {
    command arne "$1" --help 2>/dev/null | sed -n '/^Options:/,$ s/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'
}

_arne_quantities() {
    command arne compute --help 2>/dev/null | sed -n '/^Quantities/,/^$/ s/^  \([a-z-][a-z-]*\) .*/\1/p'
}

_arne_tasks() {
    command arne identify --help 2>/dev/null | sed -n '/^Tasks/,/^$/ s/^  \([a-z]*\) .*/\1/p'
}

_arne_functions() {
    command arne generate --help 2>/dev/null | sed -n '/^Functions/,/^$/ s/^  \([a-z-][a-z-]*\) .*/\1/p'
}

_arne_verbs() {
    command arne --help 2>/dev/null | sed -n '/^Verbs/,/^$/ s/^  \([a-z]*\) .*/\1/p'
}

# The choices of an option: --base fixed|prescribed|free.
_arne_choices() {
    command arne "$1" --help 2>/dev/null | ARNE_OPTION=$2 awk '
        $1 == ENVIRON["ARNE_OPTION"] && $2 ~ /^[a-z0-9-]*\|[a-z0-9|-]*$/ { gsub(/\|/, " ", $2); print $2 }'
}

_arne() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
    local choices=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_arne_verbs) --help --version" -- "$word")
        return
    fi
    case $before in
    --*) choices=$(_arne_choices "$verb" "$before") ;;
    esac
    if [ -n "$choices" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    elif [ "$verb" = generate ] && [ "$before" = --functions ]; then
        local listed=${word%"${word##*,}"} # what stands before the last comma
        mapfile -t COMPREPLY < <(compgen -P "$listed" -W "$(_arne_functions)" -- "${word##*,}")
    elif [ "$verb" = report ] && [ "${word#-}" = "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
    elif [ "$before" = --robots ] || [ "$before" = --out ] || { [ "$verb" = generate ] && [ "$before" = -o ]; }; then
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
    elif [ "${word#-}" != "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_arne_options "$verb")" -- "$word")
    elif [ "$verb" = compute ] && [ "$COMP_CWORD" -eq 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_arne_quantities)" -- "$word")
    elif [ "$verb" = identify ] && [ "$COMP_CWORD" -eq 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_arne_tasks)" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}

complete -o filenames -F _arne arne
