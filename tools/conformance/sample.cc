#include "tools/conformance/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace loci::conformance {
namespace {

// Up to here no kernel needs a second thread.
constexpr std::size_t kShort = 4096;

std::string dtype_of(const Case& subject) {
  return subject.inputs.empty() ? "" : std::string(dtype_name(subject.inputs.front().dtype));
}

std::string op_of(const Case& subject) { return fmt::format("{}/{}", subject.family, subject.op); }

// All of the name but the dtype.
std::string combination(const Case& subject) {
  std::string text = op_of(subject);
  for (const Input& input : subject.inputs) text += input.shape.to_string();
  return fmt::format("{}/{}", text, subject.variant);
}

// The rank of the dtype for its combination: the least is taken.
int rank(const Case& subject) {
  if (subject.inputs.empty()) return 0;
  const DType dtype = subject.inputs.front().dtype;
  if (dtype == kFloat32) return 0;
  return is_floating(dtype) ? 1 : 2;
}

const char* dtype_class(const Case& subject) {
  if (subject.inputs.empty()) return "";
  const DType dtype = subject.inputs.front().dtype;
  if (!is_floating(dtype)) return "whole";
  return dtype == kFloat16 || dtype == kBFloat16 ? "half" : "floating";
}

std::size_t elements(const Case& subject) {
  std::size_t count = 0;
  for (const Input& input : subject.inputs) {
    count += static_cast<std::size_t>(input.shape.numel());
  }
  return count;
}

bool is_empty(const Case& subject) {
  return std::any_of(subject.inputs.begin(), subject.inputs.end(),
                     [](const Input& input) { return input.shape.numel() == 0; });
}

// The best case of each key.
class BestCases {
 public:
  template <class Better>
  void offer(const std::string& key, const Case& subject, const Better& better) {
    const Case*& best = best_.emplace(key, &subject).first->second;
    if (better(subject, *best)) best = &subject;
  }

  void add_to(std::set<std::string>* names) const {
    for (const auto& entry : best_) names->insert(entry.second->name());
  }

 private:
  std::map<std::string, const Case*> best_;
};

bool is_longer(const Case& a, const Case& b) { return elements(a) > elements(b); }

bool is_preferred(const Case& a, const Case& b) { return rank(a) < rank(b); }

// The longest without a second thread, or else the shortest.
bool is_better_short(const Case& a, const Case& b) {
  if (elements(b) > kShort) return elements(a) < elements(b);
  return elements(a) <= kShort && is_longer(a, b);
}

}  // namespace

Suite memory_sample(const Suite& all) {
  BestCases combinations;
  BestCases empty;
  BestCases vectors;
  BestCases longest;
  for (const Case& one : all.cases()) {
    const std::string op = op_of(one);
    combinations.offer(combination(one), one, is_preferred);
    vectors.offer(op + dtype_of(one), one, is_better_short);
    longest.offer(op + dtype_class(one), one, is_longer);
    if (is_empty(one)) empty.offer(op + dtype_of(one), one, is_longer);
  }
  std::set<std::string> names;
  for (const BestCases* choice : {&combinations, &empty, &vectors, &longest})
    choice->add_to(&names);
  return all.selected([&](const Case& one) { return names.count(one.name()) != 0; });
}

}  // namespace loci::conformance
