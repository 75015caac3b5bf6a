// What the library looks for when it copies this module into an FMU.
#include "base/module.h"
#include "export/fmu_model.h"
#include <arne/version.h>

__attribute__((visibility("default"))) extern const module_head arne_fmi_module;
const module_head arne_fmi_module = {ARNE_VERSION_STRING, sizeof(fmu_model)};
