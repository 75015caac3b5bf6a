// Names that resemble one that was typed, by Levenshtein's distance without regard to case.
#include "base/plain.h"
#include <arne/io.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 127 }; // longer texts are never near

static int edit_distance(const char *a, const char *b)
{
    const size_t rows = strlen(a), columns = strlen(b);
    int          row[NAME_MOST + 1];
    if (rows > NAME_MOST || columns > NAME_MOST) return NAME_MOST;
    for (size_t j = 0; j <= columns; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= rows; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= columns; j++) {
            const int same = plain_lower(a[i - 1]) == plain_lower(b[j - 1]);
            int       best = diagonal + !same;
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[columns];
}

// How far a candidate is from what was typed; beyond `limit` it does not resemble it. A candidate
// that begins with the text (or the other way round) is near, however long the rest.
static int unlikeness(const char *typed, const char *candidate, int limit)
{
    const size_t length = strlen(typed), other = strlen(candidate);
    const size_t shorter = length < other ? length : other, longer = length + other - shorter;
    // Each letter that one of them has more is an edit.
    const int distance =
        longer - shorter > (size_t)limit ? limit + 1 : edit_distance(typed, candidate);
    if (distance > limit && shorter >= 3 && strncmp(typed, candidate, shorter) == 0) return limit;
    return distance;
}

const char *arne_near_matches(const char *typed, arne_candidate_fn candidate, const void *context,
                              int count, char *buffer, size_t size)
{
    const int length = (int)strlen(typed);
    const int limit = length < 6 ? 2 : length / 3 + 1;
    int       found = 0;
    size_t    used = 0;
    buffer[0] = '\0';
    for (int distance = 0; distance <= limit; distance++) {
        for (int i = 0; i < count && found < 5; i++) {
            const char *name = candidate(context, i);
            if (unlikeness(typed, name, limit) != distance || distance >= length + 1) continue;
            const int wrote = snprintf(buffer + used, size - used, "%s%s",
                                       found ? ", " : " (near matches: ", name);
            if (wrote < 0 || used + (size_t)wrote + 2 > size) {
                buffer[used] = '\0';
                break;
            }
            used += (size_t)wrote;
            found++;
        }
    }
    if (found) snprintf(buffer + used, size - used, ")");
    return buffer;
}
