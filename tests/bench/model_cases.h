// tools/bench models times these: whole models as their inference runs.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci::bench {

struct ModelCase {
  std::string name;
  // Made when it is measured: the weights of all do not have to fit at once.
  std::function<std::shared_ptr<nn::Module>()> make;
  Shape input;
  // The largest difference of results, over 1 + their magnitude.
  double tolerance = 1e-3;
};

std::vector<ModelCase> model_cases();

}  // namespace loci::bench
