// Random models as they are compiled, against what is written, operator by operator: fused,
// recognised, laid out, packed, in place, with other batches in between. LOCI_RANDOM_MODELS is how
// many, LOCI_RANDOM_SEED the first seed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>

#include "tests/random_models/random_model.h"
#include "tests/support/process_width.h"
#include "tests/support/program_steps.h"

namespace loci::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
std::uint64_t first_seed() { return from_environment("LOCI_RANDOM_SEED", 1); }

// Tells of which one it is where something fails.
template <class Check>
void for_models(std::uint64_t count, const Check& check) {
  for (std::uint64_t seed = first_seed(); seed < first_seed() + count; ++seed) {
    SCOPED_TRACE("LOCI_RANDOM_SEED=" + std::to_string(seed));
    try {
      check(seed);
    } catch (const std::exception& error) {
      FAIL() << error.what();
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

std::vector<double> numbers_of(const Tensor& tensor) {
  return cast(tensor.to("cpu"), kFloat64).to_vector<double>();
}

bool has_same_bits(double a, double b) {
  // Which NaN it is depends on which operand a processor looks at first.
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

// How far two results may differ.
struct Allowed {
  double tolerance = 0;  // 0: the bits
  bool more_nans = false;
};

// In words; none where they are the same.
std::string difference_of(const Tensor& actual, const Tensor& expected, const Allowed& allowed) {
  const auto kind = [](const Tensor& tensor) {
    return fmt::format("{}{}", dtype_name(tensor.dtype()), tensor.shape().to_string());
  };
  if (kind(actual) != kind(expected)) {
    return fmt::format("{} instead of {}", kind(actual), kind(expected));
  }
  const std::vector<double> a = numbers_of(actual);
  const std::vector<double> b = numbers_of(expected);
  const double most = allowed.tolerance * std::max(largest_of(b), 1e-3);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (most > 0 && std::abs(a[i] - b[i]) <= most) continue;
    if (has_same_bits(a[i], b[i]) || (allowed.more_nans && std::isnan(a[i]))) continue;
    return fmt::format("element {} of {} is {}, and written {}", i, kind(expected), a[i], b[i]);
  }
  return {};
}

std::string difference_of(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected,
                          const Allowed& allowed) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string found = difference_of(actual.at(i), expected[i], allowed);
    if (!found.empty()) return fmt::format("output {}: {}", i, found);
  }
  return {};
}

void expect_same(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected,
                 const Allowed& allowed) {
  ASSERT_EQ(actual.size(), expected.size());
  ASSERT_EQ(difference_of(actual, expected, allowed), "");
}

Allowed allowed_of(const RandomModel& model) { return {model.tolerance(), model.may_spread_nan()}; }

// The kernels and layouts that the models have come to.
struct Reached {
  std::set<std::string> types;
  std::size_t laid_out = 0;
  std::size_t packed = 0;

  void look_at(Executor& executor, const RandomModel& model) {
    const auto plan = inspect::plan(executor, model.program(), model.feed(0), model.fetches());
    for (const auto& op : plan.operators) types.insert(op.type);
    laid_out += plan.laid_out.size();
    packed += plan.packed.size();
  }
};

void expect_what_is_written(std::uint64_t seed, Reached& reached) {
  const RandomModel model(seed);
  const ProcessWidth width(seed % 5 == 0 ? 3 : 1);
  Executor compiled("cpu", model.options(), model.scope());
  Executor written("cpu", CompileOptions::none(), model.scope());
  if (seed % 7 == 2) reached.look_at(compiled, model);
  std::vector<std::vector<Tensor>> results;
  for (std::size_t run = 0; run < model.batches().size(); ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    const Feed feed = model.feed(run);
    results.push_back(compiled.run(model.program(), feed, model.fetches()));
    expect_same(results.back(), written.run(model.program(), feed, model.fetches()),
                allowed_of(model));
    if (::testing::Test::HasFatalFailure()) FAIL() << model.program().to_string();
  }
  SCOPED_TRACE("the first run again");
  expect_same(results.back(), results.front(), {});
}

TEST(RandomModelsTest, ComputeWhatIsWritten) {
  const std::uint64_t count = from_environment("LOCI_RANDOM_MODELS", 400);
  Reached reached;
  for_models(count, [&](std::uint64_t seed) { expect_what_is_written(seed, reached); });
  if (count < 400) return;
  for (const char* type : {"fused_elementwise", "fused_conv2d", "fused_matmul", "attention"}) {
    EXPECT_EQ(reached.types.count(type), 1U) << type;
  }
  EXPECT_GT(reached.laid_out, count / 250);
  EXPECT_GT(reached.packed, count / 100);
}

void expect_same_at_the_same_time(std::uint64_t seed) {
  const RandomModel model(seed);
  const std::size_t runs = model.batches().size();
  Executor alone("cpu", model.options(), model.scope());
  Executor shared("cpu", model.options(), model.scope());
  std::vector<std::vector<Tensor>> results(runs);
  std::vector<std::thread> threads;
  for (std::size_t run = 0; run < runs; ++run) {
    threads.emplace_back(
        [&, run] { results[run] = shared.run(model.program(), model.feed(run), model.fetches()); });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t run = 0; run < runs; ++run) {
    SCOPED_TRACE("run " + std::to_string(run));
    expect_same(results[run], alone.run(model.program(), model.feed(run), model.fetches()), {});
  }
}

// The threads share one executor with its plans, prepared kernels, packed constants and memory.
TEST(RandomModelsTest, ThreadsAtTheSameTimeGetWhatOneGets) {
  for_models(from_environment("LOCI_RANDOM_MODELS", 100), expect_same_at_the_same_time);
}

void expect_same_imperatively(std::uint64_t seed) {
  const RandomModel model(seed);
  Executor written("cpu", CompileOptions::none(), model.scope());
  const ProgramSteps steps(model.program(), model.scope(), "cpu");
  std::vector<std::string> names;
  for (const Fetch& fetch : model.fetches()) names.push_back(fetch.name());
  for (const std::size_t run : {0, 1}) {
    SCOPED_TRACE("run " + std::to_string(run));
    const Feed feed = model.feed(run);
    expect_same(steps.run(feed, names), written.run(model.program(), feed, model.fetches()), {});
  }
}

// Each op enqueued on its own, with nothing known of those behind it.
TEST(RandomModelsTest, ImperativeOpsComputeTheSame) {
  for_models(from_environment("LOCI_RANDOM_MODELS", 100), expect_same_imperatively);
}

// Where runs are captured: LOCI_RANDOM_PLACE.
std::string capturing_place() {
  const char* text = std::getenv("LOCI_RANDOM_PLACE");
  return text == nullptr || *text == '\0' ? "sim:0" : text;
}

// Returns in how many branches its graphs are.
std::uint64_t expect_same_captured(std::uint64_t seed) {
  const RandomModel model(seed);
  CompileOptions options = model.options();
  options.fallback = FallbackPolicy::kAllow;
  options.streams = 1;
  Executor plain(capturing_place(), options, model.scope());
  options.streams = 4;
  options.capture = GraphCapture::kAuto;
  Executor captured(capturing_place(), options, model.scope());
  std::uint64_t branches = 0;
  for (std::size_t run = 0; run < model.batches().size(); ++run) {
    const Feed feed = model.feed(run);
    const std::vector<Tensor> expected = plain.run(model.program(), feed, model.fetches());
    for (int time = 0; time < 3; ++time) {
      SCOPED_TRACE(fmt::format("run {}, time {}", run, time));
      expect_same(captured.run(model.program(), feed, model.fetches()), expected, {});
    }
    const auto told = inspect::capture(captured, model.program(), feed, model.fetches());
    for (const auto& part : told.parts) branches = std::max(branches, part.branches);
  }
  return branches;
}

// Graphs fork where that pays: a plain run, a capture and replays, of each batch.
TEST(RandomModelsTest, CapturedGraphsComputeTheSame) {
  const std::uint64_t count = from_environment("LOCI_RANDOM_MODELS", 80);
  std::uint64_t forked = 0;
  const char* given = std::getenv("LOCI_SIM");
  const bool is_set = given != nullptr && *given != '\0';
  if (!is_set) ::setenv("LOCI_SIM", "race=1", 1);  // read when the device is opened
  {
    const Context context;
    const ContextGuard within(context);
    for_models(count,
               [&](std::uint64_t seed) { forked += expect_same_captured(seed) > 1 ? 1 : 0; });
  }
  if (!is_set) ::unsetenv("LOCI_SIM");
  if (count < 80) return;
  EXPECT_GT(forked, count / 40);
}

// Returns how many launches threads share.
std::uint64_t expect_same_shared(std::uint64_t seed) {
  const RandomModel model(seed);
  const ProcessWidth width(seed % 3 == 0 ? 3 : 2);
  CompileOptions options = model.options();
  Executor plain("cpu", options, model.scope());
  options.streams = 4;
  options.capture = GraphCapture::kAuto;
  Executor shared("cpu", options, model.scope());
  std::uint64_t launches = 0;
  for (std::size_t run = 0; run < model.batches().size(); ++run) {
    const Feed feed = model.feed(run);
    const std::vector<Tensor> expected = plain.run(model.program(), feed, model.fetches());
    for (int time = 0; time < 12; ++time) {
      SCOPED_TRACE(fmt::format("run {}, time {}", run, time));
      expect_same(shared.run(model.program(), feed, model.fetches()), expected, {});
    }
    const auto told = inspect::capture(shared, model.program(), feed, model.fetches());
    launches = std::max(launches, told.shared_launches);
  }
  return launches;
}

// A plain run, those that are measured, and those that threads share wherever they can.
TEST(RandomModelsTest, LaunchesThatThreadsShareComputeTheSame) {
  const std::uint64_t count = from_environment("LOCI_RANDOM_MODELS", 80);
  std::uint64_t shared = 0;
  config::set("CORE_FORKS", "2");
  for_models(count, [&](std::uint64_t seed) { shared += expect_same_shared(seed) > 0 ? 1 : 0; });
  config::set("CORE_FORKS", "");
  if (count < 80) return;
  EXPECT_GT(shared, count / 4);
}

// That scope's parameters, each with one element that is off by its half.
Scope with_wrong_elements(const Scope& right, std::uint64_t seed) {
  Scope wrong;
  fuzz::Dice dice(seed);
  for (const std::string& name : right.names()) {
    const Tensor value = right.find(name);
    std::vector<double> elements = numbers_of(value);
    if (!elements.empty()) elements[dice.below(elements.size())] *= 1.5;
    const Tensor changed = Tensor::from<double>(elements, value.shape());
    wrong.set(name, cast(changed, value.dtype()));
  }
  return wrong;
}

bool shows_wrong_elements(std::uint64_t seed) {
  const RandomModel model(seed);
  Executor wrong("cpu", model.options(), with_wrong_elements(model.scope(), seed));
  Executor written("cpu", CompileOptions::none(), model.scope());
  const Feed feed = model.feed(0);
  return !difference_of(wrong.run(model.program(), feed, model.fetches()),
                        written.run(model.program(), feed, model.fetches()), allowed_of(model))
              .empty();
}

// So that the tests above mean something: some of it is behind a clip or a value that nobody reads.
TEST(RandomModelsTest, TellOfWrongElements) {
  std::size_t shown = 0;
  std::size_t count = 0;
  const std::uint64_t models =
      std::min<std::uint64_t>(from_environment("LOCI_RANDOM_MODELS", 60), 60);
  for_models(models, [&](std::uint64_t seed) {
    if (RandomModel(seed).scope().names().empty()) return;
    ++count;
    if (shows_wrong_elements(seed)) ++shown;
  });
  EXPECT_GT(shown, count * 3 / 4) << "of " << count;
}

}  // namespace
}  // namespace loci::test
