#include "sweep/table_line.h"
#include <stddef.h>

char *table_cell(char **cursor)
{
    char *start = *cursor, *to = start, *from = start;
    int   quoted = 0;
    if (!start) return NULL;
    for (; *from && (quoted || *from != ','); from++) {
        if (*from == '"' && quoted && from[1] == '"')
            *to++ = *from++;
        else if (*from == '"')
            quoted = !quoted;
        else
            *to++ = *from;
    }
    *cursor = *from ? from + 1 : NULL;
    *to = 0;
    return start;
}
