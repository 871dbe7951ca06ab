// Random graphs, whose inputs are freed, moved, resized, used again and swapped between capture and
// replay, and whose pools are shared: each replay, and each output that is read, is right to the
// bit or refused. LOCI_MUTATED_GRAPHS says how many, LOCI_MUTATED_SEED where to begin; what it came
// to is printed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/random_ops.h"
#include "tests/support/paths.h"

namespace loci::test {
namespace {

std::uint64_t number(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class MutatedGraphs : public ::testing::TestWithParam<const char*> {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = [] {
      plugins::SearchOptions options;
      options.directories = {plugin_directory()};
      plugins::configure(options);
      return true;
    }();
    (void)kDone;
  }

  // Each seed by a test of its own kind.
  template <class Run>
  void run_all(const Run& run) {
    Tally tally;
    const std::uint64_t first = number("LOCI_MUTATED_SEED", 1);
    const std::uint64_t count = number("LOCI_MUTATED_GRAPHS", 100);
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
      run(seed, Place(GetParam()), &tally);
      ASSERT_EQ(tally.wrong, "") << "seed " << seed;
    }
    std::printf("%s: of %llu seeds %llu right, %llu refused, none wrong\n", GetParam(),
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(tally.right),
                static_cast<unsigned long long>(tally.refused));
    EXPECT_GT(tally.right, count);
    EXPECT_GT(tally.refused, 0U);
  }
};
INSTANTIATE_TEST_SUITE_P(Places, MutatedGraphs, ::testing::Values("cpu", "sim:0"),
                         [](const auto& tested) -> std::string {
                           return tested.param[0] == 'c' ? "cpu" : "sim";
                         });

// A tensor, and what it has to hold: of an output, what the latest replay of its graph made.
struct Known {
  Tensor tensor;
  std::vector<float> value;
};
using KnownPtr = std::shared_ptr<Known>;

// Several graphs of imperative code in one pool, of the same inputs and of each other's outputs.
class SharedPool {
 public:
  SharedPool(std::uint64_t seed, const Place& place, Tally* tally)
      : dice_(seed), place_(place), tally_(*tally) {
    const std::size_t inputs = 2 + dice_.below(3);
    for (std::size_t i = 0; i < inputs; ++i) inputs_.push_back(fresh());
    const std::size_t graphs = 2 + dice_.below(2);
    for (std::size_t i = 0; i < graphs; ++i) capture();
  }

  void run() {
    for (int round = 0; round < 12 && tally_.wrong.empty(); ++round) {
      if (dice_.below(3) == 0) mutate();
      if (dice_.below(8) == 0) drop();
      replay(dice_.below(graphs_.size()));
      if (dice_.below(2) == 0) look_at(graphs_[dice_.below(graphs_.size())]);
    }
  }

 private:
  struct Captured {
    std::optional<Graph> graph;
    std::vector<KnownPtr> inputs;
    std::vector<Op> ops;
    std::vector<KnownPtr> outputs;  // one for each op; NULL: it was a temporary
  };

  [[nodiscard]] KnownPtr fresh() {
    auto made = std::make_shared<Known>();
    made->value = dice_.elements();
    made->tensor = Tensor::from(made->value, {kElements}).to(place_);
    return made;
  }

  void capture() {
    Captured& captured = graphs_.emplace_back();
    captured.inputs = inputs_;
    for (const Captured& earlier : graphs_) {
      if (earlier.outputs.empty() || dice_.below(2) == 0) continue;
      if (const KnownPtr& output = earlier.outputs.back()) captured.inputs.push_back(output);
    }
    captured.ops = random_ops(dice_);
    if (pool_) {
      captured.graph.emplace(place_, CaptureMode::kThreadLocal, *pool_);
    } else {
      captured.graph.emplace(place_);
      pool_ = captured.graph->pool();
    }
    std::vector<Tensor> values;
    for (const KnownPtr& input : captured.inputs) values.push_back(input->tensor);
    captured.graph->capture_begin();
    for (const Op& op : captured.ops) {
      values.push_back(op.apply(values));
      captured.outputs.push_back(std::make_shared<Known>(Known{values.back(), {}}));
    }
    // Temporaries, whose memory later graphs get.
    for (std::size_t i = 0; i + 1 < captured.outputs.size(); ++i) {
      if (dice_.below(2) == 0) captured.outputs[i] = nullptr;
    }
    values.clear();
    captured.graph->capture_end();
    replay(graphs_.size() - 1);
  }

  // Computes by plain ops on tensors of their own.
  [[nodiscard]] std::vector<std::vector<float>> plain(const Captured& captured) const {
    std::vector<Tensor> values;
    for (const KnownPtr& input : captured.inputs) {
      values.push_back(Tensor::from(input->value, {kElements}).to(place_));
    }
    std::vector<std::vector<float>> results;
    for (const Op& op : captured.ops) {
      values.push_back(op.apply(values));
      results.push_back(values.back().to_vector<float>());
    }
    return results;
  }

  void replay(std::size_t which) {
    Captured& captured = graphs_[which];
    if (!captured.graph) return;
    const std::vector<std::vector<float>> want = plain(captured);
    try {
      captured.graph->replay();
    } catch (const Error&) {
      ++tally_.refused;
      return;
    }
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (captured.outputs[i] != nullptr) captured.outputs[i]->value = want[i];
    }
    look_at(captured);
  }

  void look_at(const Captured& captured) {
    for (const KnownPtr& output : captured.outputs) {
      if (output != nullptr && output->tensor.defined()) expect(*output);
    }
  }

