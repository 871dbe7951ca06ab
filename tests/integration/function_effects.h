// Calls a function in every way, with what it does besides its results: imperatively, compiled,
// captured, and as a program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/captured_function.hpp>
#include <loci/graph.hpp>
#include <loci/loci.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/paths.h"

namespace loci::effects {

using Tensors = std::vector<Tensor>;
using Bits = std::vector<std::vector<float>>;

// A function with what it works on; made anew for each way of calling it.
struct Step {
  TensorFunction fn;
  std::function<Tensors()> state = [] { return Tensors(); };  // beside the results
  std::function<void(int)> before = [](int) {};               // the call of that number
};
struct Effect {
  std::string name;
  std::function<Step(const Place&)> make;
  std::string compiled = {};   // what a refusal says; empty: there is none
  std::string graph = {};      // of a Graph, at the capture or a replay
  bool is_of_programs = true;  // whether trace() gives a program with the same results
};

inline constexpr int kCalls = 4;

inline Tensor tensor(const std::vector<float>& elements, const Place& place) {
  return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())}).to(place);
}

inline Tensor leaf(const std::vector<float>& elements, const Place& place) {
  Tensor made = tensor(elements, place);
  made.set_requires_grad();
  return made;
}

inline Tensor input(int call, const Place& place) {
  return tensor({1.0F + static_cast<float>(call), -2, 0.5F, 3}, place);
}

inline void append(const Tensors& tensors, Bits* bits) {
  for (const Tensor& each : tensors) {
    bits->push_back(each.defined() ? cast(each, kFloat32).to_vector<float>()
                                   : std::vector<float>{-12345});
  }
}

// Which calls the function by itself, or another form of it.
using Call = std::function<Tensors(const Tensors&)>;

inline Bits run(const Step& step, const Call& call, const Place& place) {
  Bits bits;
  for (int i = 0; i < kCalls; ++i) {
    step.before(i);
    append(call({input(i, place)}), &bits);
    append(step.state(), &bits);
  }
  return bits;
}

// Replays of one graph, after a plain call.
inline Bits run_graph(const Step& step, const Place& place) {
  const Tensor x = input(0, place);
  Graph graph(place);
  Tensors results;
  int calls = 0;
  return run(
      step,
      [&](const Tensors& in) {
        x.copy_(in[0]);
        if (calls++ == 0) return step.fn({x});
        if (calls == 2) {
          graph.capture_begin();
          results = step.fn({x});
          graph.capture_end();
        }
        graph.replay();
        return results;
      },
      place);
}

class FunctionEffects : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = [] {
      plugins::SearchOptions options;
      options.directories = {test::plugin_directory()};
      plugins::configure(options);
      return true;
    }();
    (void)kDone;
  }

  void SetUp() override { place_ = Place(GetParam()); }

  Bits imperative(const Effect& effect) {
    seed(7);
    const Step step = effect.make(place_);
    return run(step, step.fn, place_);
  }

  Bits compiled(const Effect& effect, GraphCapture capture) {
    seed(7);
    const Step step = effect.make(place_);
    CompileOptions options = CompileOptions::exact();
    options.capture = capture;
    std::optional<CompiledFunction> function;
    return run(
        step,
        [&](const Tensors& in) {
          if (!function) function = compile(step.fn, in, {}, options);
          return (*function)(in);
        },
        place_);
  }

  Bits captured(const Effect& effect) {
    seed(7);
    const Step step = effect.make(place_);
    CaptureOptions options;
    options.place = place_;
    const CapturedFunction function(step.fn, options);
    return run(
        step, [&](const Tensors& in) { return function(in); }, place_);
  }

  Bits graph(const Effect& effect) {
    seed(7);
    return run_graph(effect.make(place_), place_);
  }

  // The results of a first call alone: what outlives it is no part of a program.
  static Bits first_results(const Step& step, const Place& place, const Call& call) {
    step.before(0);
    Bits bits;
    append(call({input(0, place)}), &bits);
    return bits;
  }

  void expect_program(const Effect& effect) {
    const Step plain = effect.make(place_);
    config::set_seed(7);
    seed(7);
    const Bits expected = first_results(plain, place_, plain.fn);
    const Step step = effect.make(place_);
    const Bits got = first_results(step, place_, [&](const Tensors& in) {
      const Traced traced = trace(step.fn, in);
      Executor executor(place_, CompileOptions::exact(), traced.scope);
      std::vector<Fetch> fetches;
      for (const Variable& output : traced.outputs) fetches.emplace_back(output);
      return executor.run(traced.program, {{traced.inputs[0].name(), in[0]}}, fetches);
    });
    EXPECT_EQ(got, expected) << effect.name << " as a program";
  }

  template <class Ways>
  static void expect(const std::string& what, const Bits& expected, const std::string& refusal,
                     const Ways& way) {
    try {
      const Bits got = way();
      EXPECT_EQ(refusal, "") << what << " is not refused";
      EXPECT_EQ(got, expected) << what;
    } catch (const Error& error) {
      EXPECT_NE(refusal, "") << what << " is refused: " << error.what();
      EXPECT_THAT(error.what(), ::testing::HasSubstr(refusal)) << what;
    }
  }

  void expect_same(const Effect& effect) {
    const Bits expected = imperative(effect);
    expect(effect.name + " compiled", expected, effect.compiled,
           [&] { return compiled(effect, GraphCapture::kOff); });
    expect(effect.name + " compiled with capture", expected, effect.compiled,
           [&] { return compiled(effect, GraphCapture::kAuto); });
    expect(effect.name + " captured", expected, "", [&] { return captured(effect); });
    expect(effect.name + " in a graph", expected, effect.graph, [&] { return graph(effect); });
    if (effect.is_of_programs && effect.compiled.empty()) expect_program(effect);
  }

  Place place_;
};

// A function fn(w, input) of a leaf w.
using OfLeaf = std::function<Tensors(const Tensor&, const Tensor&)>;

inline Effect of_leaf(const std::string& name, const OfLeaf& fn,
                      const std::function<void(const Tensor&, int)>& before = {}) {
  return {name, [=](const Place& place) {
            const Tensor w = leaf({1, 2, 3, 4}, place);
            Step step;
            step.fn = [=](const Tensors& in) { return fn(w, in[0]); };
            step.state = [=] { return Tensors{w, w.grad()}; };
            if (before) step.before = [=](int call) { before(w, call); };
            return step;
          }};
}

inline Tensor loss_of(const Tensor& w, const Tensor& x) { return reduce_sum(w * w * x); }

}  // namespace loci::effects
