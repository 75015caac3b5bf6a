// Modules: shared objects libarne_NAME.so that hold what needs other libraries (CUDA, Ipopt,
// SUNDIALS). They are loaded when first asked for and stay. So the library itself needs none of
// these, and keeps its promise of no writable globals.
#ifndef ARNE_BASE_MODULE_H
#define ARNE_BASE_MODULE_H

#include <arne/status.h>
#include <stddef.h>

// What the table of a module starts with. A module shares structs with the library, so both must be
// of one release, and agree on their size.
typedef struct module_head {
    const char *release; // ARNE_VERSION_STRING
    size_t      layout;  // the size of the struct that both sides know
} module_head;

typedef struct module_need {
    const char *name;    // "ipopt": libarne_ipopt.so, whose table is called arne_ipopt_module
    const char *what;    // what needs it: "planning"
    const char *solver;  // the library behind it: "Ipopt"
    const char *package; // where that comes from: "coinor-libipopt-dev"
    size_t      layout;
} module_need;

// Looks for a module in the folders of ARNE_MODULES (separated by colons), beside the library or
// the program that holds this code, in the folder for libraries that belongs to the program's own,
// in the one where Arne was to be installed, and where the system looks. ARNE_UNSUPPORTED where
// there is none or it does not work: the text says what to install.
ARNE_CHECKED arne_status module_open(const module_need *need, const module_head **table,
                                     arne_error *error);
// The path of its file.
enum { MODULE_PATH = 4096 };
ARNE_CHECKED arne_status module_find(const module_need *need, char path[MODULE_PATH],
                                     arne_error *error);

#endif
