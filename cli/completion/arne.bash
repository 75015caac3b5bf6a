# Completion of arne for bash; complete.sh knows the words.

_arne_words() {
    local script
    for script in "${ARNE_COMPLETE:-}" "${BASH_SOURCE[0]%/*}/complete.sh" "$(dirname "$(command -v arne)")/../share/arne/complete.sh"; do
        [ -f "$script" ] && sh "$script" "$@" && return
        [ -f "$script" ] && return $?
    done
    return 3
}

_arne() {
    local word=${COMP_WORDS[COMP_CWORD]} status
    COMPREPLY=()
    # What readline splits at = belongs to one word.
    mapfile -t COMPREPLY < <(_arne_words "${COMP_WORDS[@]:1:COMP_CWORD}"; echo "$?")
    status=${COMPREPLY[-1]}
    unset 'COMPREPLY[-1]'
    case $status in
    3) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    4) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    0) case ${COMPREPLY[*]} in *=) compopt -o nospace 2>/dev/null ;; esac ;;
    esac
}

complete -o filenames -F _arne arne
