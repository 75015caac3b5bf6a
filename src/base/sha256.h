// SHA-256 (FIPS 180-4): says whether a file is still the one that was written.
#ifndef ARNE_BASE_SHA256_H
#define ARNE_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t      state[8];
    uint64_t      bytes;
    unsigned char block[64];
} sha256;

enum { SHA256_TEXT = 65 }; // hexadecimal digits and a zero

void sha256_start(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t size);
void sha256_text(sha256 *s, char text[SHA256_TEXT]); // ends it

#endif
