#include "framework/planning/placement_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "framework/device/device_manager.h"
#include "framework/memory/allocator.h"
#include "framework/memory/out_of_memory.h"

namespace loci::planning {
namespace {

using execution::Arena;
using execution::Plan;
using execution::PlanPersistable;
using execution::PlanValue;
using execution::Space;
using program::Block;
using program::Operator;
using program::Slot;
using program::VarId;

// Allocators take large blocks from segments of this size, or of a multiple of it.
constexpr std::uint64_t kSegment = 2 * 1024 * 1024;

std::uint64_t rounded(std::uint64_t bytes) {
  return bytes < kSegment ? bytes : (bytes + kSegment - 1) / kSegment * kSegment;
}

struct State {
  std::string name;
  std::uint64_t bytes = 0;
  Space space = nullptr;
};

std::vector<State> states_of(const Plan& plan) {
  std::vector<State> states;
  for (const PlanPersistable& persistable : plan.persistables) {
    const PlanValue& value = plan.values[static_cast<std::size_t>(persistable.value)];
    states.push_back({persistable.name, value.bytes, value.space});
  }
  return states;
}

// Bytes that a run holds at once.
std::map<Space, std::uint64_t> needs_of(const Plan& plan) {
  std::map<Space, std::uint64_t> needs;
  for (const State& state : states_of(plan)) needs[state.space] += rounded(state.bytes);
  for (const Arena& arena : plan.arenas) needs[arena.space] += rounded(arena.bytes);
  return needs;
}

template <class Visit>
void for_each_id(const std::vector<Slot>& slots, const Visit& visit) {
  for (const Slot& slot : slots) {
    for (const VarId id : slot) visit(id);
  }
}

bool uses_any(const Operator& op, const std::set<VarId>& ids) {
  bool found = false;
  const auto look = [&](VarId id) { found = found || ids.count(id) > 0; };
  for_each_id(op.inputs, look);
  for_each_id(op.outputs, look);
  return found;
}

// Sets guards as if the operators that use the variables had been built under one, which their
// gradients take over: what an update reads comes from there.
void move_to_cpu(Block& block, const std::set<std::string>& names) {
  std::set<VarId> moved;
  std::set<VarId> gradients;
  for (const std::string& name : names) moved.insert(block.find(name));
  for (const VarId id : moved) block.var(id).guard = "cpu";
  for (Operator& op : block.ops) {
    if (!uses_any(op, moved)) continue;
    op.guard = "cpu";
    if (op.role != program::Role::kUpdate) continue;
    for_each_id(op.inputs, [&](VarId id) {
      if (!block.var(id).persistable) gradients.insert(id);
    });
  }
  for (Operator& op : block.ops) {
    for_each_id(op.outputs, [&](VarId id) {
      if (gradients.count(id) > 0) op.guard = "cpu";
    });
  }
}

class Advice {
 public:
  Advice(const PlanRequest& request, dispatch::KernelCache* kernels,
         const AvailableBytes& available)
      : request_(request), kernels_(*kernels), available_(available) {
    request_.options.fallback = FallbackPolicy::kAllow;  // the run itself has warned
  }

  std::string find() {
    const std::optional<Trial> now = attempt({}, *request_.device);
    if (!now || !now->full || *now->full == nullptr) return {};
    std::vector<State> candidates = now->states;
    candidates.erase(std::remove_if(candidates.begin(), candidates.end(),
                                    [&](const State& state) {
                                      return state.space != *now->full ||
                                             state.name == program::kRandomStateName;
                                    }),
                     candidates.end());
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const State& a, const State& b) { return a.bytes > b.bytes; });
    const std::string moved = move_largest(candidates);
    return moved.empty() ? move_all() : moved;
  }

 private:
  struct Trial {
    std::vector<State> states;
    std::map<Space, std::uint64_t> needs;
    std::optional<Space> full;  // the space that does not have what is needed
  };

