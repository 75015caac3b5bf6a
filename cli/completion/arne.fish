# Completion of arne for fish; complete.sh knows the words.
function __arne_words
    set -l script $ARNE_COMPLETE
    test -n "$script"; or set script (path dirname (path dirname (path resolve (command -s arne))))/share/arne/complete.sh
    set -l words (commandline --cut-at-cursor --tokenize)
    set -l now (commandline --cut-at-cursor --current-token)
    set -l found (sh $script $words[2..] "$now")
    switch $status
        case 3
            __fish_complete_path "$now"
        case 4
            __fish_complete_directories "$now"
        case '*'
            printf '%s\n' $found
    end
end

complete --command arne --no-files --arguments '(__arne_words)'
