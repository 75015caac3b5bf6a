// The text of a summary and the list in it, and hashes of files.
#ifndef ARNE_IO_RUN_HASH_H
#define ARNE_IO_RUN_HASH_H

#include "base/sha256.h"

#define RUN_SUMMARY "summary.json"

// The value of the key "files" of the outermost mapping; 0: there is none.
int run_find_list(const char *text, size_t size, const char **from, const char **to);

// Of a plain file; links are not followed. 0, or -1 with errno.
int run_hash_file(int parent, const char *path, char text[SHA256_TEXT]);

// Of a summary: what is around its list.
void run_hash_summary(const char *text, size_t size, char out[SHA256_TEXT]);

#endif
