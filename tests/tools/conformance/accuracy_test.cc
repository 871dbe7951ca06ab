// Compares what ops say of their accuracy with what their cases allow.
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/inspect_ops.hpp>
#include <map>
#include <set>
#include <string>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

using Accuracies = std::map<std::string, std::string>;

// Gradient ops that only the cases of their forward ops run.
const std::set<std::string> kWithoutCase{"concat_grad", "crop_tensor_grad", "slice_grad",
                                         "tile_grad"};

// Returns the accuracies that ops of ours state that have kernels, by name.
Accuracies stated() {
  Accuracies accuracies;
  for (const inspect::Op& op : inspect::ops()) {
    if (op.plugin.empty() && !op.is_control_flow) accuracies[op.name] = op.accuracy;
  }
  return accuracies;
}

bool is_exact(const Expected& expected) { return expected.slack.empty(); }

bool has_slack(const Expected& expected) {
  return std::any_of(expected.slack.begin(), expected.slack.end(),
                     [](Real slack) { return slack > 0; });
}

TEST(AccuracyTest, SchemasSayWhatTheCasesAllow) {
  const Accuracies accuracies = stated();
  std::set<std::string> seen;
  std::set<std::string> inexact;
  const Suite suite = all_cases();
  for (const Case& subject : suite.cases()) {
    const auto op = accuracies.find(subject.op);
    if (op == accuracies.end() || subject.reference == nullptr) continue;
    seen.insert(subject.op);
    if (inexact.count(subject.op) != 0) continue;
    const std::vector<Expected> results = subject.reference(subject.make_inputs());
    if (op->second == "exact") {
      EXPECT_TRUE(std::all_of(results.begin(), results.end(), is_exact)) << subject.name();
    } else if (std::any_of(results.begin(), results.end(), has_slack)) {
      inexact.insert(subject.op);
    }
  }
  for (const auto& [name, accuracy] : accuracies) {
    EXPECT_NE(accuracy, "") << name << ": say it with accuracy() or exact()";
    EXPECT_EQ(seen.count(name), 1 - kWithoutCase.count(name)) << name;
    if (seen.count(name) == 0) continue;
    EXPECT_EQ(inexact.count(name), accuracy == "exact" ? 0 : 1) << name << ": " << accuracy;
  }
}

}  // namespace
}  // namespace loci::conformance
