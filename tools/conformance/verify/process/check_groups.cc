#include "tools/conformance/verify/process/check_groups.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace loci::verify {

std::size_t count_first_checks(const std::vector<Check>& checks) {
  const auto first = std::find_if(checks.begin(), checks.end(),
                                  [](const Check& check) { return !check.group.empty(); });
  return static_cast<std::size_t>(first - checks.begin());
}

std::vector<CheckGroup> groups_of(const std::vector<Check>& checks) {
  std::vector<CheckGroup> groups;
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].group.empty()) continue;
    const auto [known, is_new] = numbers.emplace(checks[i].group, groups.size());
    if (is_new) groups.emplace_back();
    groups[known->second].push_back(i);
  }
  return groups;
}

// The largest first, each to whoever has least: then the last ones even out what those left.
std::vector<std::vector<CheckGroup>> share_out(std::vector<CheckGroup> groups, std::size_t shares) {
  std::stable_sort(groups.begin(), groups.end(), [](const CheckGroup& one, const CheckGroup& two) {
    return one.size() > two.size();
  });
  std::vector<std::vector<CheckGroup>> shared(std::min(shares, groups.size()));
  std::vector<std::size_t> counts(shared.size());
  for (CheckGroup& group : groups) {
    const auto least =
        static_cast<std::size_t>(std::min_element(counts.begin(), counts.end()) - counts.begin());
    counts[least] += group.size();
    shared[least].push_back(std::move(group));
  }
  return shared;
}

}  // namespace loci::verify
