// Mass of meshes whose points stand in the file, or in an STL or OBJ file that is there.
//
// The mass is that of the volume inside of the faces: the sum of tetrahedra from a point inside to
// the triangles. MuJoCo takes all of these as positive, seen from the middle of the faces, unless
// inertia="exact" is said. With inertia="convex", or without faces, it is the convex hull; with
// inertia="shell" the triangles themselves.
#include "io/formats/mjcf.h"
#include "io/mesh_hull.h"
#include "io/number.h"
#include <stdlib.h>
#include <string.h>

typedef struct mesh_sum {
    double volume,
        second[6];   // of a shell: area; integrals of 1 and of x x^T: xx, yy, zz, xy, xz, yz
    arne_vec3 first; // integral of x
} mesh_sum;

// Adds integrals of 1, x and x x^T over a body of `size` with corners at p and, if it is a
// tetrahedron, at 0: the mean of x x^T is (sum of p p^T + t t^T) / ((n + 1) n) with n corners and t
// their sum.
static void mesh_add(mesh_sum *s, double size, int corners, const arne_vec3 p[3])
{
    const arne_vec3 t = vec_add(p[0], vec_add(p[1], p[2]));
    const double    f = size / (corners * (corners + 1));
    s->volume += size;
    s->first = vec_add(s->first, vec_scale(size / corners, t));
    for (int k = 0; k < 4; k++) {
        const arne_vec3 x = k < 3 ? p[k] : t;
        s->second[0] += f * x.x * x.x;
        s->second[1] += f * x.y * x.y;
        s->second[2] += f * x.z * x.z;
        s->second[3] += f * x.x * x.y;
        s->second[4] += f * x.x * x.z;
        s->second[5] += f * x.y * x.z;
    }
}

static double mesh_area(const arne_vec3 p[3])
{
    return vec_norm(
               vec_cross(vec_add(p[1], vec_scale(-1, p[0])), vec_add(p[2], vec_scale(-1, p[0])))) /
           2;
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

// The middle of the triangles, by their areas.
static arne_vec3 mesh_middle(const arne_vec3 *p, int count)
{
    arne_vec3 sum = {0, 0, 0};
    double    area = 0;
    for (int i = 0; i + 2 < count; i += 3) {
        const double own = mesh_area(p + i);
        sum = vec_add(sum, vec_scale(own / 3, vec_add(p[i], vec_add(p[i + 1], p[i + 2]))));
        area += own;
    }
    return area > 0 ? vec_scale(1 / area, sum) : sum;
}

arne_vec3 mjcf_mesh_point(const mjcf_mesh *mesh, arne_vec3 p)
{
    const arne_vec3 q = {(double)(float)p.x, (double)(float)p.y, (double)(float)p.z};
    const arne_vec3 x = rotate_back(&mesh->ref.R, vec_add(q, vec_scale(-1, mesh->ref.p)));
    return (arne_vec3){mesh->scale[0] * x.x, mesh->scale[1] * x.y, mesh->scale[2] * x.z};
}

// Points of a text, and corners of its faces: *count of them, three by three; NULL: not known.
static arne_vec3 *mesh_text_points(const char *text, int *count)
{
    double    *x = mesh_numbers(text, count);
    const int  n = *count / 3;
    arne_vec3 *p = x && n ? malloc((size_t)n * sizeof *p) : NULL;
    for (int i = 0; p && i < n; i++)
        p[i] = (arne_vec3){x[3 * i], x[3 * i + 1], x[3 * i + 2]};
    free(x);
    *count = n;
    return p;
}

static arne_vec3 *mesh_text_corners(const char *faces, const arne_vec3 *points, int n, int *count)
{
    double    *f = mesh_numbers(faces, count);
    arne_vec3 *p = f ? malloc(((size_t)*count + 1) * sizeof *p) : NULL;
    *count -= *count % 3;
    for (int i = 0; p && i < *count; i++) {
        if (!(f[i] >= 0 && f[i] < n)) {
            free(p);
            p = NULL;
            break;
        }
        p[i] = points[(int)f[i]];
    }
    free(f);
    return p;
}

// The corners of the triangles of a mesh; NULL: not known. *hull: they are its convex hull.
static arne_vec3 *mesh_corners(const mjcf_mesh *mesh, const char *path, int *count, int *hull)
{
    const char *vertex = xml_node_get(mesh->asset, "vertex");
    const char *faces = vertex ? xml_node_get(mesh->asset, "face") : NULL;
    arne_vec3  *p = NULL, *all = NULL;
    *hull = mjcf_is(mesh->inertia, "convex") || (vertex && !faces);
    if (vertex)
        p = mesh_text_points(vertex, count);
    else if (!path || mesh_triangles(path, &p, count) <= 0)
        return NULL;
    if (!p) return NULL;
    for (int i = 0; i < *count; i++)
        p[i] = mjcf_mesh_point(mesh, p[i]);
    if (*hull)
        *count = mesh_hull_triangles(p, *count, &all);
    else if (vertex)
        all = mesh_text_corners(faces, p, *count, count);
    else
        return p;
    free(p);
    return all;
}

static int mesh_sum_of(const mjcf_mesh *mesh, const char *path, int shell, arne_vec3 *inside,
                       mesh_sum *s)
{
    const double mirror = mesh->scale[0] * mesh->scale[1] * mesh->scale[2] < 0 ? -1 : 1;
    int          count = 0, hull = 0;
    arne_vec3   *p = mesh_corners(mesh, path, &count, &hull);
    const int    exact = hull || mjcf_is(mesh->inertia, "exact");
    if (!p) return 0;
    *inside = mesh_middle(p, count);
    for (int i = 0; i + 2 < count; i += 3) {
        for (int k = i; k < i + 3; k++)
            p[k] = vec_add(p[k], vec_scale(-1, *inside));
        const double volume = vec_dot(p[i], vec_cross(p[i + 1], p[i + 2])) / 6;
        if (shell)
            mesh_add(s, mesh_area(p + i), 3, p + i);
        else
            mesh_add(s, !exact ? fabs(volume) : hull ? volume : mirror * volume, 4, p + i);
    }
    free(p);
    return s->volume > 0;
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

int mjcf_mesh_mass(const mjcf_mesh *mesh, const char *path, int shell, double mass, double density,
                   const arne_pose *X, mjcf_mass *sum)
{
    arne_vec3 inside = {0, 0, 0};
    mesh_sum  s = {0};
    shell |= mjcf_is(mesh->inertia, "shell");
    if (!mesh->asset || !mesh_sum_of(mesh, path, shell, &inside, &s)) return 0;
    mesh_into(&s, inside, mass, density, X, sum);
    return 1;
}
