#include "identify.h"
#include "message.h"
int identify_design(const char *path, const arne_robot *robot, const identify_args *args)
{
    (void)robot, (void)args;
    return fail_data("%s: design is not there yet", path);
}
