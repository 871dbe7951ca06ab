// An accelerator without kernels for the fused ops: it computes them from the others, and nothing
// is copied to the CPU.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/plugins/sim/sim_program.h"

#include "framework/transfer/transfer.h"

namespace loci {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kWithout =
    "devices=2,race=1,without=softmax+log_softmax+layer_norm+layer_norm_grad+l2_normalize+"
    "l2_normalize_grad+sigmoid_grad+tanh_grad+square_error_cost+softmax_with_cross_entropy+"
    "softmax_with_cross_entropy_grad";

class SimDecompositionTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    core::set_config_value("CPU_ONEDNN", "0");
    core::set_config_value("SIM", kWithout);
    plugins::SearchOptions options;
    options.directories = {test::plugin_directory()};
    plugins::configure(options);
  }

  // Makes numbers of about size 1, all of them different.
  static Tensor numbers(const Shape& shape, DType dtype = kFloat32) {
    std::vector<float> values(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(static_cast<float>(i) * 1.7F) * 1.5F;
    }
    const NoGrad plain;
    return cast(Tensor::from(values, shape), dtype);
  }
  static std::vector<double> doubles(const Tensor& tensor) {
    const NoGrad plain;
    return cast(tensor.to("cpu"), kFloat64).to_vector<double>();
  }
  // The rounding of a few operations on numbers of about that size.
  static double bound(DType dtype, double expected) {
    const double unit = dtype == kFloat64   ? 1e-15
                        : dtype == kFloat32 ? 1.2e-7
                        : dtype == kFloat16 ? 1e-3
                                            : 8e-3;
    return 16 * unit * std::max(1.0, std::abs(expected));
  }
  static void expect_near(const Tensor& found, const Tensor& expected, const std::string& what) {
    const std::vector<double> here = doubles(found);
    const std::vector<double> there = doubles(expected);
    ASSERT_EQ(here.size(), there.size()) << what;
    ASSERT_EQ(found.dtype(), expected.dtype()) << what;
    for (std::size_t i = 0; i < here.size(); ++i) {
      EXPECT_NEAR(here[i], there[i], bound(expected.dtype(), there[i])) << what << " " << i;
    }
  }

  // Returns what `fn` gives, and the gradient of the sum of its squares for each argument.
  template <class Fn>
  static std::vector<Tensor> imperative(const Fn& fn, const std::vector<Tensor>& given,
                                        const Place& place) {
    std::vector<Tensor> arguments;
    for (const Tensor& value : given) {
      arguments.push_back(value.detach().to(place));
      arguments.back().set_requires_grad();
    }
    std::vector<Tensor> results = fn(arguments);
    reduce_sum(square(results.front())).backward();
    for (const Tensor& argument : arguments) results.push_back(argument.grad());
    return results;
  }

  template <class Fn>
  static std::vector<Tensor> symbolic(const Fn& fn, const std::vector<Tensor>& given,
                                      const Place& place,
                                      std::vector<inspect::PlannedOperator>* ops,
                                      const CompileOptions& options) {
    Program program;
    Program startup;
    const ProgramGuard building(program, startup);
    std::vector<Variable> arguments;
    Feed feed;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string name = "x" + std::to_string(i);
      arguments.push_back(data(name, given[i].shape(), given[i].dtype()));
      arguments.back().set_stop_gradient(false);
      feed.emplace_back(name, given[i]);
    }
    std::vector<Variable> results = fn(arguments);
    const auto grads = gradients(reduce_sum(square(results.front())), arguments);
    results.insert(results.end(), grads.begin(), grads.end());
    std::vector<Fetch> fetch(results.begin(), results.end());
    Executor executor(place, options, Scope());
    *ops = inspect::plan(executor, program, feed, fetch).operators;
    return executor.run(program, feed, fetch);
  }

  // On the accelerator as on the CPU, as a program and imperatively, without a copy to the CPU.
  template <class Fn>
  void check(const char* what, const Fn& fn, const std::vector<Tensor>& given) {
    const FallbackGuard none(FallbackPolicy::kError);
    const std::vector<Tensor> expected = imperative(fn, given, "cpu");
    transfer::clear_rows();
    const std::vector<Tensor> found = imperative(fn, given, "sim:0");
    synchronize("sim:0");
    for (const transfer::Row& row : transfer::rows()) EXPECT_FALSE(row.to.is_host()) << what;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].place(), Place("sim:0")) << what;
      expect_near(found[i], expected[i], std::string(what) + " " + std::to_string(i));
    }
    for (CompileOptions options : {CompileOptions::none(), CompileOptions()}) {
      options.fallback = FallbackPolicy::kError;
      std::vector<inspect::PlannedOperator> ops;
      const std::vector<Tensor> run = symbolic(fn, given, "sim:0", &ops, options);
      for (std::size_t i = 0; i < run.size(); ++i) {
        expect_near(run[i], expected[i], std::string(what) + " as a program " + std::to_string(i));
      }
      std::size_t parts = 0;
      for (const inspect::PlannedOperator& op : ops) {
        EXPECT_EQ(op.place, "sim:0") << what;
        parts += op.reason == "decomposed" ? 1 : 0;
      }
      EXPECT_GT(parts, 1U) << what;
    }
  }
};

