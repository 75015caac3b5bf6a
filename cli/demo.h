// The examples of `arne demo`. Each writes its title and its figures, and returns an exit status:
// EXIT_DATA where a figure is not what theory or the literature says.
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <arne/work.h>
#include <stdio.h>

int demo_stanford(const arne_robot *robot, arne_work *work, FILE *out);
int demo_puma(const arne_robot *robot, arne_work *work, FILE *out);
int demo_free_fall(const arne_robot *robot, arne_work *work, FILE *out);
int demo_round_trip(const arne_robot *robot, arne_work *work, FILE *out);

#endif
