#define _XOPEN_SOURCE 700 // NOLINT(bugprone-reserved-identifier): realpath, mkstemp
#include "io/whole_file.h"

#include "base/error.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static arne_status fail_write(const whole_file *file, int number, arne_error *error)
{
    if (number == ENOMEM) return arne_fail_memory(error);
    char reason[128] = "";
    if (strerror_r(number, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", number);
    return arne_fail(error, ARNE_FILE, file->path, 0, "cannot be written: %s", reason);
}

// mkstemp is more careful than fopen: a new file is for all to read. (What the process's mask says
// cannot be asked without setting it, which other threads would notice.)
static void usual_mode(int handle, const struct stat *old)
{
    if (fchmod(handle, old ? old->st_mode & 07777 : 0644) != 0) errno = 0; // no modes here
}

static int open_beside(whole_file *file, const struct stat *old)
{
    const size_t length = strlen(file->target);
    file->beside = malloc(length + 8);
    if (!file->beside) return 0;
    memcpy(file->beside, file->target, length);
    memcpy(file->beside + length, ".XXXXXX", 8);
    const int handle = mkstemp(file->beside);
    if (handle < 0) {
        free(file->beside);
        file->beside = NULL;
        return 0;
    }
    usual_mode(handle, old);
    file->stream = fdopen(handle, "wb");
    if (!file->stream) close(handle);
    return file->stream != NULL;
}

// Where the file itself is, behind links. A copy of our own: memory that the C library takes by
// itself cannot be accounted for.
static char *target_of(const char *path, int exists)
{
    char         place[PATH_MAX];
    const char  *found = exists ? realpath(path, place) : path;
    const size_t size = found ? strlen(found) + 1 : 0;
    char        *copy = found ? malloc(size) : NULL;
    return copy ? memcpy(copy, found, size) : NULL;
}

arne_status arne_whole_file_open(whole_file *file, const char *path, arne_error *error)
{
    struct stat info;
    const int   exists = stat(path, &info) == 0;
    *file = (whole_file){.path = path};
    errno = 0;
    if (exists && !S_ISREG(info.st_mode)) {
        file->stream = fopen(path, "wb");
    } else if (!exists && lstat(path, &info) == 0) {
        errno = ENOENT; // a link that leads nowhere stays a link
    } else {
        file->target = target_of(path, exists);
        if (file->target) open_beside(file, exists ? &info : NULL);
    }
    if (file->stream) return ARNE_OK;
    const arne_status status = fail_write(file, errno, error);
    arne_whole_file_drop(file);
    return status;
}

// Why writing failed a while ago, if nothing has come between.
static int earlier_reason(void)
{
    const int reasons[] = {ENOSPC, EDQUOT, EFBIG};
    for (int i = 0; i < 3; i++)
        if (errno == reasons[i]) return errno;
    return EIO;
}

arne_status arne_whole_file_close(whole_file *file, arne_error *error)
{
    const int reason = earlier_reason();
    errno = 0;
    int fine = !ferror(file->stream) && fflush(file->stream) == 0;
    // On disk before it takes the place of another; what cannot be synchronised is a file system
    // without a disk.
    if (fine && file->beside) fine = fsync(fileno(file->stream)) == 0 || errno == EINVAL;
    fine = fclose(file->stream) == 0 && fine;
    file->stream = NULL;
    if (fine && file->beside) fine = rename(file->beside, file->target) == 0;
    if (!fine) {
        const arne_status status = fail_write(file, errno ? errno : reason, error);
        arne_whole_file_drop(file);
        return status;
    }
    free(file->beside);
    file->beside = NULL; // it is in its place
    arne_whole_file_drop(file);
    return ARNE_OK;
}

void arne_whole_file_drop(whole_file *file)
{
    if (file->stream) fclose(file->stream);
    if (file->beside) unlink(file->beside);
    free(file->beside);
    free(file->target);
    *file = (whole_file){0};
}
