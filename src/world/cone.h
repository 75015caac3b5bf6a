// One contact by itself: Coulomb's law for an impulse at a point.
#ifndef ARNE_WORLD_CONE_H
#define ARNE_WORLD_CONE_H

// The impulse p (normal, two across) with v = u + K p that obeys, for the normal part v_n and the
// part across v_t,
//     p_n >= least,  v_n >= 0,  (p_n - least) v_n = 0,      |p_t| <= mu p_n,  v_t = -l p_t  (l > 0
//                    only on the cone)
//
// p    in: a guess; out: the impulse
void cone_solve(const double K[9], const double u[3], double mu, double least, double p[3]);

#endif
