// JSON, written as it comes: numbers with 17 significant digits, NaN and infinity as null.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdio.h>

typedef struct json {
    FILE *out;
    int   begun; // something stands before the next item, which needs a comma
} json;

json json_begin(FILE *out);

// A key is NULL inside an array.
void json_open(json *j, const char *key, char bracket); // '{' or '['
void json_close(json *j, char bracket);                 // '}' or ']'
void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, long value);
void json_boolean(json *j, const char *key, int value);
void json_text(json *j, const char *key, const char *text); // NULL: null
void json_numbers(json *j, const char *key, const double *value, int count);
// A new line before the next item, indented by so many spaces.
void json_line(json *j, int indent);

#endif
