#include "framework/nn/state_dict.h"

#include <fmt/format.h>

#include <algorithm>
#include <loci/autograd.hpp>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "framework/core/listed.h"
#include "framework/core/quote.h"
#include "framework/nn/arguments.h"

namespace loci {
inline namespace v0 {
namespace nn {
namespace {

// A message names this many of a kind; the details name all.
constexpr std::size_t kNamed = 20;

std::string quoted(const std::string& key) {
  std::string text = core::quote(key);
  text.front() = text.back() = '"';
  return text;
}

std::vector<std::string> quoted(const std::vector<std::string>& keys) {
  std::vector<std::string> texts;
  texts.reserve(keys.size());
  for (const std::string& key : keys) texts.push_back(quoted(key));
  return texts;
}

std::vector<std::string> described(const std::vector<io::LoadReport::Mismatch>& mismatched) {
  std::vector<std::string> texts;
  texts.reserve(mismatched.size());
  for (const auto& [name, reason] : mismatched) {
    texts.push_back(fmt::format("{} {}", quoted(name), reason));
  }
  return texts;
}

std::vector<std::string> sentences(const io::LoadReport& report, std::size_t most) {
  std::vector<std::string> parts;
  if (!report.missing.empty()) {
    parts.push_back(fmt::format("Missing key(s) in state_dict: {}.",
                                core::listed(quoted(report.missing), most)));
  }
  if (!report.unexpected.empty()) {
    parts.push_back(fmt::format("Unexpected key(s) in state_dict: {}.",
                                core::listed(quoted(report.unexpected), most)));
  }
  if (!report.mismatched.empty()) {
    parts.push_back(fmt::format("Mismatched tensor(s) in state_dict: {}.",
                                core::listed(described(report.mismatched), most, "; ")));
  }
  return parts;
}

// A state that was saved of a module around this one, or of a child of it.
std::string remedy(const io::LoadReport& report) {
  const auto all_begin_with = [](const std::vector<std::string>& keys, const std::string& prefix) {
    return std::all_of(keys.begin(), keys.end(),
                       [&](const std::string& key) { return key.rfind(prefix, 0) == 0; });
  };
  if (!report.unexpected.empty()) {
    const std::string& key = report.unexpected.front();
    const std::string prefix = key.substr(0, key.find('.') + 1);
    const std::set<std::string> missing(report.missing.begin(), report.missing.end());
    const bool is_around = !prefix.empty() && all_begin_with(report.unexpected, prefix) &&
                           missing.count(key.substr(prefix.size())) != 0;
    if (is_around) {
      return fmt::format(
          "The state is that of a module with this one as its child {}: take the "
          "state of that child",
          quoted(prefix.substr(0, prefix.size() - 1)));
    }
  }
  return "Load the state of a module of the same form, or what fits of it with strict = false";
}

}  // namespace

io::LoadReport compare_states(const StateDict& state, const StateDict& own) {
  std::set<std::string_view> expected;
  for (const auto& [name, tensor] : own) expected.insert(name);
  io::LoadReport report;
  std::map<std::string_view, const Tensor*> given;
  for (const auto& [name, tensor] : state) {
    const bool is_first = given.emplace(name, &tensor).second;
    if (!is_first || expected.count(name) == 0) report.unexpected.push_back(name);
  }
  for (const auto& [name, tensor] : own) {
    const auto found = given.find(name);
    if (found == given.end()) {
      report.missing.push_back(name);
    } else if (!found->second->defined()) {
      report.mismatched.push_back({name, "is an undefined tensor"});
    } else if (found->second->dtype() != tensor.dtype() ||
               found->second->shape() != tensor.shape()) {
      report.mismatched.push_back({name, fmt::format("is {}, but the module has {}",
                                                     describe(*found->second), describe(tensor))});
    } else {
      report.loaded.push_back(name);
    }
  }
  return report;
}

Error misfit(const io::LoadReport& report, const std::string& type, ErrorCode code) {
  std::string details;
  for (const std::string& line : sentences(report, SIZE_MAX)) details += line + "\n";
  return Error(code,
               fmt::format("[nn] Error(s) in loading state_dict for {}: {} {}", type,
                           fmt::join(sentences(report, kNamed), " "), remedy(report)),
               std::move(details));
}

io::LoadReport Module::load_state_dict(const StateDict& state, bool strict) {
  const StateDict own = state_dict();
  io::LoadReport report = compare_states(state, own);
  if (strict && !report.fits()) throw misfit(report, type());
  const NoGrad scope;
  std::map<std::string_view, const Tensor*> given;
  for (const auto& [name, tensor] : state) given.emplace(name, &tensor);
  const std::set<std::string_view> fitting(report.loaded.begin(), report.loaded.end());
  for (const auto& [name, tensor] : own) {
    if (fitting.count(name) != 0) tensor.copy_(*given.at(name));
  }
  return report;
}

}  // namespace nn
}  // namespace v0
}  // namespace loci
