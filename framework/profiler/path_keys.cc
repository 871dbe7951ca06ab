#include "framework/profiler/path_keys.h"

#include <functional>
#include <string_view>
#include <unordered_map>

namespace loci::profiler {
namespace {

struct Part {
  std::uint32_t kind;
  std::string_view name;
  std::string_view instance;

  friend bool operator==(const Part&, const Part&) = default;
};

struct PartHash {
  std::size_t operator()(const Part& part) const {
    const std::hash<std::string_view> hash;
    return (hash(part.name) * 31 + hash(part.instance)) * 31 + part.kind;
  }
};

}  // namespace

std::vector<std::uint32_t> path_keys(const std::vector<Label>& labels) {
  std::unordered_map<Part, std::uint32_t, PartHash> numbers;
  std::vector<std::uint32_t> keys;
  keys.reserve(labels.size());
  for (const Label& label : labels) {
    const Part part{label.kind, label.name, label.instance};
    const auto number = static_cast<std::uint32_t>(numbers.size());
    keys.push_back(numbers.emplace(part, number).first->second);
  }
  return keys;
}

}  // namespace loci::profiler
