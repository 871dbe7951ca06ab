#include "framework/core/affinity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "framework/core/config.h"
#include "framework/core/processors.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci::core {
namespace {

struct Range {
  int first;
  int last;
};

// "4" or "4-7".
std::optional<Range> range_of(std::string_view text) {
  Range range{};
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, range.first);
  if (first.ec != std::errc() || range.first < 0) return {};
  range.last = range.first;
  if (first.ptr == end) return range;
  if (*first.ptr != '-') return {};
  const auto last = std::from_chars(first.ptr + 1, end, range.last);
  const bool is_range = last.ec == std::errc() && last.ptr == end && range.last >= range.first &&
                        range.last < CPU_SETSIZE;
  return is_range ? std::optional(range) : std::nullopt;
}

std::optional<std::vector<int>> listed_processors(std::string_view text) {
  std::vector<int> processors;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::optional<Range> range = range_of(text.substr(0, comma));
    if (!range) return {};
    for (int processor = range->first; processor <= range->last; ++processor) {
      processors.push_back(processor);
    }
    if (comma == std::string_view::npos) return processors;
    text.remove_prefix(comma + 1);
  }
}

// The first processor of the same core; itself where the system does not say.
int first_of_core(int processor) {
  std::ifstream file(
      fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", processor));
  std::string line;
  if (!std::getline(file, line)) return processor;
  const auto siblings = listed_processors(line);
  return siblings ? *std::min_element(siblings->begin(), siblings->end()) : processor;
}

std::vector<int> one_of_each_core_first(std::vector<int> processors) {
  std::vector<int> cores;
  std::stable_partition(processors.begin(), processors.end(), [&](int processor) {
    const int core = first_of_core(processor);
    const bool is_first = std::find(cores.begin(), cores.end(), core) == cores.end();
    if (is_first) cores.push_back(core);
    return is_first;
  });
  return processors;
}

const std::vector<int>& affinity_of_process() {
  static const auto& processors =
      *new std::vector<int>(processors_of_affinity(config_value("AFFINITY").value_or("none")));
  return processors;
}

}  // namespace

std::vector<int> processors_of_affinity(std::string_view text) {
  if (text.empty() || text == "none") return {};
  const std::vector<int> allowed = allowed_processors();
  if (text == "cores") return one_of_each_core_first(allowed);
  const std::optional<std::vector<int>> listed = listed_processors(text);
  if (!listed) {
    raise(ErrorCode::kInvalidArgument, "[affinity] {} is not {}", quote(text), kAffinityForm);
  }
  for (const int processor : *listed) {
    if (std::find(allowed.begin(), allowed.end(), processor) != allowed.end()) continue;
    raise(ErrorCode::kInvalidArgument,
          "[affinity] the process may not run on processor {}; it may on {}", processor,
          fmt::join(allowed, ", "));
  }
  return *listed;
}

void bind_to_processor(std::size_t thread) noexcept {
  try {
    const std::vector<int>& processors = affinity_of_process();
    if (processors.empty()) return;
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(processors[thread % processors.size()], &mask);
    (void)sched_setaffinity(0, sizeof mask, &mask);
  } catch (...) {  // no memory, or a value that nobody checked
  }
}

}  // namespace loci::core
