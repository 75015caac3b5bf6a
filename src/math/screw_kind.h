// How a body's pose is made of screws: see screw.h.
#ifndef ARNE_MATH_SCREW_KIND_H
#define ARNE_MATH_SCREW_KIND_H

typedef enum screw_kind {
    SCREW_NONE,
    SCREW_AXIAL, // Tx(a) Rx(alpha) Tz(d) Rz(theta)
    SCREW_DENSE  // C Rz(theta) with any constant pose C
} screw_kind;

#endif
