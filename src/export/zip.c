// The zip format (PKWARE's APPNOTE 6.3): before each file a local header, behind all of them a
// directory and where that begins. Without compression a file is its bytes and their CRC-32. Times
// are those of the format's first day, so that equal contents make equal archives.
#include "export/zip.h"
#include <stdint.h>
#include <string.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    VERSION = 20,     // that is needed to read it
    UNIX = 3 << 8,    // who wrote it: files have modes
    UTF8 = 1 << 11,   // names are
    FIRST_DAY = 0x21, // 1 January 1980
};

static void put_small(buffer *b, unsigned value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        const char byte = (char)(value >> (8 * i) & 255);
        put_bytes(b, &byte, 1);
    }
}

static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    uint32_t table[256], sum = 0xffffffffu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    for (size_t i = 0; i < size; i++)
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    return ~sum;
}

// What both headers of a file have.
static void put_facts(buffer *b, uint32_t crc, unsigned size, unsigned name)
{
    put_small(b, VERSION, 2);
    put_small(b, UTF8, 2);
    put_small(b, 0, 2); // stored
    put_small(b, 0, 2);
    put_small(b, FIRST_DAY, 2);
    put_small(b, crc, 4);
    put_small(b, size, 4);
    put_small(b, size, 4);
    put_small(b, name, 2);
    put_small(b, 0, 2); // nothing else
}

void zip_add(zip *z, const char *name, const void *bytes, size_t size, int executable)
{
    const size_t   at = z->files.size, length = strlen(name);
    const uint32_t crc = crc32_of(bytes, size);
    if (size > INT32_MAX || at > INT32_MAX || length > UINT16_MAX || z->count == UINT16_MAX) {
        z->too_large = 1;
        return;
    }
    put_small(&z->files, LOCAL, 4);
    put_facts(&z->files, crc, (unsigned)size, (unsigned)length);
    put_bytes(&z->files, name, length);
    put_bytes(&z->files, bytes, size);
    put_small(&z->directory, CENTRAL, 4);
    put_small(&z->directory, UNIX | VERSION, 2);
    put_facts(&z->directory, crc, (unsigned)size, (unsigned)length);
    put_small(&z->directory, 0, 2); // no comment
    put_small(&z->directory, 0, 2); // on the first disk
    put_small(&z->directory, 0, 2);
    put_small(&z->directory, (executable ? 0100755u : 0100644u) << 16, 4);
    put_small(&z->directory, (unsigned)at, 4);
    put_bytes(&z->directory, name, length);
    z->count++;
}

void zip_end(zip *z)
{
    const size_t at = z->files.size, size = z->directory.size;
    if (at > UINT32_MAX || z->directory.failed) z->too_large = 1;
    if (size) put_bytes(&z->files, z->directory.text, size);
    put_small(&z->files, END, 4);
    put_small(&z->files, 0, 4);
    put_small(&z->files, (unsigned)z->count, 2);
    put_small(&z->files, (unsigned)z->count, 2);
    put_small(&z->files, (unsigned)size, 4);
    put_small(&z->files, (unsigned)at, 4);
    put_small(&z->files, 0, 2);
}

void zip_free(zip *z)
{
    buffer_free(&z->files);
    buffer_free(&z->directory);
}
