#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath
#include "options.h"

#include "csv_names.h"
#include "load.h"
#include "message.h"
#include "standard_input.h"

#include <arne/document.h>
#include <arne/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void text_list_add(text_list *list, const char *text, int at)
{
    const size_t count = (size_t)list->count + 1;
    list->text = need_more(list->text, count, sizeof *list->text);
    list->at = need_more(list->at, count, sizeof *list->at);

    list->text[list->count] = text;
    list->at[list->count++] = at;
}

void text_list_free(text_list *list)
{
    free(list->text);
    free(list->at);
    *list = (text_list){0};
}

static int parse_number(const char *what, const char *text, size_t length, double *out)
{
    char *copy = need_copy(text, length), *end;
    int   code = EXIT_FINE;
    if (arne_parse_number(copy, out) != ARNE_OK || !isfinite(*out)) {
        const double value = strtod(copy, &end);
        if (end != copy && *end == '\0' && !isfinite(value))
            code = fail_data("%s: '%s' is not a finite number", what, copy);
        else
            code = fail_usage("%s: '%s' is not a number", what, copy);
    }
    free(copy);
    return code;
}

int parse_numbers(const char *what, const char *text, int count, number_list *out)
{
    int code = EXIT_FINE;
    *out = (number_list){.given = 1};
    for (const char *rest = text; code == EXIT_FINE && *text;) {
        const size_t length = strcspn(rest, ",");
        out->value = need_more(out->value, (size_t)out->count + 1, sizeof *out->value);
        code = parse_number(what, rest, length, &out->value[out->count++]);
        if (rest[length] == '\0') break;
        rest += length + 1;
    }
    if (code == EXIT_FINE && count && out->count != count)
        code = fail_data("%s: %d values are needed, %d are given", what, count, out->count);
    if (code != EXIT_FINE) {
        free(out->value);
        *out = (number_list){0};
    }
    return code;
}

// --- one option --------------------------------------------------------------------------------

static int set_choice(const option *o, const char *value, int *out)
{
    int index = 1;
    for (const char *rest = o->value; *rest; index++) {
        const size_t length = strcspn(rest, "|");
        if (strlen(value) == length && strncmp(rest, value, length) == 0) {
            *out = index;
            return OPTIONS_GO;
        }
        rest += length + (rest[length] == '|');
    }
    return fail_usage("%s: '%s' is not one of %s", o->name, value, o->value);
}

static int set_once(const option *o, int already)
{
    return already ? fail_usage("%s is given twice", o->name) : OPTIONS_GO;
}

// A word that is no number: "home", but not "pi".
static int is_name(const char *text)
{
    double number;
    return *text && !strchr("+-.0123456789(", *text) && !strpbrk(text, ",; ") &&
           arne_parse_number(text, &number) != ARNE_OK;
}

static int set_option(const option *o, const char *value, int at, void *args)
{
    void *field = (char *)args + o->offset;
    int   code;
    switch (o->kind) {
    case OPTION_FLAG:
        *(int *)field = 1;
        return OPTIONS_GO;
    case OPTION_TEXTS:
        text_list_add(field, value, at);
        return OPTIONS_GO;
    case OPTION_TEXT:
        code = set_once(o, *(const char **)field != NULL);
        *(const char **)field = value;
        return code;
    case OPTION_CHOICE:
        code = set_once(o, *(int *)field != 0);
        return code == OPTIONS_GO ? set_choice(o, value, field) : code;
    case OPTION_NUMBERS:
        code = set_once(o, ((number_list *)field)->given);
        if (code == OPTIONS_GO && o->value && strstr(o->value, "JOINT=") && strchr(value, '=')) {
            *(number_list *)field = (number_list){.given = 1, .named = value};
            return OPTIONS_GO;
        }
        if (code == OPTIONS_GO && strcmp(o->name, "--q") == 0 && is_name(value)) {
            *(number_list *)field = (number_list){.given = 1, .name = value};
            return OPTIONS_GO;
        }
        if (code == OPTIONS_GO) code = parse_numbers(o->name, value, (int)o->count, field);
        return code == EXIT_FINE ? OPTIONS_GO : code;
    }
    return OPTIONS_GO;
}

// "--out" and "--output" are one option, whichever of them a verb's table has.
static const char *const both[2] = {"--out", "--output"};

static int is_output(const option *o)
{
    return strcmp(o->name, both[0]) == 0 || strcmp(o->name, both[1]) == 0;
}

static size_t named_length(const option *o, const char *argument)
{
    for (int i = 0; i < (is_output(o) ? 2 : 1); i++) {
        const char  *name = is_output(o) ? both[i] : o->name;
        const size_t length = strlen(name);
        if (strncmp(argument, name, length) == 0 &&
            (argument[length] == '\0' || argument[length] == '='))
            return length;
    }
    return 0;
}

