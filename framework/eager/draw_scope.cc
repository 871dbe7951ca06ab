#include "framework/eager/draw_scope.h"

#include <loci/creation.hpp>
#include <loci/op_call.hpp>

#include "framework/eager/generator.h"

namespace loci::eager {
namespace {

std::int64_t take_number(const ThreadState& thread) {
  if (thread.draws != nullptr) return thread.draws->next_offset();
  if (const std::shared_ptr<WorkRecorder> recorder = recorder_of(thread)) {
    return recorder->next_draw();
  }
  return Generator::instance().next_offset();
}

}  // namespace

DrawScope::DrawScope()
    : thread_(thread_state()), around_(thread_.draws), number_(take_number(thread_)) {
  thread_.draws = this;
}

DrawScope::~DrawScope() { thread_.draws = around_; }

void DrawScope::enter(std::int64_t iteration) {
  iteration_ = iteration;
  offset_ = 0;
  states_.clear();
}

Tensor DrawScope::state_at(device::Device& device, const std::shared_ptr<WorkRecorder>& recorder,
                           const void* site) {
  for (const State& known : states_) {
    if (known.device == &device && known.recorder == recorder.get()) return known.tensor;
  }
  Tensor around;
  if (around_ != nullptr) {
    around = around_->state_at(device, recorder, site);
  } else {
    around = recorder != nullptr ? recorder->random_state()
                                 : Generator::instance().state_at(device, site);
  }
  const Tensor index = full({1}, static_cast<double>(iteration_), kInt64, device.place());
  OpCall<Tensor> fold("random_fold_in", site);
  fold.input("state", around).input("index", index).attr("offset", number_);
  states_.push_back({&device, recorder.get(), fold.result()});
  return states_.back().tensor;
}

}  // namespace loci::eager
