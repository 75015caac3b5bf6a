#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath, mkstemp
#include "output.h"

#include "message.h"
#include "signals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int output_open(output *out, const char *path)
{
    *out = (output){.path = path};
    out->stream = open_memstream(&out->text, &out->size);
    return out->stream ? EXIT_FINE : fail_data("out of memory");
}

void output_drop(output *out)
{
    if (out->stream) fclose(out->stream);
    free(out->text);
    *out = (output){0};
}

static int write_stream(FILE *file, const output *out)
{
    return fwrite(out->text, 1, out->size, file) == out->size && fflush(file) == 0;
}

// A device or pipe is written where it is; it cannot be replaced by another file.
static int write_in_place(const output *out)
{
    FILE *file = fopen(out->path, "wb");
    if (!file) return 0;
    const int fine = write_stream(file, out);
    return fclose(file) == 0 && fine;
}

static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// target is the file itself, links followed.
static int write_beside(const output *out, const char *target, mode_t mode)
{
    const size_t length = strlen(target);
    char        *beside = need(length + 8, 1);
    memcpy(beside, target, length);
    memcpy(beside + length, ".XXXXXX", 8);

    signals_hold(1);
    const int handle = mkstemp(beside);
    if (handle >= 0) signals_remove(beside);
    signals_hold(0);
    FILE     *file = handle < 0 ? NULL : fdopen(handle, "wb");
    int       fine = file && write_stream(file, out) && fchmod(handle, mode) == 0;
    if (file)
        fine = fclose(file) == 0 && fine;
    else if (handle >= 0)
        close(handle);
    fine = fine && rename(beside, target) == 0;

    const int why = errno;
    signals_remove(NULL);
    if (!fine && handle >= 0) unlink(beside);
    free(beside);
    errno = why;
    return fine;
}

static int write_file(const output *out)
{
    struct stat info;
    const int   exists = stat(out->path, &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) return write_in_place(out);

    char     *target = exists ? realpath(out->path, NULL) : NULL;
    const int fine = write_beside(out, target ? target : out->path,
                                  exists ? info.st_mode & 07777 : usual_mode());
    free(target);
    return fine;
}

int output_deliver(output *out)
{
    const int collected = fclose(out->stream) == 0;
    int       code = EXIT_FINE;
    out->stream = NULL;
    if (!collected)
        code = fail_data("out of memory");
    else if (out->path && !write_file(out))
        code = fail_data("%s: cannot be written: %s", out->path, strerror(errno));
    else if (!out->path && !write_stream(stdout, out))
        code = fail_data("stdout cannot be written: %s", strerror(errno));
    output_drop(out);
    return code;
}
