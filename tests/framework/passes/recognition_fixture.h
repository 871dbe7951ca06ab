// Tests of recognised ops share this: the pass on its own, and plans with and without it.
#pragma once

#include <cmath>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/operators.hpp>

#include "tests/framework/passes/pass_fixture.h"
#include "tests/fuzz/dice.h"

namespace loci::passes {

class RecognitionTest : public PassTest {
 protected:
  // With kernels of everything for float32 and nothing else, at that place.
  void recognise(const std::vector<Variable>& fetches, const std::string& where = {}) {
    PassContext made = context(fetches);
    made.has_kernel = [where](std::string_view, DType dtype, const std::string& guard) {
      return dtype == kFloat32 && guard == where;
    };
    made.is_host = [this](const std::string&) { return is_host_; };
    run_pass("op_recognition", block(), made);
  }
  bool is_host_ = true;  // that place

  // Returns the types of the operators that are left, constants apart.
  std::vector<std::string> left() {
    std::vector<std::string> found;
    for (const std::string& type : types()) {
      if (type != "fill_constant") found.push_back(type);
    }
    return found;
  }

  const program::Operator& last() { return block().ops.back(); }
  std::string input_name(std::size_t slot) {
    const program::Slot& given = last().inputs[slot];
    return given.empty() ? "" : block().var(given.front()).name;
  }

  // Between -4 and 4.
  static Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
    fuzz::Dice dice(seed);
    std::vector<float> elements(static_cast<std::size_t>(shape.numel()));
    for (float& element : elements) {
      element = (static_cast<float>(dice.below(20001)) - 10000.0F) / 2500.0F;
    }
    return Tensor::from<float>(elements, shape);
  }

  // Compares what the CPU computes with the pass with what it computes without it.
  void expect_same_values(const Feed& feed, const std::vector<Variable>& fetches) {
    const std::vector<Fetch> fetched(fetches.begin(), fetches.end());
    const Scope scope;
    Executor with("cpu", {}, scope);
    with.run(startup_);
    Executor without("cpu", plain(), scope);
    const std::vector<Tensor> actual = with.run(main_, feed, fetched);
    const std::vector<Tensor> expected = without.run(main_, feed, fetched);
    for (std::size_t i = 0; i < actual.size(); ++i) expect_near(actual[i], expected[i]);
  }

  static CompileOptions plain() {
    CompileOptions options;
    options.disabled_passes = {"op_recognition"};
    return options;
  }

  // The tolerance follows the largest expected value, as products and differences lose small ones.
  static void expect_near(const Tensor& actual, const Tensor& expected) {
    ASSERT_EQ(actual.shape(), expected.shape());
    const std::vector<float> a = actual.to_vector<float>();
    const std::vector<float> b = expected.to_vector<float>();
    float largest = 0;
    for (const float value : b) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5F * largest) << i;
  }
};

}  // namespace loci::passes
