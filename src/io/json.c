#include "io/json.h"
#include "io/run_folder.h"

void json_put_key(json *j, const char *key)
{
    if (j->begun) fputc(',', j->out);
    if (j->depth == 1)
        fputs("\n  ", j->out);
    else if (j->begun)
        fputc(' ', j->out);
    j->begun = 1;
    if (!key) return;
    arne_json_text(j->out, key);
    fputs(": ", j->out);
}

void json_put_open(json *j, const char *key, char bracket)
{
    if (!key && j->depth > 1)
        fprintf(j->out, "%s\n%*s", j->begun ? "," : "", 2 * j->depth, "");
    else
        json_put_key(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->begun = 0;
}

void json_put_close(json *j, char bracket)
{
    j->depth--;
    j->begun = 1;
    fprintf(j->out, j->depth ? "%c" : "\n%c\n", bracket);
}

void json_put_text(json *j, const char *key, const char *text)
{
    json_put_key(j, key);
    arne_json_text(j->out, text);
}

void json_put_number(json *j, const char *key, double value)
{
    json_put_key(j, key);
    arne_json_number(j->out, value);
}

void json_put_numbers(json *j, const char *key, const double *value, int count)
{
    json_put_open(j, key, '[');
    for (int i = 0; i < count; i++)
        json_put_number(j, NULL, value[i]);
    json_put_close(j, ']');
}

void json_put_flag(json *j, const char *key, int value)
{
    json_put_key(j, key);
    fputs(value ? "true" : "false", j->out);
}

json json_run(FILE *out, const char *kind, const char *title, const char *file,
              const arne_robot *robot)
{
    static const char *const bases[] = {"", "fixed", "prescribed", "free"};
    json                     j = {out, 0, 0};
    json_put_open(&j, NULL, '{');
    json_put_text(&j, "kind", kind);
    json_put_text(&j, "title", title ? title : "");
    if (file) json_put_text(&j, "robot", file);
    if (file && robot) json_put_text(&j, "base", bases[arne_robot_base(robot)]);
    return j;
}
