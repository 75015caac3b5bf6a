// The boundary between C and C++.
#ifndef ARNE_MODULES_IPOPT_GUARD_H
#define ARNE_MODULES_IPOPT_GUARD_H

#include <arne/status.h>

ARNE_BEGIN
// Calls what may throw. ARNE_NO_MEMORY where that is what was thrown, ARNE_UNSUPPORTED for all
// other exceptions.
arne_status ipopt_guard(void (*call)(void *context), void *context);
ARNE_END

#endif
