#include "guard.h"
#include <IpException.hpp>
#include <new>

arne_status ipopt_guard(void (*call)(void *), void *context)
{
    try {
        call(context);
        return ARNE_OK;
    } catch (const std::bad_alloc &) {
        return ARNE_NO_MEMORY;
    } catch (const Ipopt::IpoptException &e) { // some of its own are what it made of the first
        return e.Message() == "Not enough memory" ? ARNE_NO_MEMORY : ARNE_UNSUPPORTED;
    } catch (...) {
        return ARNE_UNSUPPORTED;
    }
}
