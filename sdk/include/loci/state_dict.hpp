// The state of modules and optimizers.
#pragma once

#include <loci/tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {

// Tensors by dotted name, "features.0.weight", in order.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

}  // namespace v0
}  // namespace loci
