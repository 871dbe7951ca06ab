// A refusal ends a call: it has a status of cuBLASLt's, and says why.
#pragma once

#include <cublasLt.h>

#include <stdexcept>
#include <string>

namespace loci::cublaslt_double {

class Refusal : public std::runtime_error {
 public:
  // A mistake of the caller's is told on stderr; that there is no way to do something is an answer.
  Refusal(cublasStatus_t status, const std::string& why)
      : std::runtime_error(why), status_(status) {}
  [[nodiscard]] cublasStatus_t status() const { return status_; }
  [[nodiscard]] bool is_mistake() const {
    return status_ == CUBLAS_STATUS_INVALID_VALUE || status_ == CUBLAS_STATUS_NOT_INITIALIZED;
  }

 private:
  const cublasStatus_t status_;
};

inline void require(bool holds, const std::string& why) {
  if (!holds) throw Refusal(CUBLAS_STATUS_INVALID_VALUE, why);
}

// For what cuBLASLt may do and the double does not.
inline void require_supported(bool holds, const std::string& why) {
  if (!holds) throw Refusal(CUBLAS_STATUS_NOT_SUPPORTED, why);
}

}  // namespace loci::cublaslt_double
