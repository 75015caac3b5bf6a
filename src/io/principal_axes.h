// Principal axes of an inertia.
#ifndef ARNE_IO_PRINCIPAL_AXES_H
#define ARNE_IO_PRINCIPAL_AXES_H

#include <arne/types.h>

// As columns: by turns until no entry off the diagonal is above `least`, or the cosine of a turn is
// within `still` of 1.
void principal_axes(const arne_mat3 *J, double least, double still, arne_mat3 *V);

#endif
