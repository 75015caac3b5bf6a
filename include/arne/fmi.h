// FMUs: a robot or a scenario as a unit of the Functional Mock-up Interface, which other simulators
// load. docs/guide/fmi.md says what is in one.
#ifndef ARNE_FMI_H
#define ARNE_FMI_H

#include <arne/simulate.h>

typedef struct arne_fmu_options {
    size_t size; // of this struct, or 0: see arne/types.h
    // Of the standard: 3 (FMI 3.0) or 2 (FMI 2.0); 0: 3.
    int version;
    // The model identifier, a name of C; NULL: arne_fmu_name of the title or the robot's name.
    const char *name;
} arne_fmu_options;

enum { ARNE_FMU_NAME = 64 };

ARNE_BEGIN

// Writes an FMU to a file, completely or not at all. It holds modelDescription.xml, copies of
// everything that the scenario names, and a binary for this machine: a copy of the module
// libarne_fmi.so, which has the library in it.
//
// Of a robot alone, the torques of its joints are inputs. options may be NULL.
//
// ARNE_UNSUPPORTED where there is no module, names are too long, or the controller needs files of
// its own (mpc, actuators); ARNE_VALUE for a bad name or version; ARNE_FILE.
ARNE_API ARNE_CHECKED arne_status arne_fmu_write(const arne_scenario *scenario, const char *path,
                                                 const arne_fmu_options *options,
                                                 arne_error             *error);
ARNE_API ARNE_CHECKED arne_status arne_fmu_write_robot(const arne_robot *robot, const char *path,
                                                       const arne_fmu_options *options,
                                                       arne_error             *error);

// A model identifier from any text: letters, digits and _ stay.
ARNE_API void arne_fmu_name(const char *text, char out[ARNE_FMU_NAME]);

ARNE_END

#endif
