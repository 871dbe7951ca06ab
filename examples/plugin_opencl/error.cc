#include "error.h"

#include <CL/cl_ext.h>

namespace opencl {
namespace {

struct Status {
  cl_int value;
  const char* name;
};

#define NAMED(name) \
  { CL_##name, "CL_" #name }
// The statuses that calls of this plugin and the work that it enqueues can end with.
constexpr Status kStatuses[] = {NAMED(DEVICE_NOT_FOUND),
                                NAMED(DEVICE_NOT_AVAILABLE),
                                NAMED(COMPILER_NOT_AVAILABLE),
                                NAMED(MEM_OBJECT_ALLOCATION_FAILURE),
                                NAMED(OUT_OF_RESOURCES),
                                NAMED(OUT_OF_HOST_MEMORY),
                                NAMED(PROFILING_INFO_NOT_AVAILABLE),
                                NAMED(MEM_COPY_OVERLAP),
                                NAMED(BUILD_PROGRAM_FAILURE),
                                NAMED(MAP_FAILURE),
                                NAMED(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                NAMED(INVALID_VALUE),
                                NAMED(INVALID_DEVICE),
                                NAMED(INVALID_CONTEXT),
                                NAMED(INVALID_COMMAND_QUEUE),
                                NAMED(INVALID_HOST_PTR),
                                NAMED(INVALID_MEM_OBJECT),
                                NAMED(INVALID_PROGRAM),
                                NAMED(INVALID_KERNEL_NAME),
                                NAMED(INVALID_KERNEL),
                                NAMED(INVALID_ARG_VALUE),
                                NAMED(INVALID_ARG_SIZE),
                                NAMED(INVALID_KERNEL_ARGS),
                                NAMED(INVALID_WORK_GROUP_SIZE),
                                NAMED(INVALID_EVENT_WAIT_LIST),
                                NAMED(INVALID_OPERATION),
                                NAMED(INVALID_BUFFER_SIZE),
                                {CL_PLATFORM_NOT_FOUND_KHR, "CL_PLATFORM_NOT_FOUND_KHR"}};
#undef NAMED

struct Meaning {
  loci_code code;
  const char* remedy;
};

Meaning meaning_of(cl_int status) {
  switch (status) {
    // Drivers say any of these, the last one for a size beyond what they give in one piece.
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
      return {LOCI_CODE_OUT_OF_MEMORY, "use smaller tensors, or another device"};
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_DEVICE_NOT_FOUND:
    case CL_COMPILER_NOT_AVAILABLE:
    case CL_PLATFORM_NOT_FOUND_KHR: return {LOCI_CODE_UNAVAILABLE, "see what clinfo lists"};
    default: break;
  }
  return status <= CL_INVALID_VALUE
             ? Meaning{LOCI_CODE_INTERNAL, "report it to the author of the plugin"}
             : Meaning{LOCI_CODE_FAILED, "look for more in the log of the OpenCL driver"};
}

}  // namespace

std::string status_name(cl_int status) {
  for (const Status& known : kStatuses) {
    if (known.value == status) return text(known.name, " (", status, ")");
  }
  return text("OpenCL status ", status);
}

loci::sdk::Error error_of(cl_int status, const std::string& action) {
  const Meaning meaning = meaning_of(status);
  return {meaning.code,
          text("[opencl] ", action, " ended with ", status_name(status), "; ", meaning.remedy)};
}

}  // namespace opencl
