// Imperative steps for the benchmark of captured runs: as its programs, written in ops.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci::bench {

struct ImperativeCase {
  std::string name;
  // Makes the weights, and gives the step that uses them; its result.
  std::function<std::function<Tensor()>()> make;
};

std::vector<ImperativeCase> imperative_cases();

}  // namespace loci::bench
