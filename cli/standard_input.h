// Standard input as a file that can be read more than once.
#ifndef CLI_STANDARD_INPUT_H
#define CLI_STANDARD_INPUT_H

// A path to a copy of standard input, which lasts as long as the program; NULL where none can be
// made.
const char *standard_input_path(void);

// How messages call a path: that copy is "-".
const char *shown_path(const char *path);

#endif
