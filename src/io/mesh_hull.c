// A convex hull that grows by the point that is furthest outside of it, until none is or it has
// vertices enough (as quickhull does, Barber, Dobkin and Huhdanpaa 1996).
#include "io/mesh_hull.h"
#include "math/vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A hull of n vertices has 2 n - 4 faces; while one is added those that see it are still there.
enum { FACES_PER_VERTEX = 8, MOST_FACES = FACES_PER_VERTEX * MESH_HULL_MOST };

typedef struct hull_face {
    int       corner[3]; // indices of points, counter-clockwise as seen from outside
    arne_vec3 normal;
    double    offset;
    int       furthest; // the point that is furthest outside, and how far
    double    outside;
} hull_face;

typedef struct hull {
    const arne_vec3 *points;
    int              count;
    hull_face       *faces, *seen; // seen: from the vertex that is added
    int (*rim)[2], face_count, most_faces;
    int   *vertices, vertex_count, most_vertices;
    double least; // distances below this count as zero
} hull;

// Whether point i is further out than the best so far. Ties (all points of a face) are broken along
// a fixed direction that is parallel to no likely face or edge, so that a vertex wins.
static int goes_before(const hull *h, int i, double far, int best, double most)
{
    const arne_vec3 askew = {0.5377, 0.6151, 0.5769};
    if (fabs(far - most) > h->least) return far > most;
    return dot3(askew, h->points[i]) > dot3(askew, h->points[best]);
}

// The point that is furthest along a direction.
static int furthest_along(const hull *h, arne_vec3 way)
{
    int    best = 0;
    double most = dot3(h->points[0], way);
    for (int i = 1; i < h->count; i++) {
        const double along = dot3(h->points[i], way);
        if (!goes_before(h, i, along, best, most)) continue;
        most = along;
        best = i;
    }
    return best;
}

static int add_face(hull *h, int a, int b, int c)
{
    if (h->face_count == h->most_faces) return 0;
    hull_face   *f = &h->faces[h->face_count];
    arne_vec3    n = cross3(sub3(h->points[b], h->points[a]), sub3(h->points[c], h->points[a]));
    const double length = sqrt(dot3(n, n));
    if (length > 0) n = (arne_vec3){n.x / length, n.y / length, n.z / length};
    *f = (hull_face){.corner = {a, b, c}, .normal = n, .offset = dot3(n, h->points[a])};
    f->furthest = furthest_along(h, n);
    f->outside = length > 0 ? dot3(n, h->points[f->furthest]) - f->offset : 0;
    h->face_count++;
    return 1;
}

static void add_vertex(hull *h, int point)
{
    for (int i = 0; i < h->vertex_count; i++)
        if (memcmp(&h->points[h->vertices[i]], &h->points[point], sizeof *h->points) == 0) return;
    if (h->vertex_count < h->most_vertices) h->vertices[h->vertex_count++] = point;
}

// The point furthest from the line through two others, and from the plane through three.
static int furthest_from(const hull *h, int a, int b, int c, double *distance)
{
    int             best = a;
    const arne_vec3 along = sub3(h->points[b], h->points[a]);
    const arne_vec3 n = c < 0 ? along : cross3(along, sub3(h->points[c], h->points[a]));
    const double    length = sqrt(dot3(n, n));
    *distance = 0;
    for (int i = 0; i < h->count && length > 0; i++) {
        const arne_vec3 p = sub3(h->points[i], h->points[a]), q = cross3(n, p);
        const double    d = (c < 0 ? sqrt(dot3(q, q)) : fabs(dot3(n, p))) / length;
        if (!goes_before(h, i, d, best, *distance)) continue;
        *distance = d;
        best = i;
    }
    return best;
}

