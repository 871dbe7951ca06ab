// A kernel of the plugin under test that needs no more than an input and an output, to be launched
// without the core.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <string>

#include "tools/conformance/verify/open_device.h"

namespace loci::verify {

class PlainKernel {
 public:
  // Prepares the first operator without attributes, from one float32 tensor to another of its
  // shape, that the plugin has a kernel for, with these flags (LOCI_KERNEL_*). Skips the check if
  // there is none.
  PlainKernel(Instance& instance, OpenDevice& device, const Stream& stream,
              std::uint32_t flags = 0);
  ~PlainKernel();
  PlainKernel(const PlainKernel&) = delete;
  PlainKernel& operator=(const PlainKernel&) = delete;

  // Into the stream.
  void launch(std::uint64_t correlation);
  // Into that one, from kTensorBytes at `input` to as many at `output`, with LOCI_LAUNCH_* flags.
  void launch(const Stream& stream, void* input, void* output, std::uint64_t flags,
              std::uint64_t correlation = 0);
  [[nodiscard]] const std::string& op() const { return op_; }

  static constexpr std::int64_t kCount = 1024;
  static constexpr std::uint64_t kTensorBytes = kCount * sizeof(float);

 private:
  bool prepare(Instance& instance, OpenDevice& device, const char* op);
  bool make(Instance& instance, OpenDevice& device, const loci_kernel_def& def,
            const loci_op_desc& op);

  const loci_kernels_api& api_;
  std::uint32_t flags_;
  std::string op_;
  const Stream& stream_;
  Memory input_;
  Memory output_;
  loci_prepared_info info_{};
  std::uint32_t input_layout_ = LOCI_LAYOUT_PLAIN;
  std::uint32_t output_layout_ = LOCI_LAYOUT_PLAIN;
  Bytes state_;
  std::vector<Memory> workspace_;  // one or none
};

}  // namespace loci::verify
