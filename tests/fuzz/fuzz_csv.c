// Any bytes at all: the CSV reader must return and leak nothing, and what it accepts it can write.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier): fmemopen
#include "io/table.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arne_table *table = NULL;
    arne_error  error;
    if (!size) return 0;
    FILE *stream = fmemopen((void *)(uintptr_t)data, size, "rb");
    if (!stream) return 0;
    if (arne_csv_read(stream, "fuzz.csv", NULL, NULL, &table, &error) == ARNE_OK)
        for (int r = 0; r < arne_table_rows(table); r++)
            for (int c = 0; c < arne_table_columns(table); c++)
                if (!isfinite(arne_table_row(table, r)[c])) abort();
    arne_table_free(table);
    fclose(stream);
    return 0;
}
