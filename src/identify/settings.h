// Settings of an identification, from a file.
#ifndef ARNE_IDENTIFY_SETTINGS_H
#define ARNE_IDENTIFY_SETTINGS_H

#include "io/document.h"
#include "io/schema.h"

extern const doc_schema identify_settings_schema;

#endif
