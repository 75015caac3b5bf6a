// A still drawing between its parts: still.c places the solids, still_shapes.c draws them.
#ifndef ARNE_REPORT_STILL_PARTS_H
#define ARNE_REPORT_STILL_PARTS_H

#include "math/lower.h"
#include "report/scene.h"
#include <math.h>

// A solid in the picture [m]: a segment with a radius stands for it where solids are compared.
typedef struct piece {
    const solid *solid;
    arne_pose    at;
    arne_vec3    end[2];
    double       radius;
    int          drawn;
} piece;

typedef struct still {
    const figure *figure;
    solid_list    solids;
    pose          camera; // from the world to the picture
    piece        *pieces;
    double        low[2], high[2]; // of the picture
    double        left, bottom, scale;
} still;

static inline arne_vec3 still_at(const arne_pose *X, double x, double y, double z)
{
    const pose at = pose_lift(*X);
    return lower(add(out_of(&at, lift((arne_vec3){x, y, z})), at.p));
}

static inline double still_dot(arne_vec3 a, arne_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// A place of the upright axes in the picture.
static inline arne_vec3 in_picture(view v, arne_vec3 p)
{
    arne_vec3 out;
    view_project(v, p, &out.x, &out.y);
    out.z = cos(v.raise) * (sin(v.turn) * p.x - cos(v.turn) * p.y) + sin(v.raise) * p.z;
    return out;
}

static inline double still_size(const still *s)
{
    return fmax(fmax(s->high[0] - s->low[0], s->high[1] - s->low[1]), 1e-9);
}

// A solid, and what all of them cast on the ground, with its lines.
void put_piece(buffer *b, const still *s, const piece *p);
void put_shadow(buffer *b, const still *s);
void put_ground(buffer *b, const still *s);

#endif
