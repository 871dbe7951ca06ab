#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstring>

#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/calls.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lane_memory.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/printf_text.h"

namespace loci::cuda_double {
namespace {

// One call of one lane: its arguments, and room for its result.
class LaneCall {
 public:
  LaneCall(Warp& warp, const CallTarget& call, std::uint32_t lane)
      : warp_(warp), call_(call), lane_(lane) {
    for (const Formal& argument : call.arguments) {
      arguments_.emplace_back(argument.bytes);
      read_formal(warp, *warp.frame, argument, lane, arguments_.back().data());
    }
    if (!call.results.empty()) result_.resize(call.results.front().bytes);
  }

  [[nodiscard]] std::uint64_t argument(std::size_t number) const {
    std::uint64_t value = 0;
    const std::vector<std::byte>& bytes = arguments_.at(number);
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof(value)));
    return value;
  }

  [[nodiscard]] const std::vector<std::vector<std::byte>>& arguments() const { return arguments_; }
  [[nodiscard]] std::vector<std::byte>& result() { return result_; }

  void give_result() {
    if (call_.results.empty()) return;
    const Formal& formal = call_.results.front();
    write_formal(warp_, *warp_.frame, formal, lane_, result_.data());
    if (!warp_.tracks_undefined) return;
    if (formal.reg != kNoRegister) {
      RegisterState& state = warp_.frame->states[formal.reg / kRegisterUnit];
      state.undefined &= ~(LaneMask{1} << lane_);
      state.computed &= ~(LaneMask{1} << lane_);
      return;
    }
    std::memset(warp_.local_states.data() + std::size_t{lane_} * warp_.local_stride +
                    warp_.frame->local_base + formal.local_offset,
                static_cast<int>(ByteState::kWritten), formal.bytes);
  }

 private:
  Warp& warp_;
  const CallTarget& call_;
  std::uint32_t lane_;
  std::vector<std::vector<std::byte>> arguments_;
  std::vector<std::byte> result_;
};

void print(Warp& warp, LaneCall& call, std::uint32_t lane) {
  const std::string text = printf_text(warp, lane, call.argument(0), call.argument(1));
  const auto& sink = warp.block->grid->config->print;
  if (sink) {
    const std::lock_guard lock(warp.block->grid->fault_mutex);
    sink(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

[[noreturn]] void fail_assertion(Warp& warp, const LaneCall& call, std::uint32_t lane) {
  raise_fault(
      warp, FaultKind::kAssertion, lane,
      fmt::format("{}:{}: {}: the assertion '{}' failed", read_text(warp, lane, call.argument(1)),
                  call.argument(2), read_text(warp, lane, call.argument(3)),
                  read_text(warp, lane, call.argument(0))));
}

void call_launcher(Warp& warp, LaneCall& call, std::uint32_t lane, const std::string& name) {
  const Grid& grid = *warp.block->grid;
  const ExternalFunctions* functions = grid.config->externals;
  const auto found =
      functions == nullptr ? ExternalFunctions::const_iterator() : functions->find(name);
  if (functions == nullptr || found == functions->end()) {
    raise_fault(warp, FaultKind::kBadCall, lane,
                name == "malloc" || name == "free"
                    ? fmt::format("calls {} on the device, which this interpreter has not", name)
                    : fmt::format("calls {}, which nothing defines", name));
  }
  std::vector<std::span<const std::byte>> arguments;
  for (const std::vector<std::byte>& bytes : call.arguments()) arguments.emplace_back(bytes);
  found->second({.arguments = arguments,
                 .result = call.result(),
                 .block = warp.block->id,
                 .thread = grid.config->block.place(warp.index * kLanes + lane)});
}

}  // namespace

void call_external(Warp& warp, const Instruction& instruction, const FunctionCode& function,
                   LaneMask mask) {
  const auto& target = *static_cast<const CallTarget*>(instruction.extra);
  for_each_lane(mask, [&](std::uint32_t lane) {
    LaneCall call(warp, target, lane);
    if (function.name == "vprintf" && target.arguments.size() == 2) {
      print(warp, call, lane);
    } else if (function.name == "__assertfail" && target.arguments.size() >= 4) {
      fail_assertion(warp, call, lane);
    } else {
      call_launcher(warp, call, lane, function.name);
    }
    call.give_result();
  });
}

}  // namespace loci::cuda_double
