#include "print_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

table table_begin(const char *align)
{
    return (table){.align = align, .columns = (int)strlen(align)};
}

void table_cell(table *t, const char *format, ...)
{
    char    text[512], clean[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    t->cell = need_more(t->cell, (size_t)t->count + 1, sizeof *t->cell);
    shown(text, clean, sizeof clean);
    t->cell[t->count++] = need_copy(clean, strlen(clean));
}

// Characters, not bytes: the continuation bytes of UTF-8 take no room.
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

// Blanks are owed until something comes after them, so that no line ends with them.
static void print_cell(const char *text, int width, int left, int *owed, FILE *out)
{
    const int blanks = width - width_of(text);
    if (!left) *owed += blanks;
    if (*text) {
        fprintf(out, "%*s%s", *owed, "", text);
        *owed = 0;
    }
    if (left) *owed += blanks;
}

void table_print(const table *t, int indent, FILE *out)
{
    int width[TABLE_COLUMNS] = {0}, owed = 0;
    for (int i = t->columns; i < t->count; i++) {
        const int w = width_of(t->cell[i]);
        if (w > width[i % t->columns]) width[i % t->columns] = w;
    }
    for (int c = 0; c < t->columns; c++) {
        if (width[c] == 0) continue;
        if (width_of(t->cell[c]) > width[c]) width[c] = width_of(t->cell[c]);
    }
    for (int i = 0; i < t->count; i++) {
        const int c = i % t->columns;
        if (c == 0) owed = indent;
        if (width[c]) {
            print_cell(t->cell[i], width[c], t->align[c] == 'l', &owed, out);
            owed += 2;
        }
        if (c == t->columns - 1) fputc('\n', out);
    }
}

void table_free(table *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->cell[i]);
    free(t->cell);
    *t = (table){0};
}
