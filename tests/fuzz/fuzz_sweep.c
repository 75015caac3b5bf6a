// Any bytes as what a sweep left: lines of the manifest, a shard, table.csv and summary.json, with
// zero bytes between them. Lines of the shard get the checksum that they should have. A sweep that
// is resumed there counts no row twice, and its table, its HDF5 file and its page are written or
// refused.
#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): mkdir
#include "base/module.h"
#include "scratch.h"
#include "sweep/sweep.h"
#include "sweep/sweep_hdf5.h"
#include "sweep/sweep_store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char SWEEP[] = "run: run.yaml\nparameters: {robot.bodies.lower.mass: [1, 2, 3]}\n"
                            "figures: {peak: {column: tau.elbow, reduce: max}}\n";
static const char RUN[] = "robot: arm.yaml\nduration: 0.01\nrecord: {every: 0.01}\n";

// Lines as they are, each with its checksum.
static void seal(const scratch_part *lines, buffer *out)
{
    for (size_t at = 0; at < lines->size;) {
        const uint8_t *start = lines->bytes + at, *end = memchr(start, '\n', lines->size - at);
        const size_t   length = end ? (size_t)(end - start) : lines->size - at;
        buffer         line = {0};
        put_bytes(&line, (const char *)start, length);
        shard_seal(&line);
        if (line.text) put_bytes(out, line.text, line.size);
        buffer_free(&line);
        at += length + 1;
    }
}

static void resume(arne_sweep *s, const scratch_part *manifest, const scratch_part *shard)
{
    const arne_sweep_options how = {.resume = 1};
    char                     dir[SCRATCH_PATH], path[SCRATCH_PATH];
    sweep_store              st = {.manifest = -1, .lock.handle = -1};
    arne_error               error = {0};
    buffer                   text = {0};
    snprintf(dir, sizeof dir, "%s/swept", scratch_folder());
    if (!store_name(&st, s, dir)) return;
    // First a store of its own, which writes the manifest with the key of the sweep.
    arne_status status = store_begin(&st, &how, &error);
    if (status) abort();
    store_free(&st);
    snprintf(path, sizeof path, "%.200s.incomplete/manifest", dir);
    FILE *out = fopen(path, "ab");
    if (out) {
        fwrite(manifest->bytes, 1, manifest->size, out);
        fclose(out);
    }
    seal(shard, &text);
    if (text.text) scratch_write("swept.incomplete/shards/0", text.text, text.size, path);
    buffer_free(&text);

    st = (sweep_store){.manifest = -1, .lock.handle = -1};
    if (!store_name(&st, s, dir)) return;
    status = store_begin(&st, &how, &error);
    if (status && !error.text[0]) abort();
    if (!status && (st.done < 0 || st.done > s->rows)) abort();
    snprintf(path, sizeof path, "%s/swept.csv", scratch_folder());
    if (!status) status = sweep_write_table(&st, path, &error);
    if (status && !error.text[0]) abort();
    store_remove_work(&st);
    store_free(&st);
}

// The table as HDF5, where there is a module.
static void write_hdf5(const char *csv, const char *summary)
{
    static const char         *names[] = {"robot.bodies.lower.mass", "text", "peak tau.elbow"};
    static const char         *units[] = {"kg", "", "N m"};
    static const unsigned char texts[] = {0, 1, 0};
    const module_need          need = {.name = "hdf5",
                                       .what = "HDF5",
                                       .solver = "HDF5",
                                       .package = "libhdf5-dev",
                                       .layout = sizeof(hdf5_module)};
    const module_head         *head = NULL;
    char                       path[SCRATCH_PATH];
    if (module_open(&need, &head, NULL) != ARNE_OK) return;
    const hdf5_table t = {.csv = csv,
                          .summary = summary,
                          .names = names,
                          .units = units,
                          .texts = texts,
                          .count = 3,
                          .parameters = 2,
                          .rows = 3};
    snprintf(path, sizeof path, "%s/table.h5", scratch_folder());
    ((const hdf5_module *)(const void *)head)->write(&t, path);
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static arne_sweep *sweep; // read once, and kept
    char               path[SCRATCH_PATH], csv[SCRATCH_PATH], summary[SCRATCH_PATH];
    arne_error         error = {0};
    const scratch_part manifest = scratch_next(&data, &size), shard = scratch_next(&data, &size);
    const scratch_part table = scratch_next(&data, &size), said = scratch_next(&data, &size);
    if (!scratch_write("run.yaml", RUN, sizeof RUN - 1, path)) return 0;
    if (!scratch_write("sweep.yaml", SWEEP, sizeof SWEEP - 1, path)) return 0;
    if (!sweep && arne_sweep_read(path, NULL, &sweep, &error) != ARNE_OK) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    resume(sweep, &manifest, &shard);
    snprintf(path, sizeof path, "%s/done", scratch_folder());
    mkdir(path, 0777);
    if (!scratch_write("done/table.csv", table.bytes, table.size, csv)) return 0;
    if (!scratch_write("done/summary.json", said.bytes, said.size, summary)) return 0;
    if (arne_sweep_report(path, &error) != ARNE_OK && !error.text[0]) abort();
    write_hdf5(csv, summary);
    return 0;
}
