// A conformance case states how ops have to compute.
//
// A case calls one op, or a few, on inputs of one dtype and shape, and says what has to come out.
// It knows nothing of backends: the runner takes a place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <loci/program.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/conformance/array.h"
#include "tools/conformance/generator.h"

namespace loci::conformance {

using Arrays = std::vector<Array>;
using Variables = std::vector<Variable>;

// An output has to have this dtype and shape, and these values before rounding, and may be off by
// the slack.
struct Expected : Array {
  // For each element the error, in units of the roundoff of the arithmetic (compute_precision),
  // that any order of evaluation stays within: for a sum of n products, n * sum(|x y|) to first
  // order (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). The rounding to the
  // output's dtype is allowed on top. Empty: the element is the value rounded once, to the bit.
  // The op's schema says it in words (OpSchema::accuracy).
  std::vector<Real> slack;

  // Zeros that have to be matched to the bit.
  static Expected exact(DType dtype, const Shape& shape) { return Expected{{dtype, shape}, {}}; }
  // Zeros with a slack of 0 each.
  static Expected bounded(DType dtype, const Shape& shape) {
    Expected expected = exact(dtype, shape);
    expected.slack.resize(expected.size());
    return expected;
  }
};

struct Input {
  DType dtype;
  Shape shape;
  Generator values;
  // A persistable variable, which the op may change, instead of a fed one.
  bool state = false;
};

// Seed and run of the random state.
struct RandomState {
  std::uint64_t seed = 0;
  std::uint64_t run = 0;
};

struct Case {
  std::string op;
  std::string variant;  // attributes, for the name
  std::vector<Input> inputs;
  // Called with a variable for each input while the program of the case is built.
  std::function<Variables(const Variables&)> build;
  // One for each output. Without it the outputs only have to be the same bits however the program
  // is compiled.
  std::function<std::vector<Expected>(const Arrays&)> reference = nullptr;
  // Inputs whose gradients are compared with central differences of the reference, where they are
  // float32 or float64.
  std::vector<std::size_t> differentiate = {};
  // Roundings on the way of a gradient, besides one for each term of its sum.
  Real gradient_slack = 32;
  std::optional<RandomState> random = std::nullopt;
  std::string family = {};  // filled in by the suite

  // "matmul/matmul/float32/[2, 3],[3, 4]/transpose_x"; unique.
  [[nodiscard]] std::string name() const;
  // Deterministic, rounded to the dtypes.
  [[nodiscard]] Arrays make_inputs() const;
};

// All cases of a run, by family.
class Suite {
 public:
  // Cases added from now on belong to that family.
  void begin_family(std::string family) { family_ = std::move(family); }
  // Throws std::logic_error if the name is taken.
  void add(Case added);

  [[nodiscard]] const std::vector<Case>& cases() const { return cases_; }
  [[nodiscard]] Suite selected(const std::function<bool(const Case&)>& wanted) const;
  // Those whose name matches the regular expression somewhere. Throws std::regex_error.
  [[nodiscard]] Suite filtered(const std::string& pattern) const;

 private:
  std::string family_;
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

// Every case of every family.
Suite all_cases();

}  // namespace loci::conformance
