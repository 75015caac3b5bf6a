// A robot as bytes: a head that says what they are, then the block, which holds no addresses.
#include "base/error.h"
#include "robot/isa.h"
#include "robot/robot.h"
#include <arne/pack.h>
#include <arne/version.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The numbers of another version, or of a machine with other types, are not ours: all of this must
// agree.
typedef struct head {
    char     magic[8];
    char     version[16];
    uint32_t order, record_size; // of bytes, and of the robot's own record
    uint64_t size, sum;          // of the block
} head;

static uint64_t sum_of(const unsigned char *bytes, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u; // FNV-1a
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

static head head_of(const void *block, size_t size)
{
    head h = {.magic = "arnerob",
              .version = ARNE_VERSION_STRING,
              .order = 0x01020304,
              .record_size = (uint32_t)sizeof(arne_robot),
              .size = size};
    h.sum = sum_of(block, size);
    return h;
}

size_t arne_robot_packed_size(const arne_robot *robot) { return sizeof(head) + robot->size; }

void arne_robot_pack(const arne_robot *robot, void *bytes)
{
    const head h = head_of(robot, robot->size);
    memcpy(bytes, &h, sizeof h);
    memcpy((char *)bytes + sizeof h, robot, robot->size);
}

arne_status arne_robot_unpack(const void *bytes, size_t size, arne_robot **out, arne_error *error)
{
    const char *block = (const char *)bytes + sizeof(head);
    head        found;
    if (out) *out = NULL;
    if (!bytes || !out)
        return arne_fail(error, ARNE_NULL_ARGUMENT, NULL, 0, "%s is NULL", out ? "bytes" : "out");
    if (size < sizeof(head) + sizeof(arne_robot))
        return arne_fail(error, ARNE_SYNTAX, NULL, 0, "a packed robot has more bytes");
    memcpy(&found, bytes, sizeof found);
    const head wanted = head_of(block, size - sizeof(head));
    if (memcmp(found.magic, wanted.magic, sizeof found.magic) != 0)
        return arne_fail(error, ARNE_SYNTAX, NULL, 0, "these bytes are no packed robot");
    if (memcmp(found.version, wanted.version, sizeof found.version) != 0 ||
        found.order != wanted.order || found.record_size != wanted.record_size)
        return arne_fail(error, ARNE_UNSUPPORTED, NULL, 0,
                         "the robot was packed by another version of Arne, or on another machine");
    arne_robot *robot = NULL;
    if (found.size == wanted.size && found.sum == wanted.sum) {
        robot = malloc((size_t)found.size);
        if (!robot) return arne_fail_memory(error);
        memcpy(robot, block, (size_t)found.size);
    }
    if (!robot || robot->size != found.size) {
        free(robot);
        return arne_fail(error, ARNE_SYNTAX, NULL, 0, "the packed robot is damaged");
    }
    // Kernels for a processor that is not this one are exchanged for its own.
    if (!arne_isa_available((arne_isa)(ARNE_ISA_BASELINE + robot->isa)))
        robot->isa = isa_index(ARNE_ISA_BEST);
    *out = robot;
    return ARNE_OK;
}
