// What every test needs: cmocka (which wants its four headers first), the library and this folder.
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arne/arne.h>
#include <math.h>
#include <string.h>

#include "compare.h"
#include "random.h"
#include "rates.h"
#include "robots.h"
#include "vec.h"

// Where the papers' examples are: they are part of the project, so tests never skip them.
#define TEST_DATA_DIR ARNE_ROBOTS_DIR "/../tests/data"

#endif
