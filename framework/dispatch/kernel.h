// Kernels that are ready to launch.
#pragma once

#include <loci/abi/kernels.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/dispatch/op_desc.h"

namespace loci::dispatch {

// One of a plugin's kernels of an op.
struct Implementation {
  const device::KernelLibrary* library = nullptr;
  const loci_kernel_def* def = nullptr;
  // "org.loci.cpu/onednn".
  [[nodiscard]] std::string name() const;
};

// Re-entrant, once it is prepared.
class PreparedKernel {
 public:
  explicit PreparedKernel(const device::KernelLibrary& library) : library_(&library) {}
  ~PreparedKernel();
  PreparedKernel(const PreparedKernel&) = delete;
  PreparedKernel& operator=(const PreparedKernel&) = delete;

  // Once, by prepare_kernel(). Why the kernel declines, empty if it does not.
  [[nodiscard]] std::string prepare(const Implementation& implementation, device::Device& device,
                                    const OpDesc& op);

  [[nodiscard]] loci_error* launch(const loci_launch& call) const {
    if (!has_run()) [[unlikely]]
      return launch_first(call);
    return info_.launch(info_.prepared, &call);
  }
  // For lists of launches that call it directly. Where its code has not run yet, that is within a
  // core::NewCode, since it may register destructors, and is told of after it.
  using LaunchFn = loci_error* (*)(const loci_prepared*, const loci_launch*);
  [[nodiscard]] LaunchFn launch_function() const { return info_.launch; }
  [[nodiscard]] const loci_prepared* handle() const { return info_.prepared; }
  [[nodiscard]] bool has_run() const { return has_run_.load(std::memory_order_relaxed); }
  void note_launched() const;
  [[nodiscard]] std::uint64_t workspace_bytes() const { return info_.workspace_bytes; }
  [[nodiscard]] std::uint64_t state_bytes() const { return info_.state_bytes; }
  // The layout in which it reads a constant, by flat input. Empty: all are plain.
  [[nodiscard]] const std::vector<std::uint32_t>& input_layouts() const { return input_layouts_; }
  // The layout in which it writes, by flat output. Empty: all are plain.
  [[nodiscard]] const std::vector<std::uint32_t>& output_layouts() const { return output_layouts_; }
  // The operations of a launch, by the op's schema; 0 if it serves launches of any extents.
  [[nodiscard]] std::uint64_t flops() const { return flops_; }
  // Why a launch cannot be part of a device graph; empty if it can.
  [[nodiscard]] std::string capture_refusal() const;
  // The memory that it keeps, about, as the plugin says.
  [[nodiscard]] std::uint64_t memory_bytes() const { return info_.memory_bytes; }

 private:
  [[nodiscard]] loci_error* launch_first(const loci_launch& call) const;

  const device::KernelLibrary* library_;
  const loci_kernel_def* def_ = nullptr;
  device::Device* device_ = nullptr;
  loci_prepared_info info_{};
  std::vector<std::uint32_t> input_layouts_;
  std::vector<std::uint32_t> output_layouts_;
  std::uint64_t flops_ = 0;
  std::uint64_t code_ = 0;                    // see new_code.h
  mutable std::atomic<bool> has_run_{false};  // the code
};

// A kernel, or why it declined.
struct Preparation {
  std::shared_ptr<const PreparedKernel> kernel;
  std::string declined;
};

// Creates and prepares. Throws Error with the op's name, unless prepare() declines.
Preparation prepare_kernel(const Implementation& implementation, device::Device& device,
                           const OpDesc& op);

}  // namespace loci::dispatch
