// OpenCL's status codes as errors.
#pragma once

#include <CL/cl.h>

#include <loci/plugin/error.hpp>
#include <sstream>
#include <string>

namespace opencl {

// The parts, one after the other.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream stream;
  (stream << ... << parts);
  return stream.str();
}

// "CL_OUT_OF_RESOURCES (-5)".
std::string status_name(cl_int status);

// Returns an error with what was being done, the status' name and what to do about it.
[[nodiscard]] loci::sdk::Error error_of(cl_int status, const std::string& action);

// Throws that error unless the call succeeded.
inline void check(cl_int status, const char* action) {
  if (status != CL_SUCCESS) throw error_of(status, action);
}

}  // namespace opencl
