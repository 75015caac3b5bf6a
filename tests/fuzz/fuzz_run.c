// Any bytes as the folder of a run: summary.json, and behind a zero byte result.csv. Its report is
// written or refused, its list stays readable, and what the folder holds besides stays as it is.
#include "io/run_list.h"
#include "scratch.h"
#include <arne/report.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mine(const char *path)
{
    char  text[8] = "";
    FILE *in = fopen(path, "rb");
    if (!in || fread(text, 1, 4, in) != 4 || strcmp(text, "mine") != 0) abort();
    fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char TABLE[] = "time [s],q.shoulder [rad]\n0,0\n1,1\n";
    char              path[SCRATCH_PATH], mine[SCRATCH_PATH];
    const uint8_t    *end = size ? memchr(data, 0, size) : NULL;
    const size_t      first = end ? (size_t)(end - data) : size;
    const char       *dir = scratch_folder();
    arne_error        error = {0};
    run_list          list;
    if (!scratch_write("summary.json", data, first, path)) return 0;
    if (end && !scratch_write("result.csv", end + 1, size - first - 1, path)) return 0;
    if (!end && !scratch_write("result.csv", TABLE, sizeof TABLE - 1, path)) return 0;
    if (!scratch_write("notes.txt", "mine", 4, mine)) return 0;
    // A file that is on no list, so the folder is no run's alone.
    if (run_list_check(dir, NULL, &error) == ARNE_OK) {
        if (run_list_load(&list, dir, &error) == ARNE_OK) {
            const folder_item item = {FOLDER_FILE, "notes.txt", "notes.txt", -1};
            if (!run_list_has(&list, &item)) abort();
            run_list_free(&list);
        }
    }
    const arne_status status = arne_report_write(dir, NULL, &error);
    if (status != ARNE_OK && !error.text[0]) abort();
    check_mine(mine);
    return 0;
}
