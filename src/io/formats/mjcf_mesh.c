// Mass of meshes whose points stand in the file, or in an STL or OBJ file that is there.
//
// Of a file, MuJoCo takes all volumes as positive, seen from the middle of its faces, unless
// inertia="exact" is said.
//
// A mesh with faces has the volume inside of them; one without is the convex hull of its points.
// The volume is the sum of tetrahedra from a point inside to the triangles.
#include "io/formats/mjcf.h"
#include "io/mesh_hull.h"
#include "io/number.h"
#include <stdlib.h>
#include <string.h>

enum { MESH_MOST_HULL = 64 }; // points of a mesh without faces, whose hull is found by trying

typedef struct mesh_sum {
    double    volume, second[6]; // integrals of 1 and of x x^T: xx, yy, zz, xy, xz, yz
    arne_vec3 first;             // integral of x
} mesh_sum;

// A tetrahedron (0, a, b, c) of density 1: integrals of 1, x, x x^T.
static void mesh_add(mesh_sum *s, arne_vec3 a, arne_vec3 b, arne_vec3 c)
{
    const double     v = vec_dot(a, vec_cross(b, c)) / 6;
    const arne_vec3  t = vec_add(a, vec_add(b, c));
    const arne_vec3 *p[4] = {&a, &b, &c, &t};
    s->volume += v;
    s->first = vec_add(s->first, vec_scale(v / 4, t));
    for (int k = 0; k < 4; k++) { // (sum of p p^T + t t^T) v / 20
        const double f = v / 20;
        s->second[0] += f * p[k]->x * p[k]->x;
        s->second[1] += f * p[k]->y * p[k]->y;
        s->second[2] += f * p[k]->z * p[k]->z;
        s->second[3] += f * p[k]->x * p[k]->y;
        s->second[4] += f * p[k]->x * p[k]->z;
        s->second[5] += f * p[k]->y * p[k]->z;
    }
}

// Numbers of a text; NULL where there are none, or no memory.
static double *mesh_numbers(const char *text, int *count)
{
    double *x = NULL;
    int     room = 0;
    *count = 0;
    for (const char *p = text; *(p += strspn(p, " \t\r\n"));) {
        const char *why;
        if (!mjcf_grow((void **)&x, *count, &room, sizeof *x) ||
            arne_number_decimal(&p, &x[*count], &why)) {
            free(x);
            return NULL;
        }
        (*count)++;
    }
    return x;
}

// Every triangle of points that has all others on one side, turned outward. Triangles of a face
// with more corners than three would count several times: then it is left to others.
static int mesh_hull_sum(const arne_vec3 *p, int n, arne_vec3 inside, mesh_sum *s)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, vec_norm(p[i]));
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) {
                const arne_vec3 normal = vec_cross(vec_add(p[j], vec_scale(-1, p[i])),
                                                   vec_add(p[k], vec_scale(-1, p[i])));
                const double    least = 1e-12 * largest * vec_norm(normal);
                int             above = 0, below = 0, on = 0;
                for (int l = 0; l < n; l++) {
                    const double d = vec_dot(normal, vec_add(p[l], vec_scale(-1, p[i])));
                    above += d > least;
                    below += d < -least;
                    on += fabs(d) <= least;
                }
                if (above && below) continue;
                if (on > 3 || least == 0) return 0;
                const arne_vec3 a = vec_add(p[i], vec_scale(-1, inside)),
                                b = vec_add(p[j], vec_scale(-1, inside)),
                                c = vec_add(p[k], vec_scale(-1, inside));
                if (below)
                    mesh_add(s, a, b, c);
                else
                    mesh_add(s, a, c, b);
            }
    return 1;
}

static int mesh_face_sum(const arne_vec3 *p, int n, const double *face, int count, arne_vec3 inside,
                         mesh_sum *s)
{
    for (int f = 0; f + 2 < count; f += 3) {
        arne_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            if (!(face[f + k] >= 0 && face[f + k] < n)) return 0;
            corner[k] = vec_add(p[(int)face[f + k]], vec_scale(-1, inside));
        }
        mesh_add(s, corner[0], corner[1], corner[2]);
    }
    return 1;
}

// The middle of the triangles, by their areas.
static arne_vec3 mesh_middle(const arne_vec3 *p, int count)
{
    arne_vec3 sum = {0, 0, 0};
    double    area = 0;
    for (int i = 0; i + 2 < count; i += 3) {
        const double own = vec_norm(vec_cross(vec_add(p[i + 1], vec_scale(-1, p[i])),
                                              vec_add(p[i + 2], vec_scale(-1, p[i]))));
        sum = vec_add(sum, vec_scale(own / 3, vec_add(p[i], vec_add(p[i + 1], p[i + 2]))));
        area += own;
    }
    return area > 0 ? vec_scale(1 / area, sum) : sum;
}

