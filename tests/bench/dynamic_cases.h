// tools/bench dynamic runs these: programs with dynamic dimensions, and their sizes.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

namespace loci::bench {

struct DynamicCase {
  std::string name;
  Shape declared;
  // Builds a program of so many layers, or of so many times all its operators.
  std::function<Variable(const Variable&, int depth)> build;
  std::function<Shape(int)> size;  // the i-th; all of them differ
};

std::vector<DynamicCase> dynamic_cases();

}  // namespace loci::bench
