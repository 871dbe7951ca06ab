// Choosing kernels, and preparing them.
#pragma once

#include <loci/abi/kernels.h>

#include <cstdint>
#include <string>

#include "framework/device/device.h"
#include "framework/runtime/op_desc.h"

namespace loci::runtime {

// A kernel that accepted an operator, or none and why each candidate refused.
struct KernelChoice {
  const plugin::KernelLibrary* library = nullptr;
  const loci_kernel_def* def = nullptr;
  std::string refusals;  // "org.loci.cpu/onednn: rank 5; ..."
  [[nodiscard]] bool found() const { return def != nullptr; }
  // "org.loci.cpu/onednn".
  [[nodiscard]] std::string name() const;
};

// Asks the libraries of the device's type, in order; the first kernel that accepts wins.
KernelChoice choose_kernel(const device::Device& device, const OpDesc& op);

// A kernel ready to launch; immutable and re-entrant.
class PreparedKernel {
 public:
  // Creates and prepares. Throws Error with the op's name.
  PreparedKernel(const KernelChoice& choice, device::Device& device, const OpDesc& op);
  ~PreparedKernel();
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;

  using LaunchFn = loci_error* (*)(const loci_prepared*, const loci_launch*);
  [[nodiscard]] LaunchFn launch() const { return info_.launch; }
  [[nodiscard]] const loci_prepared* handle() const { return info_.prepared; }
  [[nodiscard]] std::uint64_t workspace_bytes() const { return info_.workspace_bytes; }
  [[nodiscard]] std::uint64_t state_bytes() const { return info_.state_bytes; }
  // What the plugin says that it keeps, about.
  [[nodiscard]] std::uint64_t memory_bytes() const { return info_.memory_bytes; }

 private:
  const plugin::KernelLibrary* library_;
  loci_prepared_info info_{};
};

}  // namespace loci::runtime
