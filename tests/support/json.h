// A small reader of JSON for the files that tests compare with.
#ifndef TEST_JSON_H
#define TEST_JSON_H

typedef struct json json;

// Reads a file; where it is missing or not JSON the test fails with a message.
json *json_read(const char *path);
void  json_free(json *value);

// A member of an object: json_get fails the test where there is none, json_find returns NULL.
const json *json_get(const json *object, const char *key);
const json *json_find(const json *object, const char *key);
// Members of an array or object.
int         json_count(const json *value);
const json *json_at(const json *array, int index);

double      json_number(const json *value);
int         json_integer(const json *value);
int         json_true(const json *value);
int         json_is_number(const json *value);
const char *json_text(const json *value);
// All numbers of an array, of an array of arrays and so on, row by row: exactly count of them.
void json_numbers(const json *value, double *out, int count);

#endif
