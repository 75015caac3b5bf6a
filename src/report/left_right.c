#include "report/left_right.h"

#include "base/plain.h"
#include <stdio.h>
#include <string.h>

// Whether the letters are a word for a side: -1 right, 1 left, 0 neither.
static int side_of_word(const char *word, size_t length)
{
    static const char *const words[2][8] = {{"r", "right", "fr", "rr", "hr", "br", "rf", "rh"},
                                            {"l", "left", "fl", "rl", "hl", "bl", "lf", "lh"}};
    char                     lower[8];
    if (length >= sizeof lower) return 0;
    for (size_t i = 0; i < length; i++)
        lower[i] = plain_lower(word[i]);
    for (int i = 0; i < 16; i++) {
        const char *known = words[i / 8][i % 8];
        if (strlen(known) == length && memcmp(known, lower, length) == 0) return i < 8 ? -1 : 1;
    }
    return 0;
}

// The first word for a side, with its length; 0 where there is none.
static int sides_find_side(const char *name, const char **at, size_t *length)
{
    for (const char *c = name; *c;) {
        const char *word = c;
        while (plain_is_letter(*c))
            c++;
        *at = word;
        *length = (size_t)(c - word);
        const int side = *length ? side_of_word(word, *length) : 0;
        if (side) return side;
        if (*c) c++;
    }
    return 0;
}

int name_side(const char *name)
{
    const char *at;
    size_t      length;
    return sides_find_side(name, &at, &length);
}

void name_without_side(const char *name, char *out, size_t size)
{
    const char *at = name;
    size_t      length = 0;
    if (!sides_find_side(name, &at, &length)) at = name, length = 0;
    if (length == 2) { // LF and RF become F, RR and RL R: front and hind stay apart
        const char second = plain_lower(at[1]), first = plain_lower(at[0]);
        const int  leads = first == 'l' || (first == 'r' && (second == 'f' || second == 'h'));
        snprintf(out, size, "%.*s%c%s", (int)(at - name), name, at[leads], at + 2);
        return;
    }
    const char *behind = at + length;
    size_t      before = (size_t)(at - name);
    // Removes the separator as well; between two separators, the second.
    if (length && *behind && (!before || name[before - 1] == *behind)) behind++;
    if (length && !*behind && before) before--;
    snprintf(out, size, "%.*s%s", (int)before, name, behind);
}

int name_mirrors(const char *a, const char *b)
{
    char x[256], y[256];
    if (!name_side(a) || name_side(a) != -name_side(b)) return 0;
    name_without_side(a, x, sizeof x);
    name_without_side(b, y, sizeof y);
    return strcmp(x, y) == 0;
}
