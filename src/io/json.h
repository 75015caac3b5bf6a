// JSON that is written as it comes. Keys of the outermost object, and objects in lists, begin a
// line; commas are put where they belong.
#ifndef ARNE_IO_JSON_H
#define ARNE_IO_JSON_H

#include <arne/robot.h>
#include <stdio.h>

typedef struct json {
    FILE *out;
    int   depth; // how many brackets are open
    int   begun; // whether something stands before the next item of the innermost one
} json;

// The head of summary.json. The robot is that of a file in the folder; NULL: there is none.
json json_run(FILE *out, const char *kind, const char *title, const char *file,
              const arne_robot *robot);
// A bracket is { or [, and } or ]. Items of a list have no key: NULL.
void json_put_open(json *j, const char *key, char bracket);
void json_put_close(json *j, char bracket);
void json_put_text(json *j, const char *key, const char *text);
void json_put_number(json *j, const char *key, double value); // null where it is not finite
void json_put_numbers(json *j, const char *key, const double *value, int count);
void json_put_flag(json *j, const char *key, int value);
// The key alone: what follows is written by hand.
void json_put_key(json *j, const char *key);

#endif
