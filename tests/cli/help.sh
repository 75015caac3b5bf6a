#!/bin/sh
# --help, the manual pages and the completion tell the same.
. "$(dirname "$0")/checks.inc"

manual=${MANUALS:-$HERE/../../docs/man} # as the build completes them

arne --version
exits 0
grep -qx 'arne [0-9]*\.[0-9]*\.[0-9]*' "$T/out" || fail "no version"
arne --help
exits 0
verbs=$(sed -n '/^Verbs/,/^$/ s/^  \([a-z]*\) .*/\1/p' "$T/out")
[ -n "$verbs" ] || fail "no verbs"

for verb in $verbs; do
    arne help "$verb"
    exits 0
    cp "$T/out" "$T/asked"
    arne "$verb" --help
    exits 0
    cmp -s "$T/asked" "$T/out" || fail "arne help $verb is another text"
    silent
    prints "Usage: arne $verb"
    prints "Exit status"
    sed -n '/^Options:/,$p' "$T/out" | grep -q '.\{101\}' && fail "a line of the help is too long"
    [ -f "$manual/arne-$verb.1" ] || fail "no manual page"
    grep -q "arne-$verb (1)" "$manual/arne.1" || fail "arne.1 does not name it"
    options=$(sed -n '/^Options:/,$ s/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$T/out")
    [ -n "$options" ] || fail "no options"
    for option in $options; do
        grep -q -- "$option\\>" "$manual/arne-$verb.1" || fail "arne-$verb.1 has no $option"
    done
    for option in $(grep '^\.B' "$manual/arne-$verb.1" | grep -o -- ' --[a-z-]*'); do
        grep -q -- "$option\\>" "$T/out" || fail "--help has no $option"
    done
done

arne compute --help
for quantity in $(sed -n '/^Quantities/,/^$/ s/^  \([a-z-][a-z-]*\) .*/\1/p' "$T/out"); do
    grep -qx "\.B $quantity" "$manual/arne-compute.1" || fail "arne-compute.1 has no $quantity"
done

# The words of completions in all shells: names of joints, behind a comma too.
found=$(PATH=$(dirname "$ARNE"):$PATH sh "$HERE/../../cli/completion/complete.sh" view \
    "$HERE/../../robots/arm6.yaml" --q joint1=2,joint2 | tr '\n' ' ')
last="completion of arne view arm6.yaml --q joint1=2,joint2"
[ "$found" = "joint1=2,joint2= " ] || fail "found '$found'"
# fish and zsh, where they are.
if command -v fish >/dev/null; then
    last="completion in fish"
    found=$(PATH=$(dirname "$ARNE"):$PATH ARNE_COMPLETE=$HERE/../../cli/completion/complete.sh \
        HOME=$PWD fish --no-config -c \
        "source $HERE/../../cli/completion/arne.fish; complete -C 'arne compute inverse-k'")
    [ "$found" = inverse-kinematics ] || fail "found '$found'"
fi
if command -v zsh >/dev/null; then
    last="the completion of zsh is read"
    zsh -f -n "$HERE/../../cli/completion/_arne" || fail "zsh cannot read it"
fi
# The completion is for bash, where there is one.
if command -v bash >/dev/null; then
    last="completion of arne compute inv"
    found=$(PATH=$(dirname "$ARNE"):$PATH bash \
        -c '. "$1"; COMP_WORDS=(arne compute inv); COMP_CWORD=2; _arne; echo "${COMPREPLY[@]}"' \
        completion "$HERE/../../cli/completion/arne.bash")
    [ "$found" = "inverse-dynamics inverse-mass-matrix inverse-kinematics inverse-dynamics-derivatives" ] || fail "found '$found'"
    last="completion of arne compute hybrid-dynamics x --gi"
    found=$(PATH=$(dirname "$ARNE"):$PATH bash -c \
        '. "$1"; COMP_WORDS=(arne compute hybrid-dynamics x --gi); COMP_CWORD=4; _arne; echo "${COMPREPLY[@]}"' \
        completion "$HERE/../../cli/completion/arne.bash")
    [ "$found" = "--given" ] || fail "found '$found'"
    last="completion of arne compute b"
    found=$(PATH=$(dirname "$ARNE"):$PATH bash \
        -c '. "$1"; COMP_WORDS=(arne compute b); COMP_CWORD=2; _arne; echo "${COMPREPLY[@]}"' \
        completion "$HERE/../../cli/completion/arne.bash")
    [ "$found" = "bias base-acceleration base-parameters" ] || fail "found '$found'"
    last="completion of arne compute ... --wrench-fixed-in"
    found=$(PATH=$(dirname "$ARNE"):$PATH bash -c \
        '. "$1"; COMP_WORDS=(arne compute jerk x --wrench-fixed-in ""); COMP_CWORD=5; _arne; echo "${COMPREPLY[@]}"' \
        completion "$HERE/../../cli/completion/arne.bash")
    [ "$found" = "link world" ] || fail "found '$found'"
    last="completion of arne compute jacobian arm6.yaml --frame link"
    found=$(PATH=$(dirname "$ARNE"):$PATH bash -c \
        '. "$1"; COMP_WORDS=(arne compute jacobian "$2" --frame link); COMP_CWORD=5; _arne; echo "${COMPREPLY[@]}"' \
        completion "$HERE/../../cli/completion/arne.bash" "$HERE/../../robots/arm6.yaml")
    [ "$found" = "link1 link2 link3 link4 link5 link6" ] || fail "found '$found'"
    # complete WORD...: what may stand in the place of the last one.
    complete() {
        last="completion of $*"
        found=$(PATH=$(dirname "$ARNE"):$PATH bash -c \
            '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _arne; echo "${COMPREPLY[@]}"' \
            completion "$HERE/../../cli/completion/arne.bash" "$@")
    }
    complete arne sweep x.yaml --isa ""
    [ "$found" = "baseline x86-64-v3 x86-64-v4" ] || fail "found '$found'"
    complete arne generate x.yaml --functions gravity,inverse-d
    [ "$found" = "gravity,inverse-dynamics gravity,inverse-dynamics-derivatives" ] ||
        fail "found '$found'"
    complete arne identify ""
    [ "$found" = "design fit payload" ] || fail "found '$found'"
    complete arne ""
    for verb in $verbs; do case " $found " in *" $verb "*) ;; *) fail "no verb $verb" ;; esac; done
    for verb in view sweep identify simulate; do
        complete arne "$verb" x --
        arne "$verb" --help
        for option in $(sed -n '/^Options:/,$ s/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$T/out"); \
            do
            case " $found " in *" $option "*) ;; *) fail "completion of $verb has no $option" ;; \
                esac
        done
    done
fi

finish
