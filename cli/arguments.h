// Arguments of robot files: NAME:=VALUE, --package NAME=DIR and --model NAME belong to the file
// before which or behind which they stand.
#ifndef ARNE_CLI_ARGUMENTS_H
#define ARNE_CLI_ARGUMENTS_H

// Puts them behind the name of the robot file, as the library wants it (arne/io.h), and takes them
// off the list. Returns 0 after a message, where there is no such file.
int arguments_join(int *argc, char **argv);

#endif
