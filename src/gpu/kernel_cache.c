#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): secure_getenv, mkstemp
#include "gpu/kernel_cache.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 28 }; // bytes of a file that is believed to be a kernel

int cache_open(kernel_cache *c, const char *given)
{
    const char *home = secure_getenv("HOME"), *own = secure_getenv("XDG_CACHE_HOME");
    int         size = 0;
    c->folder[0] = 0;
    if (given)
        size = snprintf(c->folder, sizeof c->folder, "%s", given);
    else if (own && own[0] == '/')
        size = snprintf(c->folder, sizeof c->folder, "%s/arne/kernels", own);
    else if (home && home[0] == '/')
        size = snprintf(c->folder, sizeof c->folder, "%s/.cache/arne/kernels", home);
    // The path must leave room for the name of a file.
    const int fits = size >= 0 && size + SHA256_TEXT + 32 < CACHE_PATH;
    if (!fits) c->folder[0] = 0;
    return fits;
}

void cache_file(const kernel_cache *c, sha256 *facts, char file[CACHE_PATH])
{
    char name[SHA256_TEXT];
    sha256_text(facts, name);
    file[0] = 0;
    if (!c->folder[0]) return;
    const size_t length = strlen(c->folder);
    memcpy(file, c->folder, length);
    snprintf(file + length, CACHE_PATH - length, "/%s.cubin", name);
}

// A file is the image and, behind it, the hash of the image as a text: the driver is not told how
// long an image is, and must not see half of one.
static void kernel_cache_hash_of(const char *bytes, size_t size, char text[SHA256_TEXT])
{
    sha256 s;
    sha256_start(&s);
    sha256_add(&s, bytes, size);
    sha256_text(&s, text);
}

static int is_whole(const char *bytes, size_t size)
{
    const size_t length = SHA256_TEXT - 1;
    char         text[SHA256_TEXT];
    if (size <= length) return 0;
    kernel_cache_hash_of(bytes, size - length, text);
    return memcmp(bytes + size - length, text, length) == 0;
}

void cache_read(const char *file, char **bytes, size_t *size)
{
    FILE *in = file[0] ? fopen(file, "rb") : NULL;
    long  end = -1;
    *bytes = NULL;
    *size = 0;
    if (!in) return;
    if (fseek(in, 0, SEEK_END) == 0) end = ftell(in);
    if (end > 0 && end < LARGEST && fseek(in, 0, SEEK_SET) == 0) *bytes = malloc((size_t)end);
    if (*bytes && fread(*bytes, 1, (size_t)end, in) == (size_t)end &&
        is_whole(*bytes, (size_t)end)) {
        *size = (size_t)end - (SHA256_TEXT - 1);
        (*bytes)[*size] = 0; // PTX is a text
    } else {
        free(*bytes);
        *bytes = NULL;
    }
    (void)fclose(in);
}

// Makes each folder of the path in turn.
static int kernel_cache_make_folders(const char *folder)
{
    char path[CACHE_PATH];
    snprintf(path, sizeof path, "%s", folder);
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        (void)mkdir(path, 0700);
        *at = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static int kernel_cache_write_all(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t done = write(to, bytes, size);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return 0;
        bytes += done;
        size -= (size_t)done;
    }
    return 1;
}

// Writes to a file whose name no other process has, and renames it: readers never see half of it.
int cache_write(const kernel_cache *c, const char *file, const char *bytes, size_t size)
{
    char temporary[CACHE_PATH], hash[SHA256_TEXT];
    if (!file[0] || !kernel_cache_make_folders(c->folder)) return 0;
    if (snprintf(temporary, sizeof temporary, "%s/.new-XXXXXX", c->folder) >= (int)sizeof temporary)
        return 0;
    const int to = mkstemp(temporary);
    if (to < 0) return 0;
    kernel_cache_hash_of(bytes, size, hash);
    int fine = kernel_cache_write_all(to, bytes, size) &&
               kernel_cache_write_all(to, hash, SHA256_TEXT - 1);
    fine &= close(to) == 0;
    fine = fine && rename(temporary, file) == 0;
    if (!fine) (void)unlink(temporary);
    return fine;
}
