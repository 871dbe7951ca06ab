#include "framework/execution/frame_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "framework/core/abi/error.h"
#include "framework/core/log.h"
#include "framework/core/steady_time.h"
#include "framework/device_graph/replay_scope.h"
#include "framework/execution/capture_problems.h"
#include "framework/execution/device_control.h"
#include "framework/execution/frame.h"
#include "framework/execution/operator_log.h"
#include "framework/profiler/parts.h"

namespace loci::execution {
namespace {

using device_graph::Capturer;
using device_graph::Capturers;
using device_graph::Executable;

}  // namespace

FrameGraph::FrameGraph(const Plan& plan, Frame& frame)
    : plan_(plan), frame_(frame), number_(device_graph::next_graph_number()) {
  const profiler::Scope scope(label_of(profiler::Part::kCaptureGraph));
  const std::uint64_t begun = core::steady_ns();
  capture_parts();
  // A capturer knows when it records loops and branches whether its device can go through them.
  if (!control_refusal_.empty()) capture_parts();
  capture_ns_ = core::steady_ns() - begun;
}

FrameGraph::~FrameGraph() = default;

void FrameGraph::capture_parts() {
  parts_.clear();
  part_of_.clear();
  controls_.clear();
  split();
  for (Part& part : parts_) {
    if (part.reason.empty()) capture(&part);
  }
}

// Why the host launches it; empty if its device's capturer can record it.
std::string FrameGraph::refusal(std::size_t index) const {
  const Instruction& instruction = plan_.instructions[index];
  if (const TransferStep* copy = instruction.transfer()) {
    return fmt::format("'{}' is copied between places", copy->labels.variable);
  }
  if (instruction.control() != nullptr) {
    std::string reason = device_control_refusal(plan_, index);
    return reason.empty() ? control_refusal_ : reason;
  }
  const Capturers::Found found = core::in_context<Capturers>().of(*instruction.device);
  if (found.capturer == nullptr) return found.reason;
  return record_refusal(plan_, index);
}

// Into parts of one device or reason; where only one launch could be recorded, a graph of it would
// cost what the launch does.
void FrameGraph::split() {
  const std::size_t count = plan_.instructions.size() - plan_.awaited_reads;
  for (std::size_t i = 0; i < count; ++i) {
    std::string reason = refusal(i);
    const bool continues = !parts_.empty() && parts_.back().reason == reason &&
                           (!reason.empty() || plan_.instructions[parts_.back().first].device ==
                                                   plan_.instructions[i].device);
    if (continues) {
      parts_.back().last = i + 1;
    } else {
      parts_.push_back({i, i + 1, std::move(reason), nullptr, nullptr, {}});
    }
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    const bool is_launch =
        part.last - part.first < 2 && plan_.instructions[part.first].control() == nullptr;
    if (part.reason.empty() && is_launch) part.reason = "it is one launch";
    part_of_.resize(part.last, static_cast<std::uint32_t>(p));
  }
}

void FrameGraph::capture(Part* part) {
  const std::shared_ptr<Capturer> capturer =
      core::in_context<Capturers>().of(*plan_.instructions[part->first].device).capturer;
  const device_graph::GraphItems& items = *this;
  const bool knew_refusal = !control_refusal_.empty();
  try {
    find_bound(part);
    part->executable = std::make_unique<Executable>(capturer, items, part->first, part->last);
  } catch (const Error& error) {
    capturer->device().note_loss(error);
    part->reason = fmt::format("{} failed: {}", capturer->plugin().id(), error.what());
    if (!knew_refusal && !control_refusal_.empty()) return;  // the parts are made anew
    core::log(core::Module::kCapture, core::Level::kWarn,
              "{} launches at {} are done one by one: {}", part->last - part->first,
              capturer->device().place().to_string(), part->reason);
  }
}

void FrameGraph::find_bound(Part* part) const {
  std::unordered_set<ValueId> known;
  const auto note = [&](ValueId value) {
    if (value < 0 || value_of(plan_, value).storage == StorageKind::kArena) return;
    if (known.insert(value).second) part->bound.emplace_back(value, frame_.data(value));
  };
  for (std::size_t i = part->first; i < part->last; ++i) {
    for (const ValueId value : plan_.instructions[i].inputs) note(value);
    for (const ValueId value : plan_.instructions[i].outputs) note(value);
  }
}

void FrameGraph::follow() {
  for (Part& part : parts_) {
    const bool is_behind =
        std::any_of(part.bound.begin(), part.bound.end(),
                    [this](const auto& each) { return frame_.data(each.first) != each.second; });
    if (is_behind) follow(&part);
  }
}

void FrameGraph::follow(Part* part) {
  const std::uint64_t recaptures = exchanges_.recaptures;
  // Whatever fails below leaves addresses that are nobody's, so that the next run follows again.
  for (auto& [value, address] : part->bound) address = nullptr;
  if (part->staged == nullptr) {
    part->executable->follow(*this, &exchanges_);
    // Its capturer cannot exchange addresses, and those of feeds and fetches change in each run.
    if (exchanges_.recaptures != recaptures) stage(part);
  } else {
    const StagedValues::Binding binding(*part->staged, frame_);
    part->executable->follow(*this, &exchanges_);
  }
  note_bound(part);
}

void FrameGraph::stage(Part* part) {
  auto staged = std::make_unique<const StagedValues>(plan_, part->first, part->last);
  {
    const StagedValues::Binding binding(*staged, frame_);
    part->executable->follow(*this, &exchanges_);
  }
  part->staged = std::move(staged);
  std::erase_if(part->bound, [&](const auto& each) { return part->staged->has(each.first); });
  core::log(core::Module::kCapture, core::Level::kDebug,
            "{} bytes of what runs bind are copied around the graph of {} launches at {}",
            part->staged->bytes(), part->last - part->first,
            plan_.instructions[part->first].device->place().to_string());
}

void FrameGraph::note_bound(Part* part) const {
  for (auto& [value, address] : part->bound) address = frame_.data(value);
}

void FrameGraph::launch(const Part& part, std::uint64_t first_correlation) {
  if (part.staged != nullptr) part.staged->bring(frame_);
  loci_graph_launch launch{};
  launch.struct_size = sizeof launch;
  launch.graph = static_cast<std::uint32_t>(number_);
  launch.replay = replay_;
  launch.correlation = first_correlation;
  launch.stream = plan_.instructions[part.first].device->default_stream();
  {
    const device_graph::ReplayScope scope(number_, replay_);
    part.executable->launch(launch);
  }
  if (part.staged != nullptr) part.staged->take_back(frame_);
}

std::uint64_t FrameGraph::bytes() const {
  std::uint64_t bytes = 0;
  for (const Part& part : parts_) {
    if (part.is_native()) bytes += part.executable->graph().stats().bytes;
    if (part.staged != nullptr) bytes += part.staged->bytes();
  }
  return bytes;
}

bool FrameGraph::is_native() const {
  for (const Part& part : parts_) {
    if (part.is_native()) return true;
  }
  return false;
}

std::string FrameGraph::type(std::size_t item) const {
  const Instruction& instruction = plan_.instructions[item];
  return plan_.operators[static_cast<std::size_t>(instruction.op)].op->type();
}

void FrameGraph::issue_control(std::size_t item) const {
  const Instruction& instruction = plan_.instructions[item];
  const auto capturer = core::in_context<Capturers>().of(*instruction.device).capturer;
  std::unique_ptr<DeviceControl>& control = controls_[item];
  if (control == nullptr) control = make_device_control(instruction);
  try {
    control->issue_captured(frame_, *capturer, capturer->stream());
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kUnsupported) control_refusal_ = error.what();
    throw;
  }
}