constexpr DType kDTypes[] = {kFloat16, kBFloat16, kFloat32, kFloat64};

TEST_F(SimDecompositionTest, Softmax) {
  for (const DType dtype : kDTypes) {
    for (const int axis : {0, -1}) {
      check("softmax", [axis](const auto& x) { return std::vector{softmax(x[0], axis)}; },
            {numbers({3, 5}, dtype)});
      check("log_softmax", [axis](const auto& x) { return std::vector{log_softmax(x[0], axis)}; },
            {numbers({3, 5}, dtype)});
    }
  }
}

TEST_F(SimDecompositionTest, LargeNumbersDoNotOverflow) {
  const Tensor x = Tensor::from<float>({1000, 1001, -1000, 500}, {2, 2}).to("sim:0");
  EXPECT_THAT(doubles(softmax(x)), Each(::testing::Le(1.0)));
  expect_near(log_softmax(x), log_softmax(x.to("cpu")), "log_softmax");
}

TEST_F(SimDecompositionTest, LayerNorm) {
  for (const DType dtype : kDTypes) {
    for (const int axis : {0, 1, 2}) {
      const Shape row = axis == 0 ? Shape{24} : axis == 1 ? Shape{12} : Shape{4};
      const auto call = [axis](const auto& x) {
        using V = typename std::decay_t<decltype(x)>::value_type;
        OpCall<V> call("layer_norm");
        call.input("x", x[0]).attr("begin_norm_axis", std::int64_t{axis});
        if (x.size() > 1) call.input("scale", x[1]);
        if (x.size() > 2) call.input("bias", x[2]);
        return call.results();
      };
      const Tensor x = numbers({2, 3, 4}, dtype);
      check("layer_norm", call, {x, numbers(row, dtype), numbers(row, dtype)});
      check("layer_norm without bias", call, {x, numbers(row, dtype)});
      check("layer_norm without parameters", call, {x});
    }
  }
}

TEST_F(SimDecompositionTest, L2Normalize) {
  for (const DType dtype : kDTypes) {
    check(
        "l2_normalize",
        [](const auto& x) {
          using V = typename std::decay_t<decltype(x)>::value_type;
          return OpCall<V>("l2_normalize").input("x", x[0]).attr("axis", std::int64_t{1}).results();
        },
        {numbers({2, 3, 4}, dtype)});
  }
}

TEST_F(SimDecompositionTest, GradientsOfActivations) {
  for (const DType dtype : kDTypes) {
    check("sigmoid", [](const auto& x) { return std::vector{sigmoid(x[0])}; },
          {numbers({7}, dtype)});
    check("tanh", [](const auto& x) { return std::vector{tanh(x[0])}; }, {numbers({7}, dtype)});
  }
}

