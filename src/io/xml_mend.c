// Skips what stands before the XML declaration: three of 1404 public URDF files have white space or
// comments there, which expat refuses. (xml.c forgives text behind the root element.) Everything
// else that is not well-formed is an error of the parser, with its line.
#include "io/xml_mend.h"
#include "base/error.h"
#include <string.h>

static const char *mend_find(const char *p, const char *end, const char *mark)
{
    const size_t size = strlen(mark);
    for (; (size_t)(end - p) >= size; p++)
        if (memcmp(p, mark, size) == 0) return p;
    return NULL;
}

// The declaration, behind white space and comments only; NULL: there is none.
static const char *mend_find_declaration(const char *p, const char *end)
{
    while (p && p < end) {
        if (memchr(" \t\r\n", *p, 4))
            p++;
        else if (end - p > 4 && memcmp(p, "<!--", 4) == 0)
            p = mend_find(p, end, "-->") ? mend_find(p, end, "-->") + 3 : NULL;
        else
            return end - p > 6 && memcmp(p, "<?xml ", 6) == 0 ? p : NULL;
    }
    return NULL;
}

arne_status arne_xml_mend(reader *r, const char *text, size_t size, buffer *out)
{
    const char *declaration = mend_find_declaration(text, text + size);
    const char *close = declaration ? mend_find(declaration, text + size, "?>") : NULL;
    int         line = 1;
    if (!close || declaration == text) return ARNE_OK;
    put_bytes(out, text, size);
    if (out->failed) return arne_fail_memory(r->error);
    for (const char *p = declaration; p < close + 2; p++)
        if (*p != '\n') out->text[p - text] = ' ';
    for (const char *p = text; p < declaration; p++)
        line += *p == '\n';
    return arne_reader_warn(r, "xml", line,
                            "the XML declaration (<?xml ...?>) is not at the start of the file; it "
                            "is ignored");
}
