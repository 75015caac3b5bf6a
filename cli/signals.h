// SIGINT and SIGTERM: the program ends with 128 + the signal's number, whatever it does. Verbs that
// keep what they have ask for the time to do so; a second signal ends them all the same.
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

// At the start of the program.
void signals_begin(void);
// From here on the first signal is only noted.
void signals_note(void);
// An arne_stop_fn: nonzero where one was noted.
int signals_stop(void *unused);
// 128 + the signal where one was noted, else the code.
int signals_code(int code);
// While `holds` nothing ends the program: for the moments in which files are put in their places.
void signals_hold(int holds);
// A file to be removed by a signal that ends the program; NULL: none. The text must stay.
void signals_remove(const char *path);

#endif
