// What the program says when something is wrong, and how it ends.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <arne/io.h>
#include <arne/status.h>
#include <stddef.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define PRINTF_LIKE(text, first)
#endif

// Exit statuses. Data are robot files, states and values; usage is everything else that is typed.
enum { EXIT_FINE = 0, EXIT_DATA = 1, EXIT_USAGE = 2 };

// A name from a file as it may be shown: cut to the buffer, control characters as '?'.
const char *shown(const char *text, char *buffer, size_t size);

// One line on stderr, "arne: ..."; control characters that a file smuggled in are shown as '?'.
void say(const char *format, ...) PRINTF_LIKE(1, 2);
// "arne: warning: ... [kind]", unless --quiet names its kind. An empty kind is none.
void warn(const char *kind, const char *format, ...) PRINTF_LIKE(2, 3);
// --quiet=KIND,KIND: EXIT_USAGE where a kind is not known.
int quiet_kinds(const char *kinds);
int is_quiet(const char *kind);
// The same, and the exit status to return.
int fail_data(const char *format, ...) PRINTF_LIKE(1, 2);
int fail_usage(const char *format, ...) PRINTF_LIKE(1, 2);
// "arne: FILE:LINE: text" of an error of the library; path stands in where it names no file.
int fail_error(const char *path, arne_status status, const arne_error *error);

// Zeroed memory for count things; ends the program where there is none left.
void *need(size_t count, size_t size);
void *need_more(void *memory, size_t count, size_t size);
char *need_copy(const char *text, size_t length);
// "folder/name", to be freed.
char *path_in(const char *folder, const char *name);

// Names that resemble what was typed: see arne/io.h.
#define near_matches arne_near_matches

#endif
