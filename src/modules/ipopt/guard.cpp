#include "guard.h"
#include <new>

arne_status ipopt_guard(void (*call)(void *), void *context)
{
    try {
        call(context);
        return ARNE_OK;
    } catch (const std::bad_alloc &) {
        return ARNE_NO_MEMORY;
    } catch (...) {
        return ARNE_UNSUPPORTED;
    }
}
