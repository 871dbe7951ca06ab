// Every registered op with attributes, dtypes and shapes at random: what comes out is a result, or
// an error that names the op.
//
// LOCI_FUZZ_CASES says how many cases of each op and kind there are, LOCI_FUZZ_SEED which ones, and
// LOCI_FUZZ_OP that one op is enough.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "framework/core/sanitizer.h"
#include "framework/ops/op_registry.h"
#include "tests/fuzz/current_case.h"
#include "tests/fuzz/operator_checks.h"
#include "tests/fuzz/operator_generator.h"
#include "tests/fuzz/operator_seeds.h"

namespace loci::fuzz {
namespace {

#ifdef LOCI_ASAN
constexpr std::uint64_t kCases = 30;  // each takes ten times as long
#else
constexpr std::uint64_t kCases = 300;
#endif
constexpr unsigned kMostSeconds = 200;  // for one case, in a slow build on a busy machine
constexpr int kMostFailures = 5;        // of one op

std::uint64_t setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

std::vector<std::string> op_names() {
  const char* one = std::getenv("LOCI_FUZZ_OP");
  if (one != nullptr) return {one};
  std::vector<std::string> names;
  for (const std::string& name : ops::op_registry().names()) {
    // Control flow has no kernels: it is put together with its blocks.
    const ops::OpSchema& schema = ops::op_registry().get(name);
    const bool decides = std::any_of(schema.inputs().begin(), schema.inputs().end(),
                                     [](const ops::InputSlot& slot) { return slot.decides; });
    if (!decides && !schema.has_blocks()) names.push_back(name);
  }
  return names;
}

const std::vector<OperatorCase>& seeds_of(const std::string& op) {
  static std::map<std::string, std::vector<OperatorCase>> seeds = collect_seeds();
  return seeds[op];
}

// FNV-1a of the setting and the name: every op has cases of its own, and they stay when other ops
// are added.
std::uint64_t seed_of(const std::string& op) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ setting("LOCI_FUZZ_SEED", 1);
  for (const unsigned char c : op) hash = (hash ^ c) * 0x100000001b3U;
  return hash;
}

// Counts what came of the cases of one op.
struct Tally {
  std::size_t accepted = 0;
  std::size_t run = 0;
  int violations = 0;
};

class Operator {
 public:
  explicit Operator(const std::string& name)
      : schema_(ops::op_registry().get(name)),
        seeds_(seeds_of(name)),
        generator_(ops::op_registry(), seed_of(name)) {}

  Tally try_all() {
    const std::uint64_t cases = setting("LOCI_FUZZ_CASES", kCases);
    for (std::uint64_t i = 0; i < cases; ++i) try_case(generator_.fresh(schema_));
    for (std::uint64_t i = 0; i < cases && !seeds_.empty(); ++i) {
      const OperatorCase& seed = generator_.dice().one_of(seeds_);
      try_case(i == 0 ? seed : generator_.mutated(seed));
    }
    return tally_;
  }

 private:
  void try_case(const OperatorCase& subject) {
    if (tally_.violations == kMostFailures) return;
    set_current_case(subject.to_string(), kMostSeconds);
    try {
      const auto outputs = check_inference(subject);
      if (!outputs) return;
      ++tally_.accepted;
      if (!is_small(subject.inputs) || !is_small_enough(*outputs)) return;
      tally_.run += check_run(subject, generator_.dice()) ? 1 : 0;
    } catch (const Violation& violation) {
      ++tally_.violations;
      ADD_FAILURE() << subject.to_string() << "\n" << violation.what();
    }
  }

  // Extents that depend on values are checked by the run.
  static bool is_small_enough(Types outputs) {
    for (auto& slot : outputs) {
      for (ops::TensorType& type : slot) {
        if (!type.shape.is_static()) type.shape = Shape{};
      }
    }
    return is_small(outputs);
  }

  const ops::OpSchema& schema_;
  const std::vector<OperatorCase>& seeds_;
  OperatorGenerator generator_;
  Tally tally_;
};

TEST(RandomOperators, GiveResultsOrErrorsThatNameThem) {
  for (const std::string& name : op_names()) {
    const Tally tally = Operator(name).try_all();
    EXPECT_GT(tally.accepted, 0U) << name << ": no case is valid; it needs a conformance case";
    EXPECT_GT(tally.run, 0U) << name << ": no case has run; it needs a small conformance case";
    fmt::print("{:36} {:5} accepted {:5} run\n", name, tally.accepted, tally.run);
  }
  set_current_case("", 0);
}

}  // namespace
}  // namespace loci::fuzz
