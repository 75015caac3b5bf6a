// Names from robot files, made harmless.
#ifndef ARNE_CODEGEN_NAMES_H
#define ARNE_CODEGEN_NAMES_H

#include <stddef.h>

enum { SHOWN_NAME = 64 };

// Letters, digits, blanks and a few marks stay; all else is '_'. Such a text cannot end a comment
// or a line.
const char *harmless(const char *name, char out[SHOWN_NAME]);

// Whether this is fit to begin the names of files and functions: a letter, then letters, digits and
// '_', shorter than size, not a word of C or C++, nor a header of the C library, which a file of
// that name would hide.
int is_prefix(const char *text, size_t size);
// Such a prefix from any name.
void make_prefix(const char *name, char *out, size_t size);

#endif
