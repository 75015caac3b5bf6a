#include "csv_states.h"

#include <arne/io.h>
#include <string.h>

void csv_text(FILE *out, int first, const char *text)
{
    if (!first) fputc(',', out);
    if (!strpbrk(text, ",\"\r\n") && text[0] != ' ') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', out);
        fputc(*c, out);
    }
    fputc('"', out);
}

void csv_number(FILE *out, int first, double value)
{
    char         text[ARNE_NUMBER_SIZE + 1] = ",";
    const size_t length = 1 + arne_print_number(value, text + 1);
    fwrite(text + first, 1, length - (size_t)first, out);
}
