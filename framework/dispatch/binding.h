// From an op, its types and a device to a kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/device/device.h"
#include "framework/dispatch/kernel_cache.h"
#include "framework/dispatch/op_desc.h"

namespace loci::dispatch {

// A kernel that takes an operator, or none and why each candidate refused.
struct Binding {
  Implementation implementation;                 // without a definition: none takes it
  std::shared_ptr<const PreparedKernel> kernel;  // null: there is nothing to compute
  // Kernels of the same plugin that may take the operator in layouts of the plugin's own: those
  // before it that declined plain values, which others have faster, and itself.
  std::vector<Implementation> for_layouts;
  // The refusals of the first three before it: "org.loci.cpu/onednn: rank 5; ...". Where all there
  // are is for other dtypes: "none for float16; has: float32, float64".
  std::string refusals;

  [[nodiscard]] bool found() const { return implementation.def != nullptr; }
  // "org.loci.cpu/onednn", or "none".
  [[nodiscard]] std::string name() const;
  // The aliases that it permits.
  [[nodiscard]] std::vector<loci_alias> aliases() const;
};

// Asks the kernels of the device's type, in the order of the plugins and of their lists: the first
// whose dtypes and supports() accept the operator and whose prepare() does not decline it. Nothing
// is prepared for an operator that writes nothing. Without a cache the kernel is for the caller
// alone. Throws Error with the op's name where a preparation fails.
Binding bind_kernel(device::Device& device, const OpDesc& op, KernelCache* cache);

}  // namespace loci::dispatch
