// cuDNN 9, opened at run time when a convolution first asks for it: the plugin links nothing of it,
// and has convolutions of its own where it is not, or does not fit.
#pragma once

#include <string>

#include "cudnn_types.h"
#include "driver.h"

namespace loci::cuda {

namespace cudnn {

struct Functions {
// A declaration takes no parentheses.
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define LOCI_CUDNN_FUNCTION(result, name, parameters) result(*name) parameters = nullptr;
#include "cudnn_functions.inc"
#undef LOCI_CUDNN_FUNCTION
};

}  // namespace cudnn

// The library of the process: opened once, and never closed, as the driver. It finds the driver by
// itself, and works in the context that is current.
class CudnnLibrary {
 public:
  // `setting` is the path of another library than the loader finds by itself, "0" for none, and
  // empty for that.
  CudnnLibrary(const std::string& setting, const Driver& driver, bool is_emulated);

  // Why there is none, in one line; empty where there is one.
  [[nodiscard]] const std::string& unavailable() const { return unavailable_; }
  // Returns true if there is one that does not fit: somebody meant it to be used.
  [[nodiscard]] bool is_mismatched() const { return is_mismatched_; }
  [[nodiscard]] const cudnn::Functions* operator->() const { return &functions_; }
  // "CUDNN_STATUS_NOT_SUPPORTED".
  [[nodiscard]] std::string status_text(cudnn::Status status) const;

 private:
  void open(const std::string& file, const std::string& driver_version);
  void check_version(const std::string& file);
  void check_toolkit(const std::string& file, const std::string& driver_version);
  void check_parts(const std::string& file);
  void refuse(const std::string& why, const std::string& remedy);

  cudnn::Functions functions_;
  std::string unavailable_;
  bool is_mismatched_ = false;
};

}  // namespace loci::cuda