  // The fewest of the candidates, which are sorted by size.
  std::string move_largest(const std::vector<State>& candidates) {
    std::optional<Trial> best;
    std::size_t first = 1;
    std::size_t last = candidates.size() + 1;
    while (first < last) {
      const std::size_t count = (first + last) / 2;
      std::optional<Trial> trial = attempt(names_of(candidates, count), *request_.device);
      if (trial && !trial->full) {
        best = std::move(trial);
        last = count;
      } else {
        first = count + 1;
      }
    }
    return best ? describe_move(candidates, last, best->needs) : std::string();
  }

  [[nodiscard]] std::string describe_move(const std::vector<State>& candidates, std::size_t count,
                                          const std::map<Space, std::uint64_t>& needs) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(
          fmt::format("'{}' ({})", candidates[i].name, memory::format_bytes(candidates[i].bytes)));
    }
    return fmt::format(
        "a placement that fits: {} on the CPU, with the operators that use {} under "
        "DeviceGuard(\"cpu\"); by a dry run this program then needs {}",
        fmt::join(texts, ", "), count == 1 ? "it" : "them", describe(needs));
  }

  std::string move_all() {
    device::Device& cpu = device::DeviceManager::instance().get(Place());
    const std::optional<Trial> trial = attempt({}, cpu);
    if (trial && !trial->full) {
      return fmt::format(
          "a placement that fits: all of the program on the CPU; by a dry run this program then "
          "needs {}",
          describe(trial->needs));
    }
    return "no placement fits: neither variables nor all of the program on the CPU";
  }

  // Tries the program with those variables on the CPU; nothing if it cannot be compiled so.
  std::optional<Trial> attempt(const std::set<std::string>& names, device::Device& device) {
    auto program = std::make_shared<program::ProgramImpl>(*request_.program);
    move_to_cpu(program->main(), names);
    PlanRequest request = request_;
    request.program = std::move(program);
    request.device = &device;
    try {
      const auto plan = compile_plan(request, &kernels_);
      Trial trial{states_of(*plan), needs_of(*plan), std::nullopt};
      for (const auto& [space, bytes] : trial.needs) {
        if (bytes > capacity(space)) trial.full = space;
      }
      return trial;
    } catch (const Error&) {
      return std::nullopt;  // an operator without a kernel there
    }
  }

  static std::set<std::string> names_of(const std::vector<State>& states, std::size_t count) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < count; ++i) names.insert(states[i].name);
    return names;
  }

  // With what the program's own variables hold there.
  [[nodiscard]] std::uint64_t capacity(Space space) const {
    std::uint64_t bytes = available_(space);
    for (const program::VarDesc& var : request_.program->main().vars) {
      if (!var.persistable) continue;
      const Tensor tensor = request_.scope->find(var.name);
      if (!tensor.defined() || !lies_in(tensor, space)) continue;
      bytes += rounded(static_cast<std::uint64_t>(tensor.numel()) * dtype_size(tensor.dtype()));
    }
    return bytes;
  }

  static bool lies_in(const Tensor& tensor, Space space) {
    return space == nullptr ? tensor.place().is_host() : tensor.place() == space->place();
  }

  [[nodiscard]] std::string describe(const std::map<Space, std::uint64_t>& needs) const {
    std::vector<std::string> texts;
    for (const auto& [space, bytes] : needs) {
      texts.push_back(fmt::format("{} of {} at {}", memory::format_bytes(bytes),
                                  memory::format_bytes(capacity(space)),
                                  space == nullptr ? "cpu" : space->place().to_string()));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  PlanRequest request_;
  dispatch::KernelCache& kernels_;
  const AvailableBytes& available_;
};

}  // namespace

std::string placement_that_fits(const PlanRequest& request, dispatch::KernelCache* kernels,
                                const AvailableBytes& available) {
  return Advice(request, kernels, available).find();
}

std::uint64_t available_bytes(Space space) {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 62;
  if (space != nullptr && space->info().total_memory == 0) return kUnknown;
  return space == nullptr ? memory::host_allocator().available()
                          : memory::device_allocator(*space).available();
}

}  // namespace loci::planning
