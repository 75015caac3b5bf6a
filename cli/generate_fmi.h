// arne generate --for fmi: an FMU of a robot or a scenario.
#ifndef CLI_GENERATE_FMI_H
#define CLI_GENERATE_FMI_H

#include "load.h"

typedef struct fmi_request {
    const robot_args *robot;
    const text_list  *payload;
    const char       *output; // FILE.fmu, or a folder
    const char       *name;   // NULL: made from that of the robot or the scenario's file
    int               version;
} fmi_request;

// Returns an exit status.
int generate_fmi(const char *path, const fmi_request *request);

#endif