// The option that an argument names, and its value where it holds that too: --name=value, -ovalue.
static const option *find_option(const option *table, const char *argument, const char **value)
{
    *value = NULL;
    for (const option *o = table; o->name; o++) {
        const size_t length = named_length(o, argument);
        if (length) {
            if (argument[length] == '=') *value = argument + length + 1;
            return o;
        }
        if (o->letter && strncmp(argument, o->letter, 2) == 0) {
            if (argument[2]) *value = argument + 2;
            return o;
        }
    }
    return NULL;
}

static const char *option_name(const void *table, int index)
{
    return ((const option *)table)[index].name;
}

static int unknown_option(const command *verb, const char *argument)
{
    char buffer[256];
    int  count = 0;
    while (verb->options[count].name)
        count++;
    near_matches(argument, option_name, verb->options, count, buffer, sizeof buffer);
    return fail_usage("unknown option '%s'%s; 'arne %s --help' lists them", argument, buffer,
                      verb->name);
}

// --- the whole line ----------------------------------------------------------------------------

static int has_option(const command *verb, const char *name)
{
    for (const option *o = verb->options; o->name; o++)
        if (strcmp(o->name, name) == 0) return 1;
    return 0;
}

static int too_many(const command *verb, const char *text)
{
    if (names_table(text) && has_option(verb, "--states"))
        return fail_usage("'%s' is one argument too many; rows of a table are given by --states %s",
                          text, text);
    return fail_usage("'%s' is one argument too many; usage: arne %s %s [options]", text,
                      verb->name, verb->operands);
}

static int check_operands(const command *verb, const text_list *operands)
{
    if (operands->count < verb->least)
        return fail_usage("usage: arne %s %s [options]", verb->name, verb->operands);
    if (operands->count > verb->most) return too_many(verb, operands->text[verb->most]);
    return OPTIONS_GO;
}

static int parse_all(const command *verb, int argc, char **argv, void *args, text_list *operands)
{
    int only_operands = 0;
    for (int i = 1; i < argc; i++) {
        const char *value;
        if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            text_list_add(operands, argv[i], i);
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_operands = 1;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            options_help(verb, stdout);
            return EXIT_FINE;
        }
        const option *o = find_option(verb->options, argv[i], &value);
        if (!o) return unknown_option(verb, argv[i]);
        if (o->kind == OPTION_FLAG && value && strcmp(o->name, "--quiet") == 0) {
            const int code = quiet_kinds(value);
            if (code != EXIT_FINE) return code;
            continue;
        }
        if (o->kind == OPTION_FLAG && value) return fail_usage("%s takes no value", o->name);
        if (o->kind != OPTION_FLAG && !value) {
            if (i + 1 == argc) return fail_usage("%s needs a value: %s", o->name, o->value);
            value = argv[++i];
        }
        const int code = set_option(o, value, i, args);
        if (code != OPTIONS_GO) return code;
    }
    return check_operands(verb, operands);
}

// --- outputs -----------------------------------------------------------------------------------

static int is_file(const char *path, struct stat *info)
{
    return path && stat(path, info) == 0 && S_ISREG(info->st_mode);
}

// Whether a file is in the folder of a run. A page may be made again there; all else is what the
// page is made from.
static int lies_in_run(const char *folder, const char *file)
{
    char        *outer = realpath(folder, NULL), *inner = realpath(file, NULL);
    const size_t length = outer ? strlen(outer) : 0, end = inner ? strlen(inner) : 0;
    int          lies = length && end > length && strncmp(inner, outer, length) == 0 &&
               inner[length] == '/' && (end < 5 || strcmp(inner + end - 5, ".html") != 0);
    if (lies) {
        char       *summary = need(length + sizeof "/summary.json", 1);
        struct stat info;
        memcpy(summary, outer, length);
        strcpy(summary + length, "/summary.json");
        lies = is_file(summary, &info);
        free(summary);
    }
    free(outer);
    free(inner);
    return lies;
}

// Does the command read the written file because of this operand or value of an option: is it that
// file, a file that it names, directly or not, or in that folder? -1: out of memory.
static int reads_by(const char *path, const char *written)
{
    struct stat info;
    int         reads = 0;
    if (!path || stat(path, &info) != 0) return 0;
    if (S_ISDIR(info.st_mode)) return lies_in_run(path, written);
    if (arne_document_reads(path, written, NULL, 0, &reads) != ARNE_OK) return -1;
    return reads;
}

static int is_input(const command *verb, const option *output, const char *written,
                    const void *args, const text_list *operands)
{
    int reads = 0;
    for (int i = 0; i < operands->count && !reads; i++)
        reads = reads_by(operands->text[i], written);
    for (const option *o = verb->options; o->name && !reads; o++) {
        const void      *field = (const char *)args + o->offset;
        const text_list *list = field;
        if (o->kind == OPTION_TEXT && o != output && !is_output(o))
            reads = reads_by(*(const char *const *)field, written);
        for (int i = 0; o->kind == OPTION_TEXTS && i < list->count && !reads; i++)
            reads = reads_by(list->text[i], written);
    }
    return reads;
}