// The largest coordinate of any point, relative to the first.
static double mesh_hull_extent(const hull *h)
{
    double most = 0;
    for (int i = 0; i < h->count; i++) {
        const arne_vec3 p = sub3(h->points[i], h->points[0]);
        most = fmax(most, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    return most;
}

// Four points that span a volume. Returns 0 where all lie in a plane.
static int mesh_hull_start(hull *h, double precision)
{
    const arne_vec3 x = {1, 0, 0}, back = {-1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    double          size = 0, distance;
    h->least = precision * mesh_hull_extent(h);
    const int low = furthest_along(h, back),
              others[3] = {furthest_along(h, x), furthest_along(h, y), furthest_along(h, z)};
    int a = low, b = low;
    for (int i = 0; i < 3; i++) {
        const arne_vec3 d = sub3(h->points[others[i]], h->points[low]);
        if (sqrt(dot3(d, d)) > size) {
            size = sqrt(dot3(d, d));
            b = others[i];
        }
    }
    const int c = furthest_from(h, a, b, -1, &distance);
    if (!(distance > h->least)) return 0;
    const int d = furthest_from(h, a, b, c, &distance);
    if (!(distance > h->least)) return 0;
    const arne_vec3 n = cross3(sub3(h->points[b], h->points[a]), sub3(h->points[c], h->points[a]));
    const int       below = dot3(n, sub3(h->points[d], h->points[a])) < 0;
    const int       p = below ? b : c, q = below ? c : b; // d sees none of the first face
    const int       four[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++)
        add_vertex(h, four[i]);
    return add_face(h, a, p, q) && add_face(h, a, d, p) && add_face(h, p, d, q) &&
           add_face(h, q, d, a);
}

// Replaces the faces that a new point sees by faces between the point and the rim of that region.
static int mesh_hull_grow(hull *h, int point)
{
    hull_face *seen = h->seen;
    int(*edges)[2] = h->rim, count = 0, kept = 0, seen_count = 0;
    for (int i = 0; i < h->face_count; i++) {
        const hull_face *f = &h->faces[i];
        if (dot3(f->normal, h->points[point]) - f->offset > 0.5 * h->least)
            seen[seen_count++] = *f;
        else
            h->faces[kept++] = *f;
    }
    h->face_count = kept;
    for (int i = 0; i < seen_count; i++)
        for (int k = 0; k < 3; k++) {
            const int from = seen[i].corner[k], to = seen[i].corner[(k + 1) % 3];
            int       inside = 0;
            for (int j = 0; j < seen_count && !inside; j++)
                for (int l = 0; l < 3; l++)
                    inside |= seen[j].corner[l] == to && seen[j].corner[(l + 1) % 3] == from;
            if (inside) continue;
            edges[count][0] = from;
            edges[count++][1] = to;
        }
    add_vertex(h, point);
    for (int i = 0; i < count; i++)
        if (!add_face(h, edges[i][0], edges[i][1], point)) return 0;
    return 1;
}

// For points in a plane or on a line: the furthest point along each of many directions.
static void flat(hull *h)
{
    const double turn = 2.399963229728653; // the golden angle
    for (int i = 0; i < 4 * MESH_HULL_MOST; i++) {
        const double    z = 1 - (2 * i + 1.0) / (4 * MESH_HULL_MOST), r = sqrt(1 - z * z);
        const arne_vec3 way = {r * cos(turn * i), r * sin(turn * i), z};
        add_vertex(h, furthest_along(h, way));
    }
}

// From four points that span a volume, or none.
static void mesh_hull_fill(hull *h)
{
    for (int k = 0; k < h->count && h->face_count && h->vertex_count < h->most_vertices; k++) {
        int best = 0;
        for (int i = 1; i < h->face_count; i++)
            if (h->faces[i].outside > h->faces[best].outside) best = i;
        if (!(h->faces[best].outside > h->least) || !mesh_hull_grow(h, h->faces[best].furthest))
            break;
    }
}

int mesh_hull_of(const arne_vec3 *points, int count, arne_vec3 out[MESH_HULL_MOST])
{
    hull_face faces[MOST_FACES], seen[MOST_FACES];
    int       rim[3 * MOST_FACES][2], vertices[MESH_HULL_MOST];
    hull      h = {.points = points,
                   .count = count,
                   .faces = faces,
                   .seen = seen,
                   .rim = rim,
                   .most_faces = MOST_FACES,
                   .vertices = vertices,
                   .most_vertices = MESH_HULL_MOST};
    if (count < 1) return 0;
    if (!mesh_hull_start(&h, 1e-7)) { // files in single precision know no more
        h.vertex_count = 0;
        flat(&h);
    }
    mesh_hull_fill(&h);
    for (int i = 0; i < h.vertex_count; i++)
        out[i] = points[h.vertices[i]];
    return h.vertex_count;
}

int mesh_hull_triangles(const arne_vec3 *points, int count, arne_vec3 **corners)
{
    const int vertices =
        count < 4 || count < MESH_HULL_WORK / count ? count : MESH_HULL_WORK / count;
    const size_t most = FACES_PER_VERTEX * (size_t)(vertices > 0 ? vertices : 1);
    hull         h = {.points = points, .count = count};
    int          n = -1;
    *corners = NULL;
    if (vertices < 4) return 0;
    h.faces = malloc(most * sizeof *h.faces);
    h.seen = malloc(most * sizeof *h.seen);
    h.rim = malloc(3 * most * sizeof *h.rim);
    h.vertices = malloc((size_t)vertices * sizeof *h.vertices);
    h.most_faces = (int)most;
    h.most_vertices = vertices;
    if (h.faces && h.seen && h.rim && h.vertices) {
        n = 0;
        if (mesh_hull_start(&h, 1e-13)) mesh_hull_fill(&h);
        if (h.vertex_count == vertices && vertices < count) h.face_count = 0; // not whole
        *corners = malloc((size_t)(3 * h.face_count + 1) * sizeof **corners);
        for (int i = 0; *corners && i < h.face_count; i++)
            for (int k = 0; k < 3; k++)
                (*corners)[n++] = points[h.faces[i].corner[k]];
        if (!*corners) n = -1;
    }
    free(h.faces);
    free(h.seen);
    free(h.rim);
    free(h.vertices);
    return n;
}
