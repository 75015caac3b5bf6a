#ifndef ARNE_REPORT_VTP_H
#define ARNE_REPORT_VTP_H

#include <stddef.h>

// A mesh of VTK in ASCII as text of Wavefront OBJ, which the caller frees; NULL where it is none.
unsigned char *vtp_to_obj(const unsigned char *bytes, size_t size, size_t *out_size);

#endif
