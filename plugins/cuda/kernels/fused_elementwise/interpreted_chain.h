// The kernel that takes any chain, and walks its steps on the device.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <memory>

namespace loci::cuda {

// Makes a kernel of fused_elementwise that interprets its steps.
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_interpreted_chain(const sdk::OpDesc& op);

}  // namespace loci::cuda
