// The module libarne_hdf5.so: a sweep's table as HDF5. A dataset for every column, with its unit
// and what it is; the file's attributes are the summary's: version, hashes of all inputs. The table
// is read in blocks, so that memory does not grow with it.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/plain.h"
#include "sweep/sweep_hdf5.h"
#include "sweep/table_line.h"
#include <arne/version.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct column {
    hid_t   set;
    double *numbers; // of a block
    char  **texts;   // instead, of texts
} column;

typedef struct writer {
    const hdf5_table *table;
    hid_t             file, text_type;
    column           *columns; // row, the table's, status
    int               count, rows;
    hsize_t           done;
} writer;

static int write_text(hid_t owner, hid_t type, const char *name, const char *text)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t a = H5Acreate2(owner, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const int   bad = a < 0 || H5Awrite(a, type, &text) < 0;
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    return bad;
}

static int is_text(const writer *w, int index)
{
    return index == w->count - 1 || (index > 0 && w->table->texts[index - 1]);
}

// A name that HDF5 can give a dataset, and no other dataset has: a slash would be a group, a point
// alone the group itself. Its attribute `name` has it as it is.
static char *dataset_name(const writer *w, const char *name)
{
    const size_t room = strlen(name) + 16;
    char        *clean = malloc(room);
    if (!clean) return NULL;
    snprintf(clean, room, "%s%s", strcmp(name, ".") == 0 || !*name ? "|" : "", name);
    for (char *s = clean; *s; s++)
        if (*s == '/') *s = '|';
    const size_t length = strlen(clean);
    for (int i = 2; i < 1000 && H5Lexists(w->file, clean, H5P_DEFAULT) > 0; i++)
        snprintf(clean + length, room - length, "|%d", i);
    return clean;
}

static int table_hdf5_make_column(writer *w, int index)
{
    const hdf5_table *t = w->table;
    column           *c = &w->columns[index];
    const int         ends = index == 0 || index == w->count - 1;
    const char       *name = index == 0 ? "row" : ends ? "status" : t->names[index - 1];
    const char       *role = index == 0               ? "row"
                             : ends                   ? "status"
                             : index <= t->parameters ? "parameter"
                                                      : "figure";
    const hsize_t     size = (hsize_t)t->rows, block = size < BLOCK ? (size ? size : 1) : BLOCK;
    const hid_t       space = H5Screate_simple(1, &size, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    char             *clean = dataset_name(w, name);
    H5Pset_chunk(how, 1, &block);
    c->set = clean
                 ? H5Dcreate2(w->file, clean, is_text(w, index) ? w->text_type : H5T_NATIVE_DOUBLE,
                              space, H5P_DEFAULT, how, H5P_DEFAULT)
                 : -1;
    int bad = c->set < 0 || write_text(c->set, w->text_type, "role", role) ||
              write_text(c->set, w->text_type, "name", name) ||
              write_text(c->set, w->text_type, "unit", ends ? "" : t->units[index - 1]);
    if (is_text(w, index))
        bad |= !(c->texts = calloc(BLOCK, sizeof *c->texts));
    else
        bad |= !(c->numbers = calloc(BLOCK, sizeof *c->numbers));
    free(clean);
    H5Pclose(how);
    H5Sclose(space);
    return bad;
}

static int flush_block(writer *w)
{
    const hsize_t count = (hsize_t)w->rows;
    int           bad = 0;
    if (!count) return 0;
    const hid_t memory = H5Screate_simple(1, &count, NULL);
    for (int i = 0; i < w->count && !bad; i++) {
        column     *c = &w->columns[i];
        const hid_t space = H5Dget_space(c->set);
        bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, &w->done, NULL, &count, NULL) < 0 ||
              (c->texts ? H5Dwrite(c->set, w->text_type, memory, space, H5P_DEFAULT, c->texts)
                        : H5Dwrite(c->set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                                   c->numbers)) < 0;
        H5Sclose(space);
        for (int k = 0; c->texts && k < w->rows; k++) {
            free(c->texts[k]);
            c->texts[k] = NULL;
        }
    }
    H5Sclose(memory);
    w->done += count;
    w->rows = 0;
    return bad;
}

static int table_hdf5_take_line(writer *w, char *line)
{
    char *cursor = line;
    line[strcspn(line, "\n")] = 0;
    for (int i = 0; i < w->count; i++) {
        const char *cell = table_cell(&cursor);
        column     *c = &w->columns[i];
        if (!cell) return 1;
        if (c->texts) {
            c->texts[w->rows] = strdup(cell);
            if (!c->texts[w->rows]) return 1;
        } else {
            c->numbers[w->rows] = *cell ? plain_number(cell, NULL) : NAN;
        }
    }
    return ++w->rows == BLOCK ? flush_block(w) : 0;
}

static int table_hdf5_write_rows(writer *w)
{
    FILE  *in = fopen(w->table->csv, "r");
    char  *line = NULL;
    size_t room = 0;
    int    bad = !in || getline(&line, &room, in) < 0; // the header
    while (!bad && getline(&line, &room, in) >= 0)
        bad = table_hdf5_take_line(w, line);
    if (!bad) bad = flush_block(w) || w->done != (hsize_t)w->table->rows;
    free(line);
    if (in) fclose(in);
    return bad;
}

// All that summary.json says, as it stands.
static int write_provenance(const writer *w)
{
    FILE *in = fopen(w->table->summary, "r");
    char *text = calloc(1, 1 << 20);
    int   bad = !in || !text;
    if (!bad) bad = fread(text, 1, (1 << 20) - 1, in) == 0 || ferror(in);
    if (!bad)
        bad = write_text(w->file, w->text_type, "arne", ARNE_VERSION_STRING) ||
              write_text(w->file, w->text_type, "provenance", text);
    if (in) fclose(in);
    free(text);
    return bad;
}

static int table_hdf5_write_table(const hdf5_table *table, const char *path)
{
    writer w = {.table = table, .count = table->count + 2};
    // A file that a full disk left open is closed again at the end of the process, which crashes.
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); // failures are for the caller
    w.columns = calloc((size_t)w.count, sizeof *w.columns);
    w.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    w.text_type = H5Tcopy(H5T_C_S1);
    H5Tset_size(w.text_type, H5T_VARIABLE);
    H5Tset_cset(w.text_type, H5T_CSET_UTF8);
    int bad = !w.columns || w.file < 0;
    for (int i = 0; w.columns && i < w.count; i++)
        w.columns[i].set = -1;
    for (int i = 0; i < w.count && !bad; i++)
        bad = table_hdf5_make_column(&w, i);
    if (!bad) bad = table_hdf5_write_rows(&w) || write_provenance(&w);
    for (int i = 0; w.columns && i < w.count; i++) {
        for (int k = 0; w.columns[i].texts && k < BLOCK; k++)
            free(w.columns[i].texts[k]);
        free(w.columns[i].texts);
        free(w.columns[i].numbers);
        if (w.columns[i].set >= 0) H5Dclose(w.columns[i].set);
    }
    free(w.columns);
    H5Tclose(w.text_type);
    if (w.file >= 0 && H5Fclose(w.file) < 0) bad = 1;
    if (bad) remove(path);
    return bad;
}

extern const hdf5_module                                 arne_hdf5_module;
__attribute__((visibility("default"))) const hdf5_module arne_hdf5_module = {
    .head = {ARNE_VERSION_STRING, sizeof(hdf5_module)}, .write = table_hdf5_write_table};