  void expect(const Known& known) {
    try {
      const std::vector<float> got = known.tensor.to_vector<float>();
      if (bits(got) == bits(known.value)) {
        ++tally_.right;
      } else {
        tally_.wrong = "an output of a replay is neither right nor refused";
      }
    } catch (const Error&) {
      ++tally_.refused;
    }
  }

  void mutate() {
    KnownPtr& one = inputs_[dice_.below(inputs_.size())];
    KnownPtr& other = inputs_[dice_.below(inputs_.size())];
    switch (dice_.below(5)) {
      case 0:  // in place
        one->value = dice_.elements();
        one->tensor.copy_(Tensor::from(one->value, {kElements}).to(place_));
        break;
      case 1:  // freed, or moved where it was replaced
        one->tensor = Tensor();
        one = fresh();
        break;
      case 2: one.swap(other); break;
      case 3:  // memory changes hands
        for (int i = 0; i < 6; ++i) (void)(fresh()->tensor + fresh()->tensor);
        break;
      default:  // freed, and its memory used for something of another size
        one->tensor = Tensor();
        (void)Tensor::from(dice_.elements(3), {3}).to(place_);
        one = fresh();
        break;
    }
  }

  // A graph, or outputs.
  void drop() {
    Captured& captured = graphs_[dice_.below(graphs_.size())];
    if (dice_.below(2) == 0) {
      captured.graph.reset();
    } else if (KnownPtr& output = captured.outputs[dice_.below(captured.outputs.size())]) {
      output->tensor = Tensor();
    }
  }

  Dice dice_;
  Place place_;
  Tally& tally_;
  std::vector<KnownPtr> inputs_;
  std::optional<GraphPool> pool_;
  std::vector<Captured> graphs_;
};

TEST_P(MutatedGraphs, InASharedPool) {
  run_all([](std::uint64_t seed, const Place& place, Tally* tally) {
    SharedPool(seed, place, tally).run();
  });
}

// A program whose variables get other storage, other shapes and each other's storage.
class BoundProgram {
 public:
  BoundProgram(std::uint64_t seed, const Place& place, Tally* tally)
      : dice_(seed), place_(place), tally_(*tally) {
    const std::size_t inputs = 2 + dice_.below(2);
    {
      const ProgramGuard building(program_);
      std::vector<Variable> values;
      for (std::size_t i = 0; i < inputs; ++i) {
        names_.push_back("x" + std::to_string(i));
        values.push_back(data(names_.back(), {-1}, kFloat32));
        values.back().set_persistable(true);
      }
      for (const Op& op : random_ops(dice_)) values.push_back(op.apply(values));
      values.push_back(values.back() + values.front());
      values.back().rename("out");
      values.back().set_persistable(true);
    }
    for (const std::string& name : names_) set(name, kElements);
  }

  void run() {
    Executor executor(place_, CompileOptions::exact(), scope_);
    executor.run(program_);
    Graph graph(place_);
    graph.capture_begin();
    executor.run(program_);
    graph.capture_end();
    for (int round = 0; round < 8 && tally_.wrong.empty(); ++round) {
      mutate();
      check(graph);
    }
  }

 private:
  void set(const std::string& name, std::int64_t extent) {
    scope_.set(name, Tensor::from(dice_.elements(extent), {extent}));
  }

  void mutate() {
    const std::string& name = names_[dice_.below(names_.size())];
    const std::string& other = names_[dice_.below(names_.size())];
    switch (dice_.below(6)) {
      case 0: return set(name, kElements);
      case 1:  // storage of its own, at the place or on the host
        scope_.erase(name);
        return set(name, kElements);
      case 2: {
        const Tensor kept = scope_.find(name);
        const Tensor swapped = scope_.find(other);
        scope_.erase(name);
        scope_.erase(other);
        scope_.set(name, swapped);
        if (name != other) scope_.set(other, kept);
        return;
      }
      case 3:  // resized; and at times back
        scope_.erase(name);
        return set(name, dice_.below(2) == 0 ? kElements : kElements - 1);
      case 4:
        scope_.erase(name);
        scope_.set(name, Tensor::from(dice_.elements(), {kElements}).to(place_));
        return;
      default:  // memory changes hands
        for (int i = 0; i < 6; ++i) {
          const Tensor noise = Tensor::from(dice_.elements(), {kElements}).to(place_);
          (void)(noise + noise);
        }
    }
  }

  // A plain run in a scope of its own.
  [[nodiscard]] std::optional<std::vector<float>> plain() const {
    const Scope scope;
    for (const std::string& name : names_) {
      const Tensor value = scope_.find(name);
      scope.set(name, Tensor::from(value.to_vector<float>(), value.shape()));
    }
    try {
      Executor executor(place_, CompileOptions::exact(), scope);
      executor.run(program_);
      return scope.find("out").to_vector<float>();
    } catch (const Error&) {
      return std::nullopt;  // variables of different shapes
    }
  }

  void check(Graph& graph) {
    const std::optional<std::vector<float>> want = plain();
    try {
      graph.replay();
      const std::vector<float> got = scope_.find("out").to_vector<float>();
      if (want && bits(got) == bits(*want)) {
        ++tally_.right;
      } else {
        tally_.wrong = "a replay of a program is neither right nor refused";
      }
    } catch (const Error&) {
      ++tally_.refused;
    }
  }

  Dice dice_;
  Place place_;
  Tally& tally_;
  Program program_;
  Scope scope_;
  std::vector<std::string> names_;
};

TEST_P(MutatedGraphs, OfProgramsAndScopes) {
  run_all([](std::uint64_t seed, const Place& place, Tally* tally) {
    BoundProgram(seed, place, tally).run();
  });
}

}  // namespace
}  // namespace loci::test
