// Any words as a command line: a verb gets its arguments, one per line of the input, and ends with
// a status of the program's own. Words that name files elsewhere are left out, and verbs that
// compute for long or write only explain themselves.
#include "scratch.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int arne_main(int argc, char **argv); // cli/main.c

enum { MOST_WORDS = 24 };

static void silence(void)
{
    static int done; // the streams are those of the process
    if (done) return;
    done = 1;
    if (!freopen("/dev/null", "w", stdout) || chdir(scratch_folder()) != 0) abort();
}

static int is_harmless(const char *verb)
{
    static const char *const verbs[] = {"info", "check", "compute", NULL};
    for (int i = 0; verbs[i]; i++)
        if (strcmp(verb, verbs[i]) == 0) return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char  text[4096], program[] = "arne", help[] = "--help", *argv[MOST_WORDS + 3] = {program};
    int   argc = 1;
    char *rest = text;
    silence();
    if (size >= sizeof text) return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (strlen(text) != size) return 0;
    while (rest && argc < MOST_WORDS) {
        char *word = rest, *end = strchr(rest, '\n');
        rest = end ? end + 1 : NULL;
        if (end) *end = 0;
        if (strchr(word, '/') || strncmp(word, "-o", 2) == 0 || strncmp(word, "--out", 5) == 0)
            continue;
        argv[argc++] = word;
    }
    if (argc > 1 && !is_harmless(argv[1])) argv[argc++] = help;
    const int code = arne_main(argc, argv);
    if (code < 0 || code > 2) abort();
    return 0;
}