void FrameGraph::issue_captured(std::size_t item, const device::Device& device,
                                loci_stream* stream) const {
  if (plan_.instructions[item].control() != nullptr) return issue_control(item);
  Frame::Launch launch = frame_.launch_of(item);
  launch.call.stream = stream;
  launch.call.correlation = 0;
  launch.call.flags |= LOCI_LAUNCH_CAPTURING;
  loci_error* error = launch.function(launch.prepared, &launch.call);
  if (error == nullptr) return;
  const Error taken = core::take_error(error);
  device.note_loss(taken);
  throw taken.within(describe_instruction(plan_, item));
}

const std::vector<std::uint32_t>* FrameGraph::dependencies(std::size_t item) const {
  return plan_.forks == nullptr ? nullptr : &plan_.forks->waits[item];
}

// Visits the values of a loop or a branch, which has no launch.
void FrameGraph::visit_values(std::size_t item, const device_graph::AddressVisitor& visit) const {
  const Instruction& instruction = plan_.instructions[item];
  std::uint32_t argument = 0;
  for (const std::vector<ValueId>* values : {&instruction.inputs, &instruction.outputs}) {
    for (const ValueId value : *values) {
      if (value >= 0) visit({item, argument, frame_.data(value)});
      ++argument;
    }
  }
}

void FrameGraph::visit_addresses(std::size_t first, std::size_t last,
                                 const device_graph::AddressVisitor& visit) const {
  for (std::size_t item = first; item < last; ++item) {
    const Instruction& instruction = plan_.instructions[item];
    if (instruction.control() != nullptr) {
      visit_values(item, visit);
      continue;
    }
    const loci_launch call = frame_.launch_of(item).call;
    const std::size_t inputs = instruction.inputs.size();
    for (std::size_t i = 0; i < inputs + instruction.outputs.size(); ++i) {
      const loci_view* view = i < inputs ? call.inputs[i] : call.outputs[i - inputs];
      if (view->residence != LOCI_RESIDENCE_DEVICE) continue;
      visit({item, static_cast<std::uint32_t>(i), view->data});
    }
  }
}

}  // namespace loci::execution
