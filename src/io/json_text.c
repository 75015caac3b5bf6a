// Texts and numbers as JSON has them.
#include "base/buffer.h"
#include "base/decimal.h"
#include "base/text.h"
#include "io/run_folder.h"
#include <math.h>

// Control characters of two bytes in UTF-8, which JSON allows and YAML does not.
static int is_late_control(const unsigned char *c)
{
    return c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0;
}

void arne_json_put(buffer *out, const char *text)
{
    put(out, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            put(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            put(out, "\\u%04x", *c);
        else if (is_late_control(c))
            put(out, "\\u%04x", *++c);
        else
            put_bytes(out, (const char *)c, 1);
    }
    put(out, "\"");
}

void arne_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else if (is_late_control(c))
            fprintf(out, "\\u%04x", *++c);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

void arne_json_number(FILE *out, double value)
{
    char text[DECIMAL_ROOM];
    if (isfinite(value)) decimal_write(value, text);
    fputs(isfinite(value) ? text : "null", out);
}
