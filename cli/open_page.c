// fork, execvp and mkdtemp are POSIX.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "open_page.h"

#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

// Forked twice: the program does not wait for the browser, which is not its child.
static void start_browser(const char *path)
{
#ifdef __APPLE__
    static const char program[] = "open";
#else
    static const char program[] = "xdg-open";
#endif
    const pid_t child = fork();
    if (child == 0) {
        if (fork() != 0) _exit(0);
        const int nowhere = open("/dev/null", O_RDWR);
        for (int i = 0; i < 3 && nowhere >= 0; i++)
            dup2(nowhere, i);
        char *const words[] = {(char *)program, (char *)path, NULL};
        execvp(program, words);
        _exit(127);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

void open_page(const char *path)
{
    printf("%s\n", path);
    fflush(stdout);
#ifdef __APPLE__
    start_browser(path);
#else
    if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) start_browser(path);
#endif
}

void name_report(const char *dir, int view)
{
    char *path = path_in(dir, "report.html");
    if (view)
        open_page(path);
    else
        printf("%s\n", path);
    free(path);
}

char *run_folder_of(const char *path, const char *usual, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t      length = strcspn(name, ".");
    if (slash && slash > path && length == strlen(usual) && strncmp(name, usual, length) == 0) {
        const char *begin = slash;
        while (begin > path && begin[-1] != '/')
            begin--;
        if (*begin != '.') {
            name = begin;
            length = (size_t)(slash - begin);
        }
    }
    char *out = need(length + strlen(ending) + 1, 1);
    memcpy(out, name, length);
    strcpy(out + length, ending);
    return out;
}

char *temporary_folder(void)
{
    const char  *base = is_set("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    const size_t size = strlen(base) + 32;
    char        *path = need(size, 1);
    snprintf(path, size, "%s/arne-view-XXXXXX", base);
    if (mkdtemp(path)) return path;
    fail_data("%s: a temporary folder cannot be made: %s", base, strerror(errno));
    free(path);
    return NULL;
}
