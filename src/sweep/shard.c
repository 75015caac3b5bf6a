#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "sweep/shard.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUM = 9 }; // a comma and eight digits

// CRC-32 (ISO 3309), four bits at a time.
uint32_t shard_sum(const char *bytes, size_t size)
{
    static const uint32_t table[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                       0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                       0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                       0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t              sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        sum ^= (unsigned char)bytes[i];
        sum = table[sum & 15] ^ sum >> 4;
        sum = table[sum & 15] ^ sum >> 4;
    }
    return ~sum;
}

void shard_seal(buffer *line)
{
    put(line, ",%08x\n", (unsigned)shard_sum(line->text ? line->text : "", line->size));
}

int shard_check(const char *line, size_t size, long *row, size_t *end)
{
    char sum[SUM], *stop;
    if (size <= SUM || line[size - SUM] != ',') return 0;
    snprintf(sum, sizeof sum, "%08x", (unsigned)shard_sum(line, size - SUM));
    if (memcmp(sum, line + size - SUM + 1, SUM - 1) != 0) return 0;
    *end = size - SUM;
    *row = strtol(line, &stop, 10);
    return stop != line && *stop == ',' && *row >= 0;
}

int shard_is_ok(const char *line, size_t end)
{
    return end >= 3 && memcmp(line + end - 3, ",ok", 3) == 0;
}

long shard_read_line(FILE *file, buffer *line, int *whole)
{
    int c;
    line->size = 0;
    *whole = 0;
    while ((c = getc_unlocked(file)) != EOF && c != '\n') {
        const char byte = (char)c;
        if (line->size + 1 < line->room)
            line->text[line->size++] = byte;
        else
            put_bytes(line, &byte, 1);
    }
    *whole = c == '\n';
    if (c == EOF && line->size == 0) return -1;
    if (line->text) line->text[line->size] = 0;
    return (long)line->size;
}

static int shard_add_row(extent *e, long row, long at, long bytes, int ok, shard_found found,
                         void *context)
{
    if (e->count && row - e->start == e->count) { // the sum could overflow
        e->count++;
        e->bytes += bytes;
        e->failed += !ok;
        return 0;
    }
    const int over = e->count ? found(context, e) : 0;
    *e = (extent){.start = row, .count = 1, .failed = !ok, .offset = at, .bytes = bytes};
    return over;
}

int shard_scan_file(const char *path, long from, shard_found found, void *context, shard_scan *out)
{
    FILE  *file = fopen(path, "rb");
    buffer line = {0};
    extent e = {0};
    long   at = from, size;
    int    whole, over = 0;
    *out = (shard_scan){.end = from};
    if (!file) return -1;
    if (fseek(file, from, SEEK_SET) != 0) over = 1;
    while (!over && (size = shard_read_line(file, &line, &whole)) >= 0) {
        long      row;
        size_t    end;
        const int good = whole && line.text && shard_check(line.text, (size_t)size, &row, &end);
        if (good) {
            over =
                shard_add_row(&e, row, at, size + 1, shard_is_ok(line.text, end), found, context);
            out->end = at + size + 1;
        } else {
            out->torn |= !whole;
            out->damaged += whole;
            if (e.count) over = found(context, &e);
            e.count = 0;
        }
        at += size + whole;
    }
    if (!over && e.count) over = found(context, &e);
    const int bad = ferror(file) || line.failed;
    fclose(file);
    buffer_free(&line);
    if (bad) errno = EIO;
    return bad ? -1 : over;
}
