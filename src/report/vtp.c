// Meshes of OpenSim: .vtp, polygons as VTK writes them in XML, as text of Wavefront OBJ.
//
// Of the file, three lists of numbers count: the points, the corners of all polygons one after the
// other (connectivity), and where each polygon ends in these (offsets). Only lists in ASCII are
// read.
#include "report/vtp.h"

#include "base/buffer.h"
#include "base/plain.h"
#include <stdlib.h>
#include <string.h>

// The numbers of the element <DataArray> with this attribute behind `from`; NULL where there are
// none, or in another form.
static const char *vtp_list(const char *from, const char *until, const char *attribute)
{
    for (const char *at = from; at && (at = strstr(at, "<DataArray")) && at < until; at++) {
        const char *close = strchr(at, '>');
        const char *named = strstr(at, attribute), *ascii = strstr(at, "format=\"ascii\"");
        if (close && named && named < close && ascii && ascii < close) return close + 1;
    }
    return NULL;
}

// The next number of a list; 0 at its end.
static int vtp_next(const char **at, double *out)
{
    char *end;
    while (plain_is_space(**at))
        (*at)++;
    if (!**at || **at == '<') return 0;
    *out = plain_number(*at, &end);
    if (end == *at) return 0;
    *at = end;
    return 1;
}

static long vtp_points(const char *list, buffer *out)
{
    double x[3];
    long   count = 0;
    while (vtp_next(&list, &x[0]) && vtp_next(&list, &x[1]) && vtp_next(&list, &x[2])) {
        for (int k = 0; k < 3; k++) {
            put(out, k ? " " : "v ");
            put_digits(out, x[k], 7);
        }
        put(out, "\n");
        count++;
    }
    return count;
}

static int vtp_faces(const char *corners, const char *ends, long points, buffer *out)
{
    double end, corner;
    long   at = 0;
    int    faces = 0;
    while (vtp_next(&ends, &end)) {
        put(out, "f");
        for (; (double)at < end; at++) {
            if (!vtp_next(&corners, &corner) || !(corner >= 0 && corner < (double)points)) return 0;
            put(out, " %ld", (long)corner + 1);
        }
        put(out, "\n");
        faces++;
    }
    return faces;
}

unsigned char *vtp_to_obj(const unsigned char *bytes, size_t size, size_t *out_size)
{
    char *text = malloc(size + 1);
    if (!text) return NULL;
    memcpy(text, bytes, size);
    text[size] = 0;
    buffer      out = {0};
    const char *end = text + size, *points = strstr(text, "<Points"),
               *polys = strstr(text, "<Polys");
    const char *places = points ? vtp_list(points, end, "NumberOfComponents=\"3\"") : NULL;
    const char *corners = polys ? vtp_list(polys, end, "Name=\"connectivity\"") : NULL;
    const char *ends = polys ? vtp_list(polys, end, "Name=\"offsets\"") : NULL;
    const int   found = places && corners && ends &&
                      vtp_faces(corners, ends, vtp_points(places, &out), &out) > 0 && !out.failed;
    free(text);
    if (!found) {
        buffer_free(&out);
        return NULL;
    }
    *out_size = out.size;
    return (unsigned char *)out.text;
}
