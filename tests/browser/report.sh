#!/bin/sh
# Reports in a real browser: report.sh MAKE_RUN. Loads each in headless Chromium, moves the slider, and looks: the
# drawing must change, nothing may be logged as an error, no name may have become markup or script, and nothing may
# be asked from a network. Exit status 77 (a test that is skipped) without chromium and chromedriver.
set -eu
make_run=$1
for tool in chromium chromedriver curl; do
    command -v $tool >/dev/null || {
        echo "skipped: $tool was not found (packages chromium, chromium-driver, curl)"
        exit 77
    }
done

T=$(mktemp -d)
driver=
session=
stop() {
    [ -z "$session" ] || curl -s -X DELETE "$session" >/dev/null || true
    [ -z "$driver" ] || kill "$driver" 2>/dev/null || true
    rm -rf "$T"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

# --- the browser, by the WebDriver protocol --------------------------------------------------------

export HOME="$T" # Chromium writes there
chromedriver --port=0 >"$T/driver.log" 2>&1 &
driver=$!
port=
for _ in $(seq 150); do
    port=$(sed -n 's/.*started successfully on port \([0-9]\{1,\}\)\.*$/\1/p' "$T/driver.log" | tail -n 1)
    [ -z "$port" ] || break
    sleep 0.2
done
[ -n "$port" ] || fail "chromedriver did not start: $(cat "$T/driver.log")"

# post PATH JSON: the answer, in $T/answer.
post() {
    curl -s -m 120 -H 'Content-Type: application/json' -d "$2" "$1" >"$T/answer" || fail "no answer from $1"
}

post "http://127.0.0.1:$port/session" '{"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args":
    ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000"]},
    "goog:loggingPrefs": {"browser": "ALL"}}}}'
id=$(sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p' "$T/answer")
[ -n "$id" ] || fail "no session: $(cat "$T/answer")"
session=http://127.0.0.1:$port/session/$id

# ask SCRIPT: what a script in the page returns; it must be without double quotes.
ask() {
    post "$session/execute/sync" "{\"script\": \"$(printf %s "$1" | tr '\n' ' ')\", \"args\": []}"
    ! grep -q '^{"value":{"error"' "$T/answer" || fail "$page: $1: $(head -c 300 "$T/answer")"
    sed -n 's/^{"value":"\{0,1\}\(.*[^"]\)"\{0,1\}}$/\1/p' "$T/answer"
}

# expect WHAT VALUE SCRIPT
expect() {
    found=$(ask "$3")
    [ "$found" = "$2" ] || fail "$page: $1: found '$found', not '$2' ($(cut -c 1-300 "$T/answer"))"
}

open_page() {
    page=$1
    post "$session/url" "{\"url\": \"file://$page\"}"
}

no_errors() {
    post "$session/se/log" '{"type": "browser"}'
    grep -q '^{"value":\[\]}' "$T/answer" || fail "$page logs: $(cat "$T/answer")"
}

picture() {
    curl -s "$session/screenshot" | sed 's/.*"value":"\([^"]*\)".*/\1/' | base64 -d >"$1"
}

# --- what every page must do -----------------------------------------------------------------------

check_page() {
    open_page "$1/report.html"
    no_errors
    expect "the figure is drawn" true "return document.querySelectorAll('#stage .s').length > 0"
    expect "plots are drawn" true "return document.querySelectorAll('svg[data-scales] > .l').length > 3"
    before=$(ask "return document.querySelector('#stage').innerHTML")
    ask "const s = document.querySelector('#time'); s.value = 500; s.dispatchEvent(new Event('input')); return 1" >/dev/null
    after=$(ask "return document.querySelector('#stage').innerHTML")
    [ -n "$before" ] && [ "$before" != "$after" ] || fail "$page: the slider does not move the figure"
    expect "the clock follows" true "return parseFloat(document.querySelector('#clock').textContent) > 0"
    expect "the plots follow" true "return document.querySelector('.now').getAttribute('d').length > 5"

    # Turned by the mouse, in the middle of the stage.
    ask "document.querySelector('#stage').scrollIntoView(); return 1" >/dev/null
    post "$session/actions" '{"actions": [{"type": "pointer", "id": "mouse", "actions": [
        {"type": "pointerMove", "x": 300, "y": 200}, {"type": "pointerDown", "button": 0},
        {"type": "pointerMove", "x": 380, "y": 230, "duration": 50}, {"type": "pointerUp", "button": 0}]}]}'
    turned=$(ask "return document.querySelector('#stage').innerHTML")
    [ "$turned" != "$after" ] || fail "$page: the figure is not turned by the mouse"

    # Played until its end, and hovered over.
    ask "document.querySelector('#speed').value = '4'; document.querySelector('#play').click(); return 1" >/dev/null
    sleep 0.4
    played=$(ask "return document.querySelector('#stage').innerHTML")
    [ "$played" != "$turned" ] || fail "$page: it does not play"
    ask "const p = document.querySelector('svg[data-scales]'); p.scrollIntoView(); const b = p.getBoundingClientRect();
         p.dispatchEvent(new PointerEvent('pointermove', {clientX: b.left + b.width / 2, clientY: b.top + b.height / 2}));
         return 1" >/dev/null
    expect "values are shown" true "const t = document.querySelector('#tip'); return !t.hidden && /[0-9]/.test(t.textContent)"
    expect "no name is a script" undefined "return typeof window.hacked"
    expect "the page has its own scripts only" 2 "return document.scripts.length"
    expect "nothing is loaded" 0 "return performance.getEntriesByType('resource').length"
    no_errors
}

for robot in stanford humanoid planar_2r; do
    mkdir "$T/$robot"
    "$make_run" "$ROBOTS/$robot.yaml" "$T/$robot" 2000 4
    "$ARNE" report "$T/$robot" >/dev/null
    check_page "$T/$robot"
    [ -z "${PICTURES:-}" ] || picture "$PICTURES/$robot.png"
done

mkdir "$T/hostile"
"$make_run" hostile "$T/hostile" 300 2
"$ARNE" report "$T/hostile" >/dev/null
check_page "$T/hostile"
expect "the title is text" true \
    "return document.querySelector('h1').textContent === '</h1><script>window.hacked=6</scr' + 'ipt>'"
expect "a joint's name is text" true \
    "return document.querySelector('.joints tbody th').textContent === '</scr' + 'ipt><img src=x onerror=window.hacked=4>'"
expect "a link's name is text" true \
    "return document.querySelector('.joints tbody').textContent.includes('<script>window.hacked=2</scr' + 'ipt>')"
expect "there are no images" 0 "return document.images.length"
[ -z "${PICTURES:-}" ] || picture "$PICTURES/hostile.png"
echo "reports of stanford, humanoid, planar_2r and one with hostile names work in the browser"
