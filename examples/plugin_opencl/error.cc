#include "error.h"

#include <CL/cl_ext.h>

namespace opencl {
namespace {

struct Status {
  cl_int value;
  const char* name;
};

#define OPENCL_STATUS(name) \
  { name, #name }
// Those that enqueued work and the calls of this plugin can end with.
constexpr Status kStatuses[] = {
    OPENCL_STATUS(CL_DEVICE_NOT_FOUND),
    OPENCL_STATUS(CL_DEVICE_NOT_AVAILABLE),
    OPENCL_STATUS(CL_COMPILER_NOT_AVAILABLE),
    OPENCL_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    OPENCL_STATUS(CL_OUT_OF_RESOURCES),
    OPENCL_STATUS(CL_OUT_OF_HOST_MEMORY),
    OPENCL_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    OPENCL_STATUS(CL_MEM_COPY_OVERLAP),
    OPENCL_STATUS(CL_BUILD_PROGRAM_FAILURE),
    OPENCL_STATUS(CL_MAP_FAILURE),
    OPENCL_STATUS(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    OPENCL_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    OPENCL_STATUS(CL_INVALID_VALUE),
    OPENCL_STATUS(CL_INVALID_DEVICE),
    OPENCL_STATUS(CL_INVALID_CONTEXT),
    OPENCL_STATUS(CL_INVALID_COMMAND_QUEUE),
    OPENCL_STATUS(CL_INVALID_HOST_PTR),
    OPENCL_STATUS(CL_INVALID_MEM_OBJECT),
    OPENCL_STATUS(CL_INVALID_BUILD_OPTIONS),
    OPENCL_STATUS(CL_INVALID_PROGRAM),
    OPENCL_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    OPENCL_STATUS(CL_INVALID_KERNEL_NAME),
    OPENCL_STATUS(CL_INVALID_KERNEL),
    OPENCL_STATUS(CL_INVALID_ARG_INDEX),
    OPENCL_STATUS(CL_INVALID_ARG_VALUE),
    OPENCL_STATUS(CL_INVALID_ARG_SIZE),
    OPENCL_STATUS(CL_INVALID_KERNEL_ARGS),
    OPENCL_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    OPENCL_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    OPENCL_STATUS(CL_INVALID_EVENT_WAIT_LIST),
    OPENCL_STATUS(CL_INVALID_EVENT),
    OPENCL_STATUS(CL_INVALID_OPERATION),
    OPENCL_STATUS(CL_INVALID_BUFFER_SIZE),
    OPENCL_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    OPENCL_STATUS(CL_PLATFORM_NOT_FOUND_KHR),
};
#undef OPENCL_STATUS

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
    case CL_PLATFORM_NOT_FOUND_KHR:
      return {LOCI_CODE_UNAVAILABLE, "see what clinfo lists"};
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
