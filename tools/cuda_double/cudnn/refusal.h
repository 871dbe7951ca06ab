// A refusal ends a call: it has a status of cuDNN's, and says why.
#pragma once

#include <stdexcept>
#include <string>

#include "tools/cuda_double/cudnn/interface.h"

namespace loci::cudnn_double {

class Refusal : public std::runtime_error {
 public:
  // A mistake of the caller's is told on stderr; that there is no way to do something is an answer.
  Refusal(int status, const std::string& why) : std::runtime_error(why), status_(status) {}
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] bool is_mistake() const { return status_ / 1000 <= kBadParameter / 1000; }

 private:
  const int status_;
};

inline void require(bool holds, const std::string& why, Status status = kBadParameter) {
  if (!holds) throw Refusal(status, why);
}

// For what cuDNN may do and the double does not.
inline void require_supported(bool holds, const std::string& why) {
  if (!holds) throw Refusal(kNotSupported, why);
}

}  // namespace loci::cudnn_double
