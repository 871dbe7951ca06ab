#include "tools/cuda_double/ptx/estimates.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kLeastRegisters = 16;
constexpr std::uint32_t kMostRegisters = 255;
// A stack whose depth is not known counts as so many bytes.
constexpr std::uint32_t kUnknownDepthBytes = 16U << 10;
// Code beyond this is not looked at so closely.
constexpr std::size_t kMostWork = std::size_t{1} << 26;

struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};
using Intervals = std::map<RegisterRef, Interval>;

Intervals find_intervals(const FunctionCode& function) {
  Intervals intervals;
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const Instruction& instruction = function.code[i];
    for (unsigned o = 0; o < instruction.results + 0U + instruction.sources; ++o) {
      const RegisterRef ref = instruction.operands[o];
      if ((ref & kConstantBit) != 0) continue;
      intervals.try_emplace(ref, Interval{i, i}).first->second.last = i;
    }
  }
  return intervals;
}

// A register that lives into a loop lives to its end.
void extend_over_loops(const FunctionCode& function, Intervals& intervals) {
  std::vector<Interval> loops;
  for (std::uint32_t i = 0; i < function.code.size(); ++i) {
    const Instruction& instruction = function.code[i];
    if (instruction.control == Control::kBranch && instruction.target <= i) {
      loops.push_back({instruction.target, i});
    }
  }
  if (loops.size() * intervals.size() > kMostWork) return;
  for (const Interval& loop : loops) {
    for (auto& [ref, interval] : intervals) {
      if (interval.first < loop.first && interval.last >= loop.first) {
        interval.last = std::max(interval.last, loop.last);
      }
    }
  }
}

// Registers lie one behind the other, so that the next one tells the size.
std::uint32_t words_of(const FunctionCode& function, RegisterRef ref) {
  for (const RegisterRange& range : function.register_ranges) {
    if (ref < range.first || ref >= range.first + range.count * range.stride) continue;
    return range.stride <= kRegisterUnit ? 0 : std::max(1U, range.stride / (4 * kLanes));
  }
  return 1;
}

using Visited = std::set<const FunctionCode*>;

// The depth in bytes; `open` are the callers.
std::uint32_t stack_of(const FunctionCode& function, Visited& open,
                       std::map<const FunctionCode*, std::uint32_t>& known) {
  const auto found = known.find(&function);
  if (found != known.end()) return found->second;
  const std::uint32_t own = (function.frame_local_bytes + 15) / 16 * 16;
  if (!open.insert(&function).second) return kUnknownDepthBytes;
  std::uint32_t deepest = function.calls_indirectly ? kUnknownDepthBytes : 0;
  for (const FunctionCode* callee : function.callees) {
    deepest = std::max(deepest, stack_of(*callee, open, known));
  }
  open.erase(&function);
  return known[&function] = own + deepest;
}

bool shares(const FunctionCode& function, Visited& seen) {
  if (!seen.insert(&function).second) return false;
  if (function.uses_module_shared || (!function.is_entry && function.has_shared_variables)) {
    return true;
  }
  return std::any_of(function.callees.begin(), function.callees.end(),
                     [&](const FunctionCode* callee) { return shares(*callee, seen); });
}

}  // namespace

std::uint32_t estimate_registers(const FunctionCode& function) {
  Intervals intervals = find_intervals(function);
  extend_over_loops(function, intervals);
  std::vector<std::int64_t> change(function.code.size() + 1, 0);
  for (const auto& [ref, interval] : intervals) {
    const std::int64_t words = words_of(function, ref);
    change[interval.first] += words;
    change[interval.last] -= words;
  }
  std::int64_t now = 0;
  std::int64_t most = 0;
  for (const std::int64_t step : change) most = std::max(most, now += step);
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(most, kLeastRegisters, kMostRegisters));
}

std::uint32_t stack_bytes(const FunctionCode& function) {
  Visited open;
  std::map<const FunctionCode*, std::uint32_t> known;
  return stack_of(function, open, known);
}

bool uses_module_shared(const FunctionCode& function) {
  Visited seen;
  return shares(function, seen);
}

}  // namespace loci::cuda_double
