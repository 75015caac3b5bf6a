#ifndef ARNE_VERSION_H
#define ARNE_VERSION_H

#include <arne/types.h>

#define ARNE_VERSION_MAJOR 0
#define ARNE_VERSION_MINOR 1
#define ARNE_VERSION_PATCH 0
#define ARNE_VERSION_STRING "0.1.0"

ARNE_BEGIN
// The version of the library that is linked, as "major.minor.patch".
ARNE_API const char *arne_version(void);
ARNE_END

#endif
