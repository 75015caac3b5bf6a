#include "report/data_block.h"

#include "base/text.h"
#include <math.h>
#include <string.h>

void block_text(buffer *b, const char *text)
{
    char line[1024];
    text_line(line, sizeof line, "%s", text);
    put_bytes(b, "\"", 1);
    for (const char *c = line; *c; c++) {
        if (strchr("<>&\"\\'", *c))
            put(b, "\\u%04x", (unsigned char)*c);
        else
            put_bytes(b, c, 1);
    }
    put_bytes(b, "\"", 1);
}

void block_number(buffer *b, double value, int digits)
{
    if (!isfinite(value))
        put(b, "null");
    else
        put_digits(b, fabs(value) < 1e-15 ? 0 : value, digits);
}

void block_vector(buffer *b, arne_vec3 v)
{
    const double value[] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; i++) {
        put(b, "%s", i ? "," : "[");
        block_number(b, value[i], 9);
    }
    put(b, "]");
}

// The largest of w, x, y, z is found first, so that nothing is divided by what is nearly zero.
void quaternion_of(const arne_mat3 *R, double out[4])
{
    const double m[3][3] = {
        {R->x.x, R->y.x, R->z.x}, {R->x.y, R->y.y, R->z.y}, {R->x.z, R->y.z, R->z.z}};
    const double trace = m[0][0] + m[1][1] + m[2][2];
    int          i = 0;
    for (int k = 1; k < 3; k++)
        if (m[k][k] > m[i][i]) i = k;
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    if (trace >= m[i][i]) {
        const double s = sqrt(fmax(0, 1 + trace)) * 2;
        out[0] = (m[2][1] - m[1][2]) / s;
        out[1] = (m[0][2] - m[2][0]) / s;
        out[2] = (m[1][0] - m[0][1]) / s;
        out[3] = s / 4;
        return;
    }
    const double s = sqrt(fmax(0, 1 + m[i][i] - m[j][j] - m[k][k])) * 2;
    out[i] = s / 4;
    out[j] = (m[i][j] + m[j][i]) / s;
    out[k] = (m[i][k] + m[k][i]) / s;
    out[3] = (m[k][j] - m[j][k]) / s;
    if (out[3] < 0)
        for (int n = 0; n < 4; n++)
            out[n] = -out[n];
}

void block_pose(buffer *b, const arne_pose *X)
{
    double h[4];
    quaternion_of(&X->R, h);
    const double value[] = {X->p.x, X->p.y, X->p.z, h[0], h[1], h[2], h[3]};
    for (int i = 0; i < 7; i++) {
        put(b, "%s", i ? "," : "[");
        block_number(b, value[i], 12);
    }
    put(b, "]");
}

void block_bytes(buffer *b, const unsigned char *bytes, size_t size)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { ROOM = 4096 };
    char   out[ROOM];
    size_t used = 0;
    put_bytes(b, "\"", 1);
    for (size_t i = 0; i < size; i += 3) {
        const unsigned last = i + 2 < size ? bytes[i + 2] : 0,
                       middle = i + 1 < size ? bytes[i + 1] : 0;
        const unsigned all = (unsigned)bytes[i] << 16 | middle << 8 | last;
        out[used++] = digit[all >> 18];
        out[used++] = digit[all >> 12 & 63];
        out[used++] = i + 1 < size ? digit[all >> 6 & 63] : '=';
        out[used++] = i + 2 < size ? digit[all & 63] : '=';
        if (used == ROOM) {
            put_bytes(b, out, used);
            used = 0;
        }
    }
    put_bytes(b, out, used);
    put_bytes(b, "\"", 1);
}

// Low byte first on every machine. Three floats are 12 bytes, which are 16 characters of base64
// without padding.
void block_floats(buffer *b, const float *value, size_t count)
{
    enum { AT_ONCE = 768 };
    unsigned char bytes[4 * AT_ONCE];
    put_bytes(b, "\"", 1);
    for (size_t from = 0; from < count; from += AT_ONCE) {
        const size_t some = count - from < AT_ONCE ? count - from : AT_ONCE;
        buffer       part = {0};
        for (size_t i = 0; i < some; i++) {
            unsigned bits;
            memcpy(&bits, &value[from + i], sizeof bits);
            for (int k = 0; k < 4; k++)
                bytes[4 * i + (size_t)k] = (unsigned char)(bits >> 8 * k);
        }
        block_bytes(&part, bytes, 4 * some);
        if (part.size > 2) put_bytes(b, part.text + 1, part.size - 2); // without its quotes
        b->failed = b->failed || part.failed;
        buffer_free(&part);
    }
    put_bytes(b, "\"", 1);
}
