#include "plugins/reporter_html/data_flow.h"

#include <algorithm>
#include <cstddef>
#include <loci/plugin/reporter.hpp>

namespace loci::report {
namespace {

using sdk::to_view;

// Arguments are "name:type[extents]" within the brackets of their slot, so two brackets deep.
std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[' && ++depth == 1) begin = i + 1;
    if (text[i] == ']' && depth > 0) --depth;
    if (text[i] == ',' && depth == 1) begin = i + 2;
    if (text[i] == ':' && depth == 1 && begin < i) names.push_back(text.substr(begin, i - begin));
  }
  return names;
}

}  // namespace

Arguments arguments_of(std::string_view detail) {
  constexpr std::string_view kInputs = "inputs: {";
  constexpr std::string_view kOutputs = "}, outputs: {";
  const std::size_t split = detail.find(kOutputs);
  if (detail.substr(0, kInputs.size()) != kInputs || split == detail.npos) return {};
  return {names_in(detail.substr(kInputs.size(), split - kInputs.size())),
          names_in(detail.substr(split + kOutputs.size()))};
}

DataFlow::DataFlow(const loci_profile& profile) {
  for (const loci_profile_label& label : sdk::labels_of(profile)) {
    if (label.kind != LOCI_SPAN_OP && label.kind != LOCI_SPAN_GRADIENT) continue;
    const std::string_view place = to_view(label.place);
    Arguments arguments = arguments_of(to_view(label.detail));
    for (const std::string_view name : arguments.inputs) needed_.insert({name, place});
    for (const std::string_view name : arguments.outputs) made_.insert({name, place});
    operators_[{to_view(label.instance), place}] = std::move(arguments);
  }
}

std::uint64_t DataFlow::new_copies(std::string_view op, std::string_view place) const {
  const auto found = operators_.find({op, place});
  if (found == operators_.end()) return 0;
  const auto& [inputs, outputs] = found->second;
  const auto count = [place = place](const auto& names, const std::set<At>& known) {
    return std::count_if(names.begin(), names.end(), [&](std::string_view name) {
      return known.count({name, place}) != 0;
    });
  };
  return static_cast<std::uint64_t>(count(inputs, made_) + count(outputs, needed_));
}

}  // namespace loci::report
