// A prepared kernel, each of whose launches runs on memory with canaries around it.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <string>

namespace loci::cpu {

// Outputs and workspace hold NaN before a launch, so that what is not written, and what is read
// before it is written, shows. Immutable; does not own what was prepared.
class CanariedKernel {
 public:
  // `name` is for messages.
  CanariedKernel(std::string name, const loci_op_desc& op, const loci_prepared_info& info);

  [[nodiscard]] loci_prepared* prepared() const { return info_.prepared; }

  // The error of the kernel. Throws sdk::Error(LOCI_CODE_INTERNAL) that names the kernel and the
  // memory beside which it wrote, or an input that it changed.
  loci_error* launch(const loci_launch& launch) const;

 private:
  const std::string name_;
  const std::uint32_t input_count_;
  const std::uint32_t output_count_;
  const loci_prepared_info info_;
};

}  // namespace loci::cpu
