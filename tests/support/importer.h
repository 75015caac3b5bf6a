// A small importer of FMUs: unpacks the archive (stored files only), reads the description, loads
// the binary, and calls it through the C interface of FMI 3.0. Written from the standard's text.
#ifndef IMPORTER_H
#define IMPORTER_H

#include "io/xml_tree.h"
#include "testing.h"

#include <stdbool.h>

enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR };

// Of FMI 3.0.
typedef struct fmi3 {
    void *(*co_simulation)(const char *, const char *, const char *, bool, bool, bool, bool,
                           const uint32_t *, size_t, void *, void *, void *);
    void *(*model_exchange)(const char *, const char *, const char *, bool, bool, void *, void *);
    void (*release)(void *);
    int (*enter_initialization)(void *, bool, double, double, bool, double);
    int (*exit_initialization)(void *);
    int (*terminate)(void *);
    int (*reset)(void *);
    int (*get)(void *, const uint32_t *, size_t, double *, size_t);
    int (*set)(void *, const uint32_t *, size_t, const double *, size_t);
    int (*get_state)(void *, void **);
    int (*set_state)(void *, void *);
    int (*free_state)(void *, void **);
    int (*state_size)(void *, void *, size_t *);
    int (*serialize)(void *, void *, unsigned char *, size_t);
    int (*deserialize)(void *, const unsigned char *, size_t, void **);
    int (*directional)(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                       size_t, double *, size_t);
    int (*enter_event)(void *);
    int (*update)(void *, bool *, bool *, bool *, bool *, bool *, double *);
    int (*enter_continuous)(void *);
    int (*completed_step)(void *, bool, bool *, bool *);
    int (*set_time)(void *, double);
    int (*set_states)(void *, const double *, size_t);
    int (*get_states)(void *, double *, size_t);
    int (*rates)(void *, double *, size_t);
    int (*indicators)(void *, double *, size_t);
    int (*nominals)(void *, double *, size_t);
    int (*indicator_count)(void *, size_t *);
    int (*state_count)(void *, size_t *);
    int (*step)(void *, double, double, bool, bool *, bool *, bool *, double *);
    const char *(*version)(void);
} fmi3;

typedef struct importer {
    char     folder[64]; // that it is unpacked in
    char     files[16][160];
    int      file_count;
    xml_tree tree; // modelDescription.xml
    void    *library;
    fmi3     call;
    char     token[64], resources[96], identifier[96];
} importer;

// Packs a scenario (a file, or the text that stands for one at `name`) or a robot, and unpacks it.
importer *importer_of_scenario(const char *name, const char *text, int version);
importer *importer_of_robot(const arne_robot *robot, int version);
void      importer_free(importer *i);

// An instance; messages go to importer_message.
void *importer_start(const importer *i, int exchange);
// Likewise, and initialised.
void *importer_begin(const importer *i, int exchange);
// What the binary said last.
const char *importer_message(void);

// The value reference of a variable by its name; -1: none.
int importer_find(const importer *i, const char *name);
// The names of variables with this causality, one after the other from `after` (-1: the first).
int    importer_next(const importer *i, const char *causality, int after);
double importer_get(const importer *i, void *instance, const char *name);
int    importer_set(const importer *i, void *instance, const char *name, double value);

#endif
