// Modules on the CPU and on a software accelerator, and checks of their gradients.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/paths.h"

namespace loci::nn {

class NnTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = (use_plugins(), true);  // the process has them once
    (void)kDone;
  }
  static void use_plugins() {
    core::set_config_value("CPU_ONEDNN", "0");  // the CPU's bits are the accelerator's then
    core::set_config_value("SIM", "devices=2,race=1,seed=5");
    plugins::SearchOptions options;
    options.directories = {test::plugin_directory()};
    plugins::configure(options);
  }

  // Elements in (-1, 1) that are all different.
  static Tensor varied(const Shape& shape, double phase = 0.3) {
    std::vector<double> elements;
    for (std::int64_t i = 0; i < shape.numel(); ++i) {
      elements.push_back(std::sin(1.7 * static_cast<double>(i) + phase));
    }
    return Tensor::from(elements, shape);
  }
  static ParameterOptions doubles(bool bias = true) {
    ParameterOptions options;
    options.dtype = kFloat64;
    options.bias = bias;
    return options;
  }
  static std::vector<double> elements(const Tensor& tensor) { return tensor.to_vector<double>(); }

  using Function = std::function<Tensor()>;

  // A number that every element of the result has a part of its own in.
  static Tensor loss_of(const Tensor& result) {
    return reduce_sum(result * varied(result.shape(), 1.1).to(result.place()));
  }

  // Compares the gradients of a function of these leaves with central differences.
  static void expect_right_gradients(const Function& function, const std::vector<Tensor>& leaves) {
    optimizer::Optimizer::zero_grad(leaves);
    loss_of(function()).backward();
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      ASSERT_TRUE(leaves[i].grad().defined()) << "leaf " << i << " '" << leaves[i].name() << "'";
      const std::vector<double> found = elements(leaves[i].grad());
      for (std::size_t at = 0; at < found.size(); ++at) {
        EXPECT_NEAR(found[at], central_difference(function, leaves[i], at), 1e-7)
            << "element " << at << " of leaf " << i << " '" << leaves[i].name() << "'";
      }
    }
  }

  // Checks the gradients of a module of one tensor, for its parameters and x.
  static void expect_right_gradients(Module& module, const Tensor& x) {
    x.set_requires_grad();
    std::vector<Tensor> leaves = module.parameters();
    leaves.push_back(x);
    expect_right_gradients([&] { return module(x); }, leaves);
  }

  // Results, gradients and state of a module on the CPU, and then on the accelerator: the same
  // bits.
  static void expect_same_on_accelerator(Module& module, const Tensor& x) {
    const StateDict before = copied(module.state_dict());
    const std::vector<std::vector<double>> here = outcome(module, x);
    module.load_state_dict(before);
    module.to("sim:0");
    for (const Tensor& parameter : module.parameters()) {
      EXPECT_EQ(parameter.place(), Place("sim:0"));
      EXPECT_TRUE(parameter.requires_grad());
    }
    EXPECT_EQ(outcome(module, x.to("sim:0")), here);
  }

 private:
  static double central_difference(const Function& function, const Tensor& leaf, std::size_t at) {
    constexpr double kStep = 1e-5;
    const NoGrad scope;
    const std::vector<double> original = elements(leaf);
    double values[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<double> moved = original;
      moved[at] += side == 0 ? -kStep : kStep;
      leaf.copy_(Tensor::from(moved, leaf.shape()));
      values[side] = loss_of(function()).template item<double>();
    }
    leaf.copy_(Tensor::from(original, leaf.shape()));
    return (values[1] - values[0]) / (2 * kStep);
  }

  static StateDict copied(StateDict state) {
    for (auto& [name, tensor] : state) tensor = clone(tensor);
    return state;
  }

  static std::vector<std::vector<double>> outcome(Module& module, const Tensor& x) {
    module.zero_grad();
    const Tensor result = module(x);
    std::vector<std::vector<double>> found{elements(result)};
    const std::vector<Tensor> parameters = module.parameters();
    if (!parameters.empty()) loss_of(result).backward();
    for (const Tensor& parameter : parameters) found.push_back(elements(parameter.grad()));
    for (const auto& [name, tensor] : module.state_dict()) found.push_back(elements(tensor));
    return found;
  }
};

}  // namespace loci::nn
