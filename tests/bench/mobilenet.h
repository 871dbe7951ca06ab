// MobileNetV3-Large of Howard et al., Searching for MobileNetV3 (2019), table 1.
#pragma once

#include <loci/loci.hpp>
#include <memory>

namespace loci::bench {

// Images [batch, 3, 224, 224] to 1,000 classes.
std::shared_ptr<nn::Module> mobilenet_v3();

}  // namespace loci::bench
