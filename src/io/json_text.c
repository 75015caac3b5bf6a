// Texts and numbers as JSON has them.
#include "base/buffer.h"
#include "base/decimal.h"
#include "base/text.h"
#include "io/run_folder.h"
#include <math.h>
#include <string.h>

// The character at c, as JSON has it. Returns how many bytes of it were taken. What JSON allows and
// YAML takes for the end of a line, or not at all, is escaped: control characters of two bytes,
// separators of lines and paragraphs, and the mark of byte order.
static size_t json_character(const unsigned char *c, char out[8])
{
    unsigned code = 0;
    size_t   length = 1;
    if (*c < 0x20 || *c == 0x7f) {
        code = *c;
    } else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) {
        code = c[1];
        length = 2;
    } else if ((c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9)) ||
               (c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf)) {
        code = c[0] == 0xef ? 0xfeff : 0x2000u | (c[2] & 0x3fu);
        length = 3;
    }
    if (code)
        snprintf(out, 8, "\\u%04x", code & 0xffffu);
    else
        snprintf(out, 8, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    return length;
}

void arne_json_put(buffer *out, const char *text)
{
    char shown[8];
    put_bytes(out, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        c += json_character(c, shown);
        put_bytes(out, shown, strlen(shown));
    }
    put_bytes(out, "\"", 1);
}

void arne_json_text(FILE *out, const char *text)
{
    char shown[8];
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        c += json_character(c, shown);
        fputs(shown, out);
    }
    fputc('"', out);
}

void arne_json_number(FILE *out, double value)
{
    char text[DECIMAL_ROOM];
    if (isfinite(value)) decimal_write(value, text);
    fputs(isfinite(value) ? text : "null", out);
}