// A result in the place of what it was computed from would cost the user that file. (Folders are
// never written in the place of a file.)
static int check_outputs(const command *verb, const void *args, const text_list *operands)
{
    for (const option *o = verb->options; o->name; o++) {
        const int writes = is_output(o) || strcmp(o->name, "--log") == 0;
        if (!writes || strcmp(o->value, "FILE") != 0) continue;
        const char *path = *(const char *const *)((const char *)args + o->offset);
        struct stat written;
        const int   reads = is_file(path, &written) ? is_input(verb, o, path, args, operands) : 0;
        if (reads < 0) return fail_data("out of memory");
        if (reads)
            return fail_usage("%s %s: this file is read by the same command, and would be replaced",
                              o->name, path);
    }
    return OPTIONS_GO;
}

// An operand - is standard input, which is copied: files are read more than once.
static int take_standard_input(const text_list *operands)
{
    for (int i = 0; i < operands->count; i++) {
        if (strcmp(operands->text[i], "-") != 0) continue;
        operands->text[i] = standard_input_path();
        if (!operands->text[i]) return fail_data("-: standard input cannot be read or copied");
    }
    return OPTIONS_GO;
}

// --package NAME=DIR: the library looks into ARNE_PACKAGES, one a line; so do programs that are
// started from here.
static int take_packages(const command *verb, const void *args)
{
    const option *o = verb->options;
    while (o->name && strcmp(o->name, "--package") != 0)
        o++;
    const text_list *list = o->name ? (const text_list *)((const char *)args + o->offset) : NULL;
    const char      *before = getenv("ARNE_PACKAGES");
    char            *all = need_copy("", 0);
    for (int i = 0; list && i < list->count; i++) {
        const char *sign = strchr(list->text[i], '=');
        struct stat info;
        if (!sign || sign == list->text[i]) {
            free(all);
            return fail_usage("--package: '%s' is not NAME=DIR", list->text[i]);
        }
        if (stat(sign + 1, &info) != 0 || !S_ISDIR(info.st_mode)) {
            free(all);
            return fail_data("--package: there is no folder '%s'", sign + 1);
        }
        all = need_more(all, strlen(all) + strlen(list->text[i]) + 2, 1);
        strcat(strcat(all, list->text[i]), "\n");
    }
    if (before) all = need_more(all, strlen(all) + strlen(before) + 1, 1);
    if (list && list->count) setenv("ARNE_PACKAGES", before ? strcat(all, before) : all, 1);
    free(all);
    return OPTIONS_GO;
}

// A bare name such as puma560 is one of the robots that come with Arne.
static void take_names(const command *verb, const text_list *operands)
{
    for (int i = 0; strstr(verb->operands, "ROBOT") && i < operands->count; i++) {
        const char *path = named_robot(operands->text[i]);
        if (path) operands->text[i] = path;
    }
}

int options_parse(const command *verb, int argc, char **argv, void *args, text_list *operands)
{
    int code = parse_all(verb, argc, argv, args, operands);
    if (code == OPTIONS_GO) code = take_packages(verb, args);
    if (code == OPTIONS_GO) take_names(verb, operands);
    if (code == OPTIONS_GO) code = take_standard_input(operands);
    if (code == OPTIONS_GO) code = check_outputs(verb, args, operands);
    if (code != OPTIONS_GO) options_free(verb, args, operands);
    return code;
}

void options_free(const command *verb, void *args, text_list *operands)
{
    for (const option *o = verb->options; o->name; o++) {
        void *field = (char *)args + o->offset;
        if (o->kind == OPTION_TEXTS) text_list_free(field);
        if (o->kind == OPTION_NUMBERS) {
            free(((number_list *)field)->value);
            *(number_list *)field = (number_list){0};
        }
    }
    text_list_free(operands);
}

// --- help --------------------------------------------------------------------------------------

enum { HELP_WIDTH = 100 };

void help_line(FILE *out, int column, const char *left, const char *help)
{
    const int indent = column + 4;
    if (strlen(left) > (size_t)column)
        fprintf(out, "  %s\n%*s", left, indent, "");
    else
        fprintf(out, "  %-*s  ", column, left);
    for (int at = indent; *help;) {
        const int length = (int)strcspn(help, " ");
        if (at > indent && at + 1 + length > HELP_WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        }
        at += fprintf(out, "%s%.*s", at > indent ? " " : "", length, help);
        help += length + (help[length] == ' ');
    }
    fprintf(out, "\n");
}

void options_help(const command *verb, FILE *out)
{
    fprintf(out, "Usage: arne %s %s [options]\n\n%s\n", verb->name, verb->operands, verb->summary);
    if (verb->details) verb->details(out);
    fprintf(out, "\nOptions:\n");
    for (const option *o = verb->options; o->name; o++) {
        char left[128];
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "", o->letter ? ", " : "",
                 o->name, o->value ? " " : "", o->value ? o->value : "");
        help_line(out, 26, left, o->help);
    }
    help_line(out, 26, "-h, --help", "this text");
    fprintf(out, "\nExit status: 0 success, 1 bad data, 2 bad arguments.\n");
}
