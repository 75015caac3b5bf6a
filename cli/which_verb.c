#include "which_verb.h"

#include "message.h"

#include <string.h>

int check_kind(const char *path, arne_document wanted)
{
    static const char *const fits[ARNE_DOCUMENT_COUNT] = {
        [ARNE_DOCUMENT_ROBOT] = "arne info, compute, view, check or convert",
        [ARNE_DOCUMENT_SCENARIO] = "arne simulate",
        [ARNE_DOCUMENT_PROBLEM] = "arne plan",
        [ARNE_DOCUMENT_IDENTIFICATION] = "arne identify --settings",
        [ARNE_DOCUMENT_SWEEP] = "arne sweep",
    };
    int           fitting;
    arne_document kind;
    arne_error    error;
    if (strcmp(path, "-") == 0) return EXIT_FINE; // it can be read once
    if (arne_document_fits(path, wanted, &fitting, &error) != ARNE_OK || fitting) return EXIT_FINE;
    if (arne_document_kind(path, &kind, &error) != ARNE_OK || kind == wanted) return EXIT_FINE;
    const char *verb = fits[kind] ? fits[kind] : "arne --help";
    const int   falls = kind == ARNE_DOCUMENT_ROBOT && wanted == ARNE_DOCUMENT_SCENARIO;
    return fail_data("%s is a %s file, and a %s file is needed here; what takes it is: %s%s%s%s",
                     path, arne_document_name(kind), arne_document_name(wanted), verb,
                     falls ? "; a scenario that lets it fall has two lines, 'robot: " : "",
                     falls ? path : "", falls ? "' and 'duration: 2'" : "");
}
