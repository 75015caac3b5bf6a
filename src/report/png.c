// PNGs are made by rsvg-convert, a program of librsvg, where it is installed.
#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "base/error.h"
#include "report/page.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

// Runs it without its output. Returns its exit status; -1: it could not be started.
static int convert(char *const *arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t                      child;
    int                        status = 0;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    const int failed = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) ||
                       posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
                       posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) return -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int png_is_available(void)
{
    char *const arguments[] = {(char[]){"rsvg-convert"}, (char[]){"--version"}, NULL};
    return convert(arguments) == 0;
}

arne_status png_from_svg(const char *svg, const char *png, arne_error *error)
{
    // Twice the size in pixels, for print.
    buffer in = {0}, out = {0};
    put(&in, "%s%s", *svg == '-' ? "./" : "", svg);
    put(&out, "--output=%s", png);
    int status = -1;
    if (!in.failed && !out.failed) {
        char *const arguments[] = {(char[]){"rsvg-convert"}, (char[]){"--zoom=2"}, out.text,
                                   in.text, NULL};
        status = convert(arguments);
    }
    const int failed = in.failed || out.failed;
    buffer_free(&in);
    buffer_free(&out);
    if (failed) return arne_fail_memory(error);
    return status ? arne_fail(error, ARNE_FILE, png, 0, "rsvg-convert could not make it") : ARNE_OK;
}
