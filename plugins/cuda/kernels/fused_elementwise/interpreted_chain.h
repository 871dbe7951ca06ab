// The kernel that takes any chain, and walks its steps on the device.
#pragma once

#include <loci/plugin/kernel.hpp>
#include <memory>

namespace loci::cuda {

// Of fused_elementwise.
[[nodiscard]] std::unique_ptr<sdk::Kernel> make_interpreted_chain(const sdk::OpDesc& op);

}  // namespace loci::cuda
