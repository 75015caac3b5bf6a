// XML that is not well-formed, but clear in its meaning: other readers of URDF take it.
#ifndef ARNE_IO_XML_MEND_H
#define ARNE_IO_XML_MEND_H

#include "base/buffer.h"
#include "io/reader.h"

// Leaves the mended text in *out, with the same lines, and a warning. *out stays empty where
// nothing is to be mended.
ARNE_CHECKED arne_status arne_xml_mend(reader *r, const char *text, size_t size, buffer *out);

#endif
