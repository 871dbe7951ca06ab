#include "plugins/cpu/canaried_kernel.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <loci/plugin/error.hpp>
#include <utility>
#include <vector>

#include "plugins/cpu/canary_block.h"

namespace loci::cpu {
namespace {

using Bytes = const std::byte*;

bool has_memory(const loci_view& view) { return view.data != nullptr && view.bytes != 0; }
Bytes begin_of(const loci_view& view) { return static_cast<Bytes>(view.data); }
Bytes end_of(const loci_view& view) { return begin_of(view) + view.bytes; }

bool overlap(const loci_view& a, const loci_view& b) {
  return has_memory(a) && has_memory(b) && begin_of(a) < end_of(b) && begin_of(b) < end_of(a);
}
bool contains(const loci_view& outer, const loci_view& inner) {
  return begin_of(outer) <= begin_of(inner) && end_of(inner) <= end_of(outer);
}

// The arguments of a launch, each in a block of its own, but for inputs in whose memory an output
// lies.
class CanariedArguments {
 public:
  CanariedArguments(const loci_launch& launch, std::uint32_t inputs, std::uint32_t outputs) {
    for (std::uint32_t i = 0; i < inputs; ++i) inputs_.push_back(*launch.inputs[i]);
    for (std::uint32_t i = 0; i < outputs; ++i) outputs_.push_back(*launch.outputs[i]);
    given_ = outputs_;
    for (std::uint32_t i = 0; i < outputs; ++i) move_output(i);
    for (std::uint32_t i = 0; i < inputs; ++i) move_input(i);
    for (const loci_view& view : inputs_) input_pointers_.push_back(&view);
    for (const loci_view& view : outputs_) output_pointers_.push_back(&view);
  }

  [[nodiscard]] const loci_view* const* inputs() const { return input_pointers_.data(); }
  [[nodiscard]] const loci_view* const* outputs() const { return output_pointers_.data(); }

  // Copies what was computed to where it belongs.
  void finish() const {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (has_memory(given_[i]) && given_[i].data != outputs_[i].data) {
        std::memcpy(given_[i].data, outputs_[i].data, given_[i].bytes);
      }
    }
  }

  // Calls visit(name, block, what it has to hold still, or null).
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Block& block : blocks_) {
      visit(std::string(block.is_output ? "output " : "input ") + std::to_string(block.index),
            block.memory, block.kept);
    }
  }

 private:
  struct Block {
    bool is_output;
    std::uint32_t index;
    Bytes kept;
    CanaryBlock memory;
  };

  std::byte* add(bool is_output, std::uint32_t index, const loci_view& view, Bytes kept) {
    blocks_.push_back({is_output, index, kept, CanaryBlock(view.bytes, view.data)});
    return blocks_.back().memory.data();
  }

  // An output's earlier contents count where an input lies there, or where it has gaps.
  void move_output(std::uint32_t index) {
    loci_view& output = outputs_[index];
    if (!has_memory(output)) return;
    bool counts = output.strides != nullptr;
    for (const loci_view& input : inputs_) {
      if (!overlap(input, output)) continue;
      if (!contains(output, input)) return;  // a part of the input, which stays where it is
      counts = true;
    }
    std::byte* const moved = add(/*is_output=*/true, index, output, nullptr);
    if (counts) std::memcpy(moved, output.data, output.bytes);
    output.data = moved;
  }

  void move_input(std::uint32_t index) {
    loci_view& input = inputs_[index];
    if (!has_memory(input)) return;
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (!overlap(input, given_[i])) continue;
      input.data =
          static_cast<std::byte*>(outputs_[i].data) + (begin_of(input) - begin_of(given_[i]));
      return;
    }
    std::byte* const moved = add(/*is_output=*/false, index, input, begin_of(input));
    std::memcpy(moved, input.data, input.bytes);
    input.data = moved;
  }

  std::vector<loci_view> inputs_;
  std::vector<loci_view> outputs_;
  std::vector<loci_view> given_;  // the outputs as the host gave them
  std::deque<Block> blocks_;
  std::vector<const loci_view*> input_pointers_;
  std::vector<const loci_view*> output_pointers_;
};

[[noreturn]] void fail(const std::string& kernel, const std::string& what) {
  throw sdk::Error(LOCI_CODE_INTERNAL,
                   "[cpu] " + kernel + " " + what +
                       "; results beside it may be wrong: report it, and set LOCI_CPU_ONEDNN=0 "
                       "where the kernel is oneDNN's");
}

void check(const std::string& kernel, const std::string& memory, const CanaryBlock& block) {
  const auto damage = block.damage();
  if (!damage) return;
  const bool is_before = damage->offset < 0;
  const std::int64_t distance = is_before ? -damage->offset : damage->offset;
  fail(kernel, "wrote " + std::to_string(damage->bytes) + " bytes outside " + memory + " of " +
                   std::to_string(block.bytes()) + " bytes, the first " + std::to_string(distance) +
                   " bytes " + (is_before ? "before its begin" : "behind its end"));
}

}  // namespace

CanariedKernel::CanariedKernel(std::string name, const loci_op_desc& op,
                               const loci_prepared_info& info)
    : name_(std::move(name)),
      input_count_(op.input_slots[op.input_slot_count]),
      output_count_(op.output_slots[op.output_slot_count]),
      info_(info) {}

loci_error* CanariedKernel::launch(const loci_launch& launch) const {
  const CanariedArguments arguments(launch, input_count_, output_count_);
  const CanaryBlock workspace(info_.workspace_bytes, nullptr);
  const CanaryBlock state(info_.state_bytes, launch.state);
  if (info_.state_bytes != 0) std::memcpy(state.data(), launch.state, info_.state_bytes);
  loci_launch canaried = launch;
  canaried.inputs = arguments.inputs();
  canaried.outputs = arguments.outputs();
  canaried.workspace = workspace.data();
  canaried.state = state.data();
  if (loci_error* const error = info_.launch(info_.prepared, &canaried)) return error;
  arguments.for_each([&](const std::string& name, const CanaryBlock& block, Bytes kept) {
    check(name_, name, block);
    if (kept != nullptr && std::memcmp(kept, block.data(), block.bytes()) != 0) {
      fail(name_, "changed " + name);
    }
  });
  check(name_, "the workspace", workspace);
  check(name_, "the state", state);
  arguments.finish();
  if (info_.state_bytes != 0) std::memcpy(launch.state, state.data(), info_.state_bytes);
  return nullptr;
}

}  // namespace loci::cpu
