// OpenCL C, compiled for a device when a kernel first needs it.
#include <algorithm>

#include "device.h"
#include "error.h"

namespace opencl {
namespace {

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t bytes = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

}  // namespace

Program Device::compile(const Source& source) const {
  // Messages of the compiler count the lines of the file itself.
  const std::string line = text("#line 1 \"", source.name, "\"\n");
  const char* parts[] = {kCommonSource.code, line.c_str(), source.code};
  cl_int status = CL_SUCCESS;
  Program program(clCreateProgramWithSource(context_.get(), 3, parts, nullptr, &status));
  check(status, "creating a program");
  const char* options = entry_.divides_exactly
                            ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                            : "-cl-std=CL1.2";
  status = clBuildProgram(program.get(), 1, &entry_.id, options, nullptr, nullptr);
  if (status == CL_BUILD_PROGRAM_FAILURE) {
    throw loci::sdk::Error(
        LOCI_CODE_INTERNAL,
        text("[opencl] ", entry_.name, " does not compile ", source.name,
             "; report it to the author of the plugin:\n", build_log(program.get(), entry_.id)));
  }
  check(status, "compiling a program");
  return program;
}

ClKernel Device::make_kernel(const Source& source, const char* name) {
  const std::lock_guard lock(programs_mutex_);
  auto found = programs_.find(&source);
  if (found == programs_.end()) found = programs_.emplace(&source, compile(source)).first;
  cl_int status = CL_SUCCESS;
  ClKernel kernel(clCreateKernel(found->second.get(), name, &status));
  if (status != CL_SUCCESS) throw error_of(status, text("looking up ", name));
  return kernel;
}

}  // namespace opencl
