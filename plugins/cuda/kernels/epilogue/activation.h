// Activations that epilogues of products and convolutions may have; for both sides of a launch.
#pragma once

#include <loci/plugin/activation.hpp>

namespace loci::cuda {

using sdk::Activation;

}  // namespace loci::cuda
