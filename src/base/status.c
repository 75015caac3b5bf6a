#include <arne/status.h>
#include <arne/version.h>

const char *arne_version(void) { return ARNE_VERSION_STRING; }

const char *arne_status_text(arne_status status)
{
    switch (status) {
#define TEXT(name, text)                                                                           \
    case ARNE_##name:                                                                              \
        return text;
        ARNE_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}
