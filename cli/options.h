// Command-line options from a table, so that parsing, --help and error messages agree.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

typedef struct number_list {
    double     *value;
    int         count;
    int         given; // the option was there, perhaps with no value in its list
    const char *name;  // in place of numbers, of an option that takes a configuration by name
    const char *named; // or values by joint: "elbow=1,wrist=90 deg"
} number_list;

// The texts of a repeated option, and where each stood: the order between options can matter.
typedef struct text_list {
    const char **text;
    int         *at;
    int          count;
} text_list;

typedef enum option_kind {
    OPTION_FLAG,   // int: 1
    OPTION_TEXT,   // const char *
    OPTION_TEXTS,  // text_list; may be repeated
    OPTION_CHOICE, // int: 1 + the index in `value`, which reads "fixed|prescribed|free"
    OPTION_NUMBERS // number_list; `count` values, or any number where that is 0
} option_kind;

typedef struct option {
    const char *name;   // with its dashes; NULL ends a table
    const char *letter; // short form with its dash, or NULL
    option_kind kind;
    const char *value; // what --help shows after the name; NULL for a flag
    const char *help;
    size_t      offset; // of the field in the verb's arguments
    size_t      count;  // of numbers, where that is fixed
} option;

// Rows of a table. The file of a verb says where a field is in its arguments: AT(field).
#define OPTION_ROW(name, letter, kind, value, field, help, count)                                  \
    {                                                                                              \
        name, letter, kind, value, help, AT(field), count                                          \
    }
#define FLAG(name, field, help) OPTION_ROW(name, NULL, OPTION_FLAG, NULL, field, help, 0)
#define TEXT(name, value, field, help) OPTION_ROW(name, NULL, OPTION_TEXT, value, field, help, 0)
#define TEXTS(name, value, field, help) OPTION_ROW(name, NULL, OPTION_TEXTS, value, field, help, 0)
#define CHOICE(name, words, field, help)                                                           \
    OPTION_ROW(name, NULL, OPTION_CHOICE, words, field, help, 0)
#define NUMBERS(name, value, field, help, count)                                                   \
    OPTION_ROW(name, NULL, OPTION_NUMBERS, value, field, help, count)
#define OPTION_END                                                                                 \
    {                                                                                              \
        NULL, NULL, OPTION_FLAG, NULL, NULL, 0, 0                                                  \
    }

// A folder to write to, and the only file that is written.
#define OPTION_OUT(help) OPTION_ROW("--out", "-o", OPTION_TEXT, "DIR", out, help, 0)
#define OPTION_OUTPUT                                                                              \
    OPTION_ROW("--output", "-o", OPTION_TEXT, "FILE", output,                                      \
               "write to FILE, completely or not at all (default: stdout)", 0)
#define OPTION_VIEW FLAG("--view", view, "open the page in a browser")
#define OPTION_SCHEMA(of)                                                                          \
    FLAG("--schema", schema, "print the schema of " of " as JSON, and do nothing else")

// Taken by options_parse itself: packages for all that looks for meshes, kinds for `warn`.
#define OPTION_PACKAGE(field)                                                                      \
    TEXTS("--package", "NAME=DIR", field,                                                          \
          "folder of package://NAME/, of meshes and of xacro files; repeatable")
#define OPTION_QUIET(field, all)                                                                   \
    FLAG("--quiet", field,                                                                         \
         all "; --quiet=KIND,KIND: none of these kinds, which stand in brackets behind them")
#define OPTION_QUIET_RUN                                                                           \
    OPTION_ROW("--quiet", "-q", OPTION_FLAG, NULL, quiet,                                          \
               "no warnings, no progress and no summary; --quiet=KIND,KIND: no warnings of these " \
               "kinds",                                                                            \
               0)

typedef struct command {
    const char   *name;
    const char   *operands; // as in the usage line: "QUANTITY ROBOT"
    const char   *summary;
    int           least, most; // how many operands
    const option *options;
    void (*details)(FILE *out); // printed by --help before the options; may be NULL
} command;

// Reads argv[1...] into args (which the caller has zeroed) and operands. Returns OPTIONS_GO, or the
// exit status where there is nothing more to do: help was asked for (0), or the arguments are bad
// (said on stderr).
enum { OPTIONS_GO = -1 };
int  options_parse(const command *verb, int argc, char **argv, void *args, text_list *operands);
void options_free(const command *verb, void *args, text_list *operands);
void options_help(const command *verb, FILE *out);
// A name in a column of its own and what it means behind it, in as many lines as that takes.
void help_line(FILE *out, int column, const char *left, const char *help);

// "1, pi/2, 90 deg" as numbers; `what` begins the message. count 0: any number of values.
// Returns EXIT_FINE, EXIT_USAGE where a value is no number, EXIT_DATA where it is not finite or the
// number of values is wrong.
int parse_numbers(const char *what, const char *text, int count, number_list *out);

void text_list_add(text_list *list, const char *text, int at);
void text_list_free(text_list *list);

#endif