TEST_F(SimDecompositionTest, Losses) {
  for (const DType dtype : kDTypes) {
    check(
        "square_error_cost",
        [](const auto& x) { return std::vector{square_error_cost(x[0], scale(x[0], 0.5, 0.25))}; },
        {numbers({2, 3}, dtype)});
    check("softmax_with_cross_entropy",
          [](const auto& x) {
            using V = typename std::decay_t<decltype(x)>::value_type;
            const auto both = OpCall<V>("softmax_with_cross_entropy")
                                  .input("logits", x[0])
                                  .input("label", scale(x[0], 0.0, 0.25))
                                  .attr("soft_label", true)
                                  .results();
            return std::vector{both[1], both[0]};
          },
          {numbers({2, 5}, dtype)});
  }
}

// Hard labels are looked up: without its kernel the CPU computes it.
TEST_F(SimDecompositionTest, WithoutADecompositionItFallsBack) {
  const FallbackGuard allowed(FallbackPolicy::kAllow);
  const Tensor logits = numbers({2, 5}).to("sim:0");
  const Tensor label = Tensor::from<std::int64_t>({1, 4}, {2, 1}).to("sim:0");
  transfer::clear_rows();
  const Tensor loss = softmax_with_cross_entropy(logits, label);
  synchronize("sim:0");
  EXPECT_THAT(transfer::rows(), Not(IsEmpty()));
  expect_near(loss, softmax_with_cross_entropy(logits.to("cpu"), label.to("cpu")), "hard labels");
}

// In the stage that knows the shape which the loop comes to.
TEST_F(SimDecompositionTest, BehindALoopThatGrows) {
  const Program program;
  const Program startup;
  const ProgramGuard building(program, startup);
  const Variable n = data("n", {1}, kInt64);
  const Variable x = data("x", {2}, kFloat32);
  x.set_stop_gradient(false);
  const Variable last =
      while_loop([&](const std::vector<Variable>& v) { return less_than(v[0], n); },
                 [](const std::vector<Variable>& v) {
                   const Variable end = slice(v[1], {0}, {-1}, {1000});
                   return std::vector<Variable>{elementwise_add(v[0], full_like(v[0], 1.0)),
                                                concat(std::vector<Variable>{v[1], end})};
                 },
                 {full_like(n, 0.0), x})[1];
  const Variable loss = reduce_sum(square_error_cost(last, data("target", {4}, kFloat32)));
  const Variable grad = gradients(loss, {x})[0];
  const Feed feed{{"n", Tensor::from<std::int64_t>({2}, {1})},
                  {"x", Tensor::from<float>({5, 1}, {2})},
                  {"target", Tensor::from<float>({4, 1, 1, 0}, {4})}};
  Executor executor("sim:0", CompileOptions(), Scope());
  const std::vector<Tensor> result = executor.run(program, feed, {loss, grad});
  EXPECT_EQ(result[0].item<float>(), 2);
  EXPECT_EQ(result[1].to_vector<float>(), (std::vector<float>{2, 2}));
}

// A gradient's parts appear under it in a profile, whatever it is written in.
TEST_F(SimDecompositionTest, PartsOfAGradientBelongToIt) {
  const Program program;
  const Program startup;
  const ProgramGuard building(program, startup);
  const Variable x = data("x", {2, 3}, kFloat32);
  const Variable loss = reduce_sum(square(layers::layer_norm(x, 1)));
  const Variable grad = gradients(loss, {x})[0];
  const Scope scope;
  Executor executor("sim:0", CompileOptions(), scope);
  executor.run(startup);
  std::map<std::string, int> details;
  for (const auto& op :
       inspect::plan(executor, program, {{"x", numbers({2, 3})}}, {grad}).operators) {
    if (op.reason != "decomposed") continue;
    ++details[op.detail.substr(0, op.detail.find(','))];
  }
  ASSERT_EQ(details.size(), 2U);
  EXPECT_THAT(details.begin()->first, ::testing::EndsWith("[layer_norm]"));
  EXPECT_GT(details.begin()->second, 5);
  EXPECT_THAT(details.rbegin()->first, ::testing::EndsWith("[layer_norm_grad]"));
  EXPECT_GT(details.rbegin()->second, 5);
}

}  // namespace
}  // namespace loci
