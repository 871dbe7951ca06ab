#include "carried_code.h"

#include <algorithm>
#include <charconv>

namespace loci::cuda {
namespace {

bool take_ending(std::string_view& text, std::string_view ending) {
  if (text.size() < ending.size() || text.substr(text.size() - ending.size()) != ending)
    return false;
  text.remove_suffix(ending.size());
  return true;
}

}  // namespace

std::string version_of(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

CarriedCode::CarriedCode(std::string_view architectures) {
  while (!architectures.empty()) {
    const std::size_t end = architectures.find(',');
    targets_.push_back(parse(architectures.substr(0, end)));
    if (end == std::string_view::npos) break;
    architectures.remove_prefix(end + 1);
  }
}

// CMake has seen that it is well-formed (CudaImage.cmake).
CarriedCode::Target CarriedCode::parse(std::string_view architecture) {
  Target target;
  target.is_text = !take_ending(architecture, "-real");
  target.is_machine = !take_ending(architecture, "-virtual");
  if (take_ending(architecture, "a")) target.likeness = 'a';
  if (take_ending(architecture, "f")) target.likeness = 'f';
  std::from_chars(architecture.data(), architecture.data() + architecture.size(),
                  target.capability);
  return target;
}

bool CarriedCode::runs(const Target& target, int capability) {
  if (target.likeness == 'a') return capability == target.capability;
  if (capability < target.capability) return false;
  const bool is_of_generation = capability / 10 == target.capability / 10;
  if (target.likeness == 'f') return is_of_generation;
  return target.is_text || (target.is_machine && is_of_generation);
}

std::string CarriedCode::refusal(int capability) const {
  const auto can_run = [capability](const Target& target) { return runs(target, capability); };
  if (std::any_of(targets_.begin(), targets_.end(), can_run)) return {};
  const auto least = std::min_element(
      targets_.begin(), targets_.end(),
      [](const Target& a, const Target& b) { return a.capability < b.capability; });
  if (capability < least->capability) return version_of(least->capability) + " is needed";
  std::string list;
  for (const Target& target : targets_) {
    list += (list.empty() ? "" : ", ") + version_of(target.capability);
  }
  return "the kernels are compiled for " + list + " alone";
}

}  // namespace loci::cuda
