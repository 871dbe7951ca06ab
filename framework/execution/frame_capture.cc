#include "framework/execution/frame_capture.h"

#include <fmt/format.h>

#include <utility>

#include "framework/core/log.h"
#include "framework/execution/capture_facts.h"
#include "framework/execution/frame.h"
#include "framework/execution/operator_log.h"

namespace loci::execution {

FrameCapture::~FrameCapture() {
  plan_.captures->note_bytes(bytes_, 0);
  if (PlanMemory* memory = plan_.memory()) memory->frames -= bytes_;
}

void FrameCapture::prepare() {
  launched_ = nullptr;
  switch (state_) {
    case State::kCold: state_ = State::kWarm; return;
    case State::kWarm: capture(); break;
    case State::kCaptured: graph_->follow(); break;
    case State::kPlain: return;
  }
  if (graph_ == nullptr) return;
  graph_->begin_replay();
  const device_graph::Exchanges exchanges = graph_->take_exchanges();
  if (exchanges.recaptures > 0) count_bytes();
  plan_.captures->note_replay(exchanges);
}

void FrameCapture::capture() {
  state_ = State::kPlain;
  graph_ = std::make_unique<FrameGraph>(plan_, frame_);
  if (plan_.captures->is_required && !graph_->control_refusal().empty()) {
    plan_.captures->note_control_refusal(graph_->control_refusal());
    plan_.captures->require_control();
  }
  if (plan_.captures->note_capture(*graph_)) log_reasons();
  if (!graph_->is_native()) return graph_.reset();
  state_ = State::kCaptured;
  count_bytes();
}

// Once for a plan.
void FrameCapture::log_reasons() const {
  for (const FrameGraph::Part& part : graph_->parts()) {
    if (part.is_native()) continue;
    core::log(core::Module::kCapture, core::Level::kInfo,
              "{} of {} launches and copies are done one by one in each run, {} on: {}",
              part.last - part.first, plan_.instructions.size(),
              describe_instruction(plan_, part.first), part.reason);
  }
}

// Values that are staged since, too.
void FrameCapture::count_bytes() {
  const std::uint64_t bytes = graph_->bytes();
  const std::uint64_t before = std::exchange(bytes_, bytes);
  plan_.captures->note_bytes(before, bytes);
  PlanMemory* memory = plan_.memory();
  if (memory == nullptr || bytes == before) return;
  memory->frames += bytes - before;  // modulo 2^64 where it is less
  memory->has_grown = true;
}

bool FrameCapture::replay(std::size_t instruction, std::uint64_t first_correlation) {
  const FrameGraph::Part& part = graph_->part_of(instruction);
  if (!part.is_native()) return false;
  if (std::exchange(launched_, &part) != &part) launch(part, first_correlation);
  return true;
}

void FrameCapture::launch(const FrameGraph::Part& part, std::uint64_t first_correlation) {
  try {
    graph_->launch(part, first_correlation);
  } catch (const Error& error) {
    plan_.instructions[part.first].device->note_loss(error);
    throw error.within(fmt::format("{} captured launches, the first {}", part.last - part.first,
                                   describe_instruction(plan_, part.first)));
  }
}

void FrameCapture::replay_ahead(const ProfileStep* step, std::uint64_t first_correlation) {
  while (step->kind == ProfileStep::Kind::kOpen) ++step;
  if (step->kind != ProfileStep::Kind::kLaunch) return;
  const bool is_first = graph_->part_of(step->instruction).first == step->instruction;
  if (is_first) (void)replay(step->instruction, first_correlation);
}

}  // namespace loci::execution
