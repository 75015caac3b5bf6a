// Search: every word of the query must be in a part of a page; headings count more than text, and words
// of other libraries more than both.
"use strict";

(() => {
    const query = document.getElementById("query");
    const found = document.getElementById("found");
    const narrow = window.matchMedia("(max-width: 56rem)");
    if (narrow.matches) document.querySelector("nav .fold").open = false;

    const entries = window.pages.map((entry) => ({
        ...entry,
        headLower: `${entry.page} ${entry.head}`.toLowerCase(),
        textLower: entry.text.toLowerCase(),
    }));

    function score(entry, words) {
        let sum = 0;
        for (const word of words) {
            const inHead = entry.headLower.includes(word);
            if (!inHead && !entry.textLower.includes(word)) return 0;
            sum += inHead ? 10 : 1;
            if (entry.head.toLowerCase() === word) sum += 20;
        }
        const said = words.join(" ");
        const other = (entry.synonyms || []).some((name) => name === said || (said.length > 3 && name.startsWith(said)));
        return other ? sum + 100 : sum;
    }

    // A piece of the text around the first word, with the words marked; all of it as text, never as HTML.
    function excerpt(entry, words) {
        const at = Math.max(0, entry.textLower.indexOf(words[0]) - 50);
        const line = document.createElement("small");
        const piece = entry.text.slice(at, at + 160);
        let rest = piece;
        while (rest) {
            const places = words.map((w) => [rest.toLowerCase().indexOf(w), w]).filter((p) => p[0] >= 0);
            if (!places.length) break;
            const [place, word] = places.reduce((a, b) => (b[0] < a[0] ? b : a));
            const mark = document.createElement("mark");
            mark.textContent = rest.slice(place, place + word.length);
            line.append(rest.slice(0, place), mark);
            rest = rest.slice(place + word.length);
        }
        line.append(rest);
        return line;
    }

    function show() {
        const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
        found.replaceChildren();
        found.hidden = !words.length;
        if (!words.length) return;
        const hits = entries.map((entry) => [score(entry, words), entry]).filter((hit) => hit[0] > 0);
        hits.sort((a, b) => b[0] - a[0]);
        for (const [, entry] of hits.slice(0, 12)) {
            const item = document.createElement("li");
            const link = document.createElement("a");
            link.href = window.back + entry.at;
            link.append(entry.head === entry.page ? entry.page : `${entry.page}: ${entry.head}`);
            link.append(excerpt(entry, words));
            item.append(link);
            found.append(item);
        }
        if (!hits.length) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing found" }));
    }

    query.addEventListener("input", show);
    document.addEventListener("keydown", (event) => {
        if (event.key === "Escape") { query.value = ""; show(); query.blur(); }
        if (event.key === "/" && document.activeElement !== query) { event.preventDefault(); query.focus(); }
        if (event.key === "ArrowDown" && !found.hidden) {
            const links = [...found.querySelectorAll("a")];
            const next = links[links.indexOf(document.activeElement) + 1];
            if (next) { event.preventDefault(); next.focus(); }
        }
    });
})();
