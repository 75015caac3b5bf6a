#include "print_json.h"

#include <arne/io.h>
#include <math.h>

json json_begin(FILE *out) { return (json){.out = out}; }

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

static void item(json *j, const char *key)
{
    if (j->begun) fputs(", ", j->out);
    j->begun = 1;
    if (!key) return;
    put_text(j->out, key);
    fputs(": ", j->out);
}

void json_open(json *j, const char *key, char bracket)
{
    item(j, key);
    fputc(bracket, j->out);
    j->begun = 0;
}

void json_close(json *j, char bracket)
{
    fputc(bracket, j->out);
    j->begun = 1;
}

void json_number(json *j, const char *key, double value)
{
    item(j, key);
    char text[ARNE_NUMBER_SIZE];
    if (isfinite(value)) arne_print_number(value, text);
    fputs(isfinite(value) ? text : "null", j->out);
}

void json_integer(json *j, const char *key, long value)
{
    item(j, key);
    fprintf(j->out, "%ld", value);
}

void json_boolean(json *j, const char *key, int value)
{
    item(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_text(json *j, const char *key, const char *text)
{
    item(j, key);
    if (text)
        put_text(j->out, text);
    else
        fputs("null", j->out);
}

void json_numbers(json *j, const char *key, const double *value, int count)
{
    json_open(j, key, '[');
    for (int i = 0; i < count; i++)
        json_number(j, NULL, value[i]);
    json_close(j, ']');
}

void json_line(json *j, int indent)
{
    fprintf(j->out, j->begun ? ",\n%*s" : "\n%*s", indent, "");
    j->begun = 0;
}
