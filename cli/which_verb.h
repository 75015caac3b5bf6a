// A file of another kind than a verb takes: the verb that does take it.
#ifndef CLI_WHICH_VERB_H
#define CLI_WHICH_VERB_H

#include <arne/document.h>

// EXIT_DATA, after a message that names the verb that fits, where the file is plainly of another
// kind.
int check_kind(const char *path, arne_document wanted);

#endif