static int mesh_file_sum(const xml_node *asset, const char *path, const double scale[3],
                         arne_vec3 *inside, mesh_sum *s)
{
    const char *how = xml_node_get(asset, "inertia");
    const int   exact = mjcf_is(how, "exact");
    arne_vec3  *p = NULL;
    int         count = 0;
    if ((how && !exact && !mjcf_is(how, "legacy")) || mesh_triangles(path, &p, &count) <= 0)
        return 0;
    for (int i = 0; i < count; i++)
        p[i] = (arne_vec3){scale[0] * (double)(float)p[i].x, scale[1] * (double)(float)p[i].y,
                           scale[2] * (double)(float)p[i].z};
    *inside = mesh_middle(p, count);
    for (int i = 0; i + 2 < count; i += 3) {
        const arne_vec3 a = vec_add(p[i], vec_scale(-1, *inside)),
                        b = vec_add(p[i + 1], vec_scale(-1, *inside)),
                        c = vec_add(p[i + 2], vec_scale(-1, *inside));
        const int turned = !exact && vec_dot(a, vec_cross(b, c)) < 0;
        mesh_add(s, a, turned ? c : b, turned ? b : c);
    }
    free(p);
    return 1;
}

static void mesh_into(const mesh_sum *s, arne_vec3 inside, double mass, double density,
                      const arne_pose *X, mjcf_mass *sum)
{
    const double    scale = mass >= 0 ? mass / s->volume : density, m = scale * s->volume;
    const arne_vec3 centre = vec_scale(1 / s->volume, s->first);
    const double    xx = s->second[0] - s->volume * centre.x * centre.x,
                 yy = s->second[1] - s->volume * centre.y * centre.y,
                 zz = s->second[2] - s->volume * centre.z * centre.z,
                 xy = s->second[3] - s->volume * centre.x * centre.y,
                 xz = s->second[4] - s->volume * centre.x * centre.z,
                 yz = s->second[5] - s->volume * centre.y * centre.z;
    const double    J[6] = {scale * (yy + zz), scale * (xx + zz), scale * (xx + yy),
                            -scale * xy,       -scale * xz,       -scale * yz};
    const arne_pose at = {X->R, vec_add(X->p, rotate(&X->R, vec_add(centre, inside)))};
    mjcf_mass_add(sum, m, &at, J);
}

int mjcf_mesh_mass(const xml_node *asset, const char *path, const double scale[3], double mass,
                   double density, const arne_pose *X, mjcf_mass *sum)
{
    const char *points = asset ? xml_node_get(asset, "vertex") : NULL;
    const char *how = asset ? xml_node_get(asset, "inertia") : NULL;
    const char *faces = asset && !mjcf_is(how, "convex") ? xml_node_get(asset, "face") : NULL;
    int         count = 0, face_count = 0, fine = 0;
    double     *x = points ? mesh_numbers(points, &count) : NULL;
    double     *face = faces ? mesh_numbers(faces, &face_count) : NULL;
    const int   n = count / 3;
    arne_vec3  *p = x && n >= 4 ? malloc((size_t)n * sizeof *p) : NULL, inside = {0, 0, 0};
    mesh_sum    s = {0};
    for (int i = 0; i < n && p; i++) {
        const float at[3] = {(float)x[3 * i], (float)x[3 * i + 1], (float)x[3 * i + 2]};
        p[i] = (arne_vec3){scale[0] * (double)at[0], scale[1] * (double)at[1],
                           scale[2] * (double)at[2]}; // MuJoCo keeps meshes in single precision
        inside = vec_add(inside, vec_scale(1.0 / n, p[i]));
    }
    if (mjcf_is(how, "shell"))
        fine = 0; // of a surface: not known
    else if (p && faces)
        fine = face && mesh_face_sum(p, n, face, face_count, inside, &s);
    else if (p && n <= MESH_MOST_HULL)
        fine = mesh_hull_sum(p, n, inside, &s);
    else if (asset && path && !points)
        fine = mesh_file_sum(asset, path, scale, &inside, &s);
    if (fine && s.volume > 0) mesh_into(&s, inside, mass, density, X, sum);
    free(x);
    free(face);
    free(p);
    return fine && s.volume > 0;
}
