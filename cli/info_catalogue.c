// arne info --catalogue: what Arne computes, as a table for people or as JSON for programs. What
// the program makes of functions that the library's catalogue has not has no identifier.
#include "info.h"
#include "print_json.h"
#include "print_table.h"
#include "quantities.h"

#include <arne/catalogue.h>
#include <string.h>

// --- JSON ----------------------------------------------------------------------------------------

static void put_inputs(json *j, const char *key, unsigned set)
{
    json_open(j, key, '[');
    for (int i = 0; i < ARNE_ARRAY_COUNT && set >> i; i++)
        if (set >> i & 1) json_text(j, NULL, arne_catalogue_array((arne_array)i)->name);
    json_close(j, ']');
}

static void put_words(json *j, const char *key, unsigned set, const char *(*word)(int bit))
{
    json_open(j, key, '[');
    for (int i = 0; word(i); i++)
        if (set >> i & 1) json_text(j, NULL, word(i));
    json_close(j, ']');
}

static void put_extents(json *j)
{
    json_open(j, "extents", '[');
    for (int i = 0; i < ARNE_EXTENT_COUNT; i++) {
        json_line(j, 2);
        json_open(j, NULL, '{');
        json_text(j, "name", arne_catalogue_extent((arne_extent)i));
        json_text(j, "text", arne_catalogue_extent_text((arne_extent)i));
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_arrays(json *j)
{
    json_open(j, "arrays", '[');
    for (int i = 0; i < ARNE_ARRAY_COUNT; i++) {
        const arne_array_info *q = arne_catalogue_array((arne_array)i);
        json_line(j, 2);
        json_open(j, NULL, '{');
        json_text(j, "name", q->name);
        json_open(j, "shape", '[');
        for (int k = 0; k < ARNE_SHAPE && q->shape[k] != ARNE_EXTENT_1; k++)
            json_text(j, NULL, arne_catalogue_extent(q->shape[k]));
        json_close(j, ']');
        json_text(j, "unit", q->unit);
        json_text(j, "text", q->text);
        json_boolean(j, "input", q->is_input);
        json_boolean(j, "output", q->is_output);
        json_boolean(j, "batch", q->is_batched);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_algorithm(json *j, const arne_algorithm_info *a)
{
    json_open(j, NULL, '{');
    json_text(j, "identifier", a->identifier);
    json_text(j, "name", a->name);
    json_text(j, "text", a->text);
    put_inputs(j, "needs", a->needs);
    put_inputs(j, "may", a->may);
    json_open(j, "outputs", '[');
    for (int i = 0; i < a->output_count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", arne_catalogue_array(a->outputs[i].array)->name);
        put_inputs(j, "needs", a->outputs[i].needs);
        json_boolean(j, "on_request", a->outputs[i].on_request);
        json_close(j, '}');
    }
    json_close(j, ']');
    put_words(j, "takes", a->takes, arne_catalogue_takes);
    put_words(j, "has", a->has, arne_catalogue_has);
    json_close(j, '}');
}

void catalogue_json(FILE *out)
{
    json j = json_begin(out);
    json_open(&j, NULL, '{');
    json_line(&j, 1);
    put_extents(&j);
    json_line(&j, 1);
    put_arrays(&j);
    json_line(&j, 1);
    json_open(&j, "algorithms", '[');
    const arne_algorithm_info *a;
    for (int i = 0; (a = quantity_info(i)) != NULL; i++) {
        json_line(&j, 2);
        put_algorithm(&j, a);
    }
    json_close(&j, ']');
    fputs("\n}\n", out);
}

// --- a table -------------------------------------------------------------------------------------

// "q, qd; tau" into one cell.
static void info_catalogue_join(char *text, size_t size, const char *word, const char *between)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? between : "", word);
}

static void name_inputs(unsigned set, char *text, size_t size)
{
    *text = 0;
    for (int i = 0; i < ARNE_ARRAY_COUNT && set >> i; i++)
        if (set >> i & 1)
            info_catalogue_join(text, size, arne_catalogue_array((arne_array)i)->name, " ");
}

void catalogue_table(FILE *out)
{
    table t = table_begin("llll");
    table_cell(&t, "algorithm");
    table_cell(&t, "needs");
    table_cell(&t, "gives");
    table_cell(&t, "also for");
    const arne_algorithm_info *a;
    for (int i = 0; (a = quantity_info(i)) != NULL; i++) {
        char needs[256], gives[512] = "", has[128] = "";
        name_inputs(a->needs, needs, sizeof needs);
        for (int k = 0; k < a->output_count; k++)
            if (!a->outputs[k].on_request)
                info_catalogue_join(gives, sizeof gives,
                                    arne_catalogue_array(a->outputs[k].array)->name, " ");
        for (int k = 0; arne_catalogue_has(k); k++)
            if (a->has >> k & 1) info_catalogue_join(has, sizeof has, arne_catalogue_has(k), " ");
        table_cell(&t, "%s", a->name);
        table_cell(&t, "%s", needs);
        table_cell(&t, "%s", gives);
        table_cell(&t, "%s", has);
    }
    table_print(&t, 0, out);
    table_free(&t);
}
