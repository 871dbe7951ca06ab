// A call that is refused: the code that it gives, and why, for the log.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace loci::cuda_double {

class DriverError : public std::runtime_error {
 public:
  DriverError(CUresult code, const std::string& why) : std::runtime_error(why), code_(code) {}
  [[nodiscard]] CUresult code() const { return code_; }

 private:
  CUresult code_;
};

// Throws DriverError with the code unless the condition holds.
inline void require(bool holds, CUresult code, const char* why) {
  if (!holds) throw DriverError(code, why);
}
inline void require(bool holds, const char* why) { require(holds, CUDA_ERROR_INVALID_VALUE, why); }

}  // namespace loci::cuda_double
