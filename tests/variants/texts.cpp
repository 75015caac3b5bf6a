// All algorithm texts as C++17.
#include "texts.h"
