// Shards: what a process has computed, a line a row, each with a checksum at its end. A line is
// there whole or it does not count.
#ifndef ARNE_SWEEP_SHARD_H
#define ARNE_SWEEP_SHARD_H

#include "base/buffer.h"
#include <stdint.h>
#include <stdio.h>

uint32_t shard_sum(const char *bytes, size_t size); // CRC-32

// The line with its checksum and its end.
void shard_seal(buffer *line);

// Whether a line (without its end) is as it was written; its row and where its checksum begins.
int shard_check(const char *line, size_t size, long *row, size_t *end);
// Whether it says that the run was fine.
int shard_is_ok(const char *line, size_t end);

// Rows start ... start + count - 1, one behind the other in a shard from this place on.
typedef struct extent {
    long start, count, failed;
    long offset, bytes;
    int  shard; // number of its file
} extent;

// What was found in a shard.
typedef struct shard_scan {
    int  torn;    // the last line is not whole
    long damaged; // lines whose checksum is wrong
    long end;     // bytes up to the last good line
} shard_scan;

// Calls `found` for every run of consecutive rows that are whole. Nonzero from it ends the scan. 0,
// or -1 with errno.
typedef int (*shard_found)(void *context, const extent *e);
int shard_scan_file(const char *path, long from, shard_found found, void *context, shard_scan *out);

// Reads a line of any length; its size without the end, -1 at the end of the file. *whole: it has
// an end.
long shard_read_line(FILE *file, buffer *line, int *whole);

#endif
