#define _POSIX_C_SOURCE 200809L // NOLINT(bugprone-reserved-identifier)
#include "io/run_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// ---- the list within the text of a summary ----

static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\') at++;
    return at < end ? at + 1 : end;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at;
}

// The place behind the mapping, list or string that begins here.
static const char *skip_value(const char *at, const char *end)
{
    int depth = 0;
    do {
        if (at < end && *at == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (at < end && (*at == '{' || *at == '[')) depth++;
        if (at < end && (*at == '}' || *at == ']')) depth--;
        at++;
    } while (at < end && depth > 0);
    return at < end ? at : end;
}

int run_find_list(const char *text, size_t size, const char **from, const char **to)
{
    static const char KEY[] = "\"files\"";
    const char *const end = text + size;
    int               depth = 0;
    for (const char *at = text; at < end;) {
        if (*at != '"') {
            depth += *at == '{' || *at == '[' ? 1 : *at == '}' || *at == ']' ? -1 : 0;
            at++;
            continue;
        }
        const char *behind = skip_string(at, end), *value = skip_blanks(behind, end);
        if (depth == 1 && (size_t)(behind - at) == sizeof KEY - 1 &&
            memcmp(at, KEY, sizeof KEY - 1) == 0 && value < end && *value == ':') {
            *from = skip_blanks(value + 1, end);
            *to = skip_value(*from, end);
            return 1;
        }
        at = behind;
    }
    return 0;
}

// ---- hashes ----

int run_hash_file(int parent, const char *path, char text[SHA256_TEXT])
{
    unsigned char bytes[1 << 14];
    sha256        s;
    ssize_t       got = -1;
    const int     handle = openat(parent, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    sha256_start(&s);
    if (handle >= 0)
        while ((got = read(handle, bytes, sizeof bytes)) > 0)
            sha256_add(&s, bytes, (size_t)got);
    const int why = errno;
    if (handle >= 0) close(handle);
    errno = why;
    sha256_text(&s, text);
    return got < 0 ? -1 : 0;
}

void run_hash_summary(const char *text, size_t size, char out[SHA256_TEXT])
{
    const char *from = text + size, *to = from;
    sha256      s;
    run_find_list(text, size, &from, &to);
    sha256_start(&s);
    sha256_add(&s, text, (size_t)(from - text));
    sha256_add(&s, to, (size_t)(text + size - to));
    sha256_text(&s, out);
}
