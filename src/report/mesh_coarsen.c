// Vertex clustering (Rossignac and Borrel, 1993), on coarser and coarser grids until the mesh is
// small enough. It keeps the outline, which is what one sees of a robot.
#include "report/mesh_coarsen.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 32, NARROW = 65536, FINEST = 512, COARSEST = 4 };

typedef struct mesh {
    const unsigned char *place; // three words of two bytes for each corner
    uint32_t            *index;
    size_t               corners, triangles;
    float                step[3];
} mesh;

typedef struct cluster {
    double sum[3];
    double count;
} cluster;

typedef struct grid {
    cluster  *cluster;
    int32_t  *slot; // of cells, with open addresses; -1: empty
    uint32_t *cell; // of each cluster: three numbers
    uint32_t *of;   // of each corner: its cluster
    size_t    count, mask;
} grid;

static uint32_t mesh_coarsen_word_at(const unsigned char *b, int bytes)
{
    uint32_t word = 0;
    for (int i = 0; i < bytes; i++)
        word |= (uint32_t)b[i] << 8 * i;
    return word;
}

static unsigned char *mesh_coarsen_put_word(unsigned char *to, uint32_t word, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *to++ = (unsigned char)(word >> 8 * i);
    return to;
}

static int mesh_coarsen_width_of(size_t corners) { return corners > NARROW ? 4 : 2; }

static size_t mesh_coarsen_size_of(size_t corners, size_t triangles)
{
    return HEAD + 6 * corners + 3 * triangles * (size_t)mesh_coarsen_width_of(corners);
}

static int mesh_coarsen_read_mesh(const unsigned char *b, size_t size, mesh *m)
{
    if (size < HEAD) return 0;
    *m = (mesh){b + HEAD, NULL, mesh_coarsen_word_at(b, 4), mesh_coarsen_word_at(b + 4, 4), {0}};
    if (mesh_coarsen_size_of(m->corners, m->triangles) != size) return 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t word = mesh_coarsen_word_at(b + 20 + 4 * k, 4);
        memcpy(&m->step[k], &word, sizeof word);
    }
    m->index = malloc((3 * m->triangles + 1) * sizeof *m->index);
    if (!m->index) return 0;
    const int            wide = mesh_coarsen_width_of(m->corners);
    const unsigned char *at = m->place + 6 * m->corners;
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        m->index[i] = mesh_coarsen_word_at(at + i * (size_t)wide, wide);
        if (m->index[i] >= m->corners) return 0;
    }
    return 1;
}

static uint32_t cluster_at(grid *g, const uint32_t cell[3])
{
    size_t i =
        (size_t)cell[0] * 73856093u ^ (size_t)cell[1] * 19349663u ^ (size_t)cell[2] * 83492791u;
    for (i &= g->mask; g->slot[i] >= 0; i = (i + 1) & g->mask)
        if (memcmp(g->cell + 3 * (size_t)g->slot[i], cell, 3 * sizeof *cell) == 0)
            return (uint32_t)g->slot[i];
    memcpy(g->cell + 3 * g->count, cell, 3 * sizeof *cell);
    g->cluster[g->count] = (cluster){{0}, 0};
    g->slot[i] = (int32_t)g->count;
    return (uint32_t)g->count++;
}

// Corners into cells, so many along the longest side. Returns how many triangles are left.
static size_t mesh_coarsen_gather(const mesh *m, int cells, grid *g)
{
    const float  widest = fmaxf(m->step[0], fmaxf(m->step[1], m->step[2]));
    const double side = (double)(NARROW - 1) / cells * (double)widest;
    size_t       left = 0;
    g->count = 0;
    memset(g->slot, 0xff, (g->mask + 1) * sizeof *g->slot);
    for (size_t i = 0; i < m->corners; i++) {
        uint32_t place[3], cell[3];
        for (int k = 0; k < 3; k++) {
            place[k] = mesh_coarsen_word_at(m->place + 6 * i + 2 * (size_t)k, 2);
            cell[k] = side > 0 ? (uint32_t)(place[k] * (double)m->step[k] / side) : 0;
        }
        cluster *c = &g->cluster[g->of[i] = cluster_at(g, cell)];
        for (int k = 0; k < 3; k++)
            c->sum[k] += place[k];
        c->count++;
    }
    for (size_t i = 0; i < m->triangles; i++) {
        const uint32_t a = g->of[m->index[3 * i]], b = g->of[m->index[3 * i + 1]],
                       c = g->of[m->index[3 * i + 2]];
        left += a != b && b != c && c != a;
    }
    return left;
}

static unsigned char *write_mesh(const unsigned char *packed, const mesh *m, const grid *g,
                                 size_t triangles, size_t *size)
{
    const int wide = mesh_coarsen_width_of(g->count);
    *size = mesh_coarsen_size_of(g->count, triangles);
    unsigned char *out = malloc(*size + 1), *to = out;
    if (!out) return NULL;
    memcpy(out, packed, HEAD);
    mesh_coarsen_put_word(out, (uint32_t)g->count, 4);
    mesh_coarsen_put_word(out + 4, (uint32_t)triangles, 4);
    to += HEAD;
    for (size_t i = 0; i < g->count; i++)
        for (int k = 0; k < 3; k++)
            to = mesh_coarsen_put_word(
                to, (uint32_t)lround(g->cluster[i].sum[k] / g->cluster[i].count), 2);
    for (size_t i = 0; i < m->triangles; i++) {
        const uint32_t a = g->of[m->index[3 * i]], b = g->of[m->index[3 * i + 1]],
                       c = g->of[m->index[3 * i + 2]];
        if (a == b || b == c || c == a) continue;
        to = mesh_coarsen_put_word(
            mesh_coarsen_put_word(mesh_coarsen_put_word(to, a, wide), b, wide), c, wide);
    }
    *to = 0;
    return out;
}

static int make_grid(grid *g, size_t corners)
{
    g->mask = 1;
    while (g->mask < 2 * corners)
        g->mask = 2 * g->mask + 1;
    g->cluster = malloc((corners + 1) * sizeof *g->cluster);
    g->slot = malloc((g->mask + 1) * sizeof *g->slot);
    g->cell = malloc((3 * corners + 1) * sizeof *g->cell);
    g->of = malloc((corners + 1) * sizeof *g->of);
    return g->cluster && g->slot && g->cell && g->of;
}

unsigned char *mesh_coarsen(const unsigned char *packed, size_t size, size_t most,
                            size_t *coarse_size)
{
    mesh           m = {0};
    grid           g = {0};
    unsigned char *out = NULL;
    if (mesh_coarsen_read_mesh(packed, size, &m) && make_grid(&g, m.corners)) {
        int    cells = FINEST;
        size_t left = mesh_coarsen_gather(&m, cells, &g);
        while (cells > COARSEST && mesh_coarsen_size_of(g.count, left) > most) {
            cells = 4 * cells / 5;
            left = mesh_coarsen_gather(&m, cells, &g);
        }
        out = write_mesh(packed, &m, &g, left, coarse_size);
    }
    free(m.index);
    free(g.cluster);
    free(g.slot);
    free(g.cell);
    free(g.of);
    return out;
}
