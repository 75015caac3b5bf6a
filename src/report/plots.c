#include "report/plots.h"

#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

plot *plots_add(plot_list *list, plot_part part, const run *r)
{
    plot_entry *item = realloc(list->item, ((size_t)list->count + 1) * sizeof *item);
    if (!item) {
        arne_fail_memory(r->reader.error);
        return NULL;
    }
    list->item = item;
    item[list->count] = (plot_entry){.part = part};
    return &item[list->count++].plot;
}

void *plots_take(plot_list *list, size_t size, const run *r)
{
    void **owned = realloc(list->owned, ((size_t)list->owned_count + 1) * sizeof *owned);
    void  *memory = owned ? malloc(size + 1) : NULL;
    if (owned) list->owned = owned;
    if (memory)
        owned[list->owned_count++] = memory;
    else
        arne_fail_memory(r->reader.error);
    return memory;
}

void raise_powers(char *label)
{
    for (char *at = strchr(label, '^'); at; at = strchr(at + 1, '^'))
        if ((at[1] == '2' || at[1] == '3') && !(at[2] >= '0' && at[2] <= '9')) {
            at[1] = (char)(at[1] == '2' ? 0xb2 : 0xb3);
            at[0] = (char)0xc2;
        }
}

samples column_samples(const arne_table *t, int column)
{
    if (!arne_table_rows(t)) return (samples){0};
    return (samples){arne_table_row(t, 0) + column, (size_t)arne_table_columns(t)};
}

int column_moves(const arne_table *t, int column, double largest)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < arne_table_rows(t); i++) {
        const double value = arne_table_row(t, i)[column];
        low = fmin(low, value);
        high = fmax(high, value);
    }
    return largest > 1e-10 && high - low > 1e-7 * largest;
}

arne_status plots_add_constant(plot_list *list, const run *r, int column)
{
    const arne_table *t = run_result(r);
    constant_column  *all =
        realloc(list->constant, ((size_t)list->constant_count + 1) * sizeof *all);
    if (!all) return arne_fail_memory(r->reader.error);
    list->constant = all;
    all[list->constant_count++] =
        (constant_column){arne_table_name(t, column), arne_table_unit(t, column),
                          arne_table_rows(t) ? arne_table_row(t, 0)[column] : NAN};
    return ARNE_OK;
}

arne_status plot_add_line(const run *r, plot *p, const arne_table *t, int column, const char *name)
{
    plot_line *l = &p->line[p->line_count];
    *l = (plot_line){
        .name = name, .y = column_samples(t, column), .colour = p->line_count % PLOT_COLOURS};
    p->line_count++;
    return run_limits(r, arne_table_name(t, column), &l->has_limits, &l->low, &l->high);
}

arne_status plots_make(run *r, plot_list *out)
{
    *out = (plot_list){0};
    arne_status status = plots_asked(r, out);
    if (!status) status = plots_columns(r, out);
    if (!status) status = plots_wrenches(r, out);
    return status;
}

void plots_free(plot_list *list)
{
    for (int i = 0; i < list->owned_count; i++)
        free(list->owned[i]);
    free(list->owned);
    free(list->item);
    free(list->constant);
    *list = (plot_list){0};
}
