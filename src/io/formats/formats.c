#include "io/formats/formats.h"

#include "base/plain.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const robot_format formats[ARNE_FORMAT_COUNT] = {
    [ARNE_FORMAT_YAML] = {"yaml", " .yaml .yml ", 1, yaml_recognise, yaml_read, write_yaml},
    [ARNE_FORMAT_URDF] = {"urdf", " .urdf ", 0, urdf_recognise, urdf_read, write_urdf},
    [ARNE_FORMAT_MJCF] = {"mjcf", " .xml .mjcf ", 0, mjcf_recognise, mjcf_read, write_mjcf},
    [ARNE_FORMAT_SDF] = {"sdf", " .sdf .world ", 0, sdf_recognise, sdf_read, NULL},
    [ARNE_FORMAT_OSIM] = {"osim", " .osim ", 0, osim_recognise, osim_read, NULL},
    [ARNE_FORMAT_XACRO] = {"xacro", " .xacro ", 0, xacro_recognise, xacro_read, NULL},
};

const robot_format *robot_format_at(arne_format format)
{
    return (int)format >= 0 && format < ARNE_FORMAT_COUNT ? &formats[format] : NULL;
}

const char *arne_format_name(arne_format format)
{
    const robot_format *f = robot_format_at(format);
    return f ? f->name : NULL;
}

size_t robot_path_size(const char *name)
{
    for (const char *p = strstr(name, ":="); p; p = strstr(p + 2, ":=")) {
        const char *start = p;
        while (start > name && (plain_is_name(start[-1]) || strchr("_:-", start[-1])))
            start--;
        if (start == p || start == name || start[-1] != ' ') continue;
        while (start > name && start[-1] == ' ')
            start--;
        return (size_t)(start - name);
    }
    return strlen(name);
}

arne_status robot_format_read(const robot_format *format, reader *r, const char *text, size_t size)
{
    const char  *name = r->file;
    const size_t length = robot_path_size(name);
    char        *path = malloc(length + 1);
    if (!path) return arne_fail_memory(r->error);
    memcpy(path, name, length);
    path[length] = 0;
    r->file = path;
    r->arguments = name + length;
    const arne_status status = format->read(r, text, size);
    r->file = name;
    r->arguments = NULL;
    free(path);
    return status;
}

// A name ends as a format's files do where one of its dots begins an ending, whatever the case:
// .urdf.xacro is .xacro.
int robot_format_ends(const robot_format *format, const char *file)
{
    char        lower[32];
    const char *end = file + robot_path_size(file), *dot = end;
    while (dot > file && *dot != '.')
        dot--;
    if (*dot != '.' || end - dot > (int)sizeof lower - 3) return 0;
    size_t n = 0;
    lower[n++] = ' ';
    for (const char *c = dot; c < end; c++)
        lower[n++] = plain_lower(*c);
    lower[n++] = ' ';
    lower[n] = 0;
    return strstr(format->endings, lower) != NULL;
}

int robot_name_is(const char *name, arne_format format)
{
    return robot_format_ends(&formats[format], name);
}

int arne_format_of(const char *path, arne_format *out)
{
    for (int i = 0; path && out && i < ARNE_FORMAT_COUNT; i++)
        if (formats[i].write && robot_format_ends(&formats[i], path)) {
            *out = (arne_format)i;
            return 1;
        }
    return 0;
}

// ---- recognition

// The end of a comment, instruction or document type at `p`; NULL: it has none, or there is none.
static const char *skip_mark(const char *p, const char *end)
{
    static const char *const marks[][2] = {{"<!--", "-->"}, {"<?", "?>"}, {"<!", ">"}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t begin = strlen(marks[i][0]), close = strlen(marks[i][1]);
        if ((size_t)(end - p) < begin || memcmp(p, marks[i][0], begin) != 0) continue;
        for (p += begin; (size_t)(end - p) >= close; p++)
            if (memcmp(p, marks[i][1], close) == 0) return p + close;
        return NULL;
    }
    return NULL;
}

static void formats_find_root(format_sample *s, const char *p)
{
    const char *end = s->text + s->size;
    for (const char *next; p && p < end; p = next) {
        next = skip_mark(p, end);
        while (next && next < end && plain_is_space(*next))
            next++;
        if (!next) break;
    }
    if (!p || p >= end || *p != '<') return;
    size_t n = 0;
    for (p++; p < end && n + 1 < sizeof s->root; p++) {
        if (plain_is_space(*p) || strchr("/>", *p)) break;
        s->root[n++] = *p;
    }
    s->root[n] = 0;
}

// XML starts with "<", after white space and a byte order mark (zeros too: UTF-16).
static format_sample take_sample(const char *file, const char *text, size_t size)
{
    static const char ignored[] = " \t\r\n\xef\xbb\xbf\xfe\xff"; // its final zero counts
    format_sample     s = {.file = file, .text = text, .size = size};
    size_t            i = 0;
    while (i < size && memchr(ignored, text[i], sizeof ignored))
        i++;
    s.is_xml = i < size && text[i] == '<';
    if (s.is_xml) formats_find_root(&s, text + i);
    return s;
}

const robot_format *robot_format_of(const char *file, const char *text, size_t size)
{
    const format_sample s = take_sample(file, text, size);
    int                 best = 0;
    format_match        most = FORMAT_NO;
    for (int i = 0; i < ARNE_FORMAT_COUNT; i++) {
        const format_match match = formats[i].recognise(&s);
        if (match <= most) continue;
        best = i;
        most = match;
    }
    return &formats[best];
}

// A file that is no XML may still be called so: then the XML parser says what is wrong.
format_match urdf_recognise(const format_sample *s)
{
    static const char *const suffixes[] = {".urdf", ".xml", ".mjcf"};
    if (s->is_xml) return strcmp(s->root, "robot") == 0 ? FORMAT_SURE : FORMAT_PERHAPS;
    const char *dot = strrchr(s->file, '.');
    for (size_t k = 0; dot && k < sizeof suffixes / sizeof *suffixes; k++)
        if (strcmp(dot, suffixes[k]) == 0) return FORMAT_SURE;
    return FORMAT_NO;
}

// By its name alone: a URDF keeps the namespace of xacro after it was made, and leftovers too.
format_match xacro_recognise(const format_sample *s)
{
    return robot_name_is(s->file, ARNE_FORMAT_XACRO) ? FORMAT_CERTAIN : FORMAT_NO;
}

format_match yaml_recognise(const format_sample *s)
{
    return s->is_xml ? FORMAT_NO : FORMAT_PERHAPS;
}
