#include "framework/profiler/path_keys.h"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace loci::profiler {
namespace {

struct LabelPart {
  std::uint32_t kind;
  std::string_view name;
  std::string_view instance;

  friend bool operator==(const LabelPart&, const LabelPart&) = default;
};

struct LabelPartHash {
  std::size_t operator()(const LabelPart& part) const {
    const std::hash<std::string_view> hash;
    return (hash(part.name) * 31 + hash(part.instance)) * 31 + part.kind;
  }
};

}  // namespace

std::vector<std::uint32_t> path_keys(const std::vector<Label>& labels) {
  std::unordered_map<LabelPart, std::uint32_t, LabelPartHash> numbers;
  std::vector<std::uint32_t> keys;
  keys.reserve(labels.size());
  for (const Label& label : labels) {
    const LabelPart part{label.kind, label.name, label.instance};
    const auto number = static_cast<std::uint32_t>(numbers.size());
    keys.push_back(numbers.emplace(part, number).first->second);
  }
  return keys;
}

}  // namespace loci::profiler
