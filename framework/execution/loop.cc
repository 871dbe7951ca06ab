#include "framework/execution/loop.h"

#include <utility>

#include "framework/core/raise.h"
#include "framework/execution/loop_history.h"
#include "framework/execution/scan.h"

namespace loci::execution {
namespace {

class LoopRun {
 public:
  LoopRun(const LoopStep& step, Frame& frame)
      : step_(step),
        frame_(frame),
        condition_(*step.condition, *step.scope),
        body_(*step.body, *step.scope) {
    for (const ValueId id : step.arguments) {
      current_.push_back(id < 0 ? nullptr : frame.data(id));
    }
    outs_ = results(step.outs);
    twins_ = results(step.twins);
  }

  void run() {
    const std::vector<BlockResult>* last = nullptr;
    for (std::int64_t done = 0; goes_on(current_, done); ++done) {
      last = done % 2 == 0 ? &twins_ : &outs_;
      body_.run(current_, *last);
      for (std::size_t i = 0; i < last->size(); ++i) current_[i] = (*last)[i].data;
    }
    if (last != &outs_) move_results(step_.arguments, last == nullptr ? nullptr : &step_.twins);
  }

  void run_gradient() {
    LoopHistory history(step_.body->results, [this](const std::vector<void*>& values,
                                                    const std::vector<BlockResult>& next) {
      body_.run(with(values), next);
    });
    std::vector<void*> values(current_.begin(), first_capture());
    std::int64_t count = 0;
    for (; goes_on(with(values), count); ++count) values = history.advance(values);
    BlockRun gradient(*step_.gradient, *step_.scope);
    const std::vector<BlockResult>* last = nullptr;
    for (std::int64_t i = count; i-- > 0;) {
      last = (count - i) % 2 == 1 ? &twins_ : &outs_;
      gradient.run(with(history.values_before(i)), *last);
      const std::size_t first = current_.size() - step_.gradient_count;
      for (std::size_t k = 0; k < last->size(); ++k) current_[first + k] = (*last)[k].data;
    }
    const std::vector<ValueId> initial(
        step_.arguments.end() - static_cast<std::ptrdiff_t>(step_.gradient_count),
        step_.arguments.end());
    if (last != &outs_) move_results(initial, last == nullptr ? nullptr : &step_.twins);
  }

 private:
  [[nodiscard]] std::vector<void*>::iterator first_capture() {
    return current_.begin() + static_cast<std::ptrdiff_t>(step_.value_count);
  }

  // The arguments of the blocks with these values of the loop.
  const std::vector<void*>& with(const std::vector<void*>& values) {
    std::copy(values.begin(), values.end(), current_.begin());
    return current_;
  }

  bool goes_on(const std::vector<void*>& arguments, std::int64_t made) {
    const std::int64_t done = step_.made + made;
    std::uint8_t flag = 0;
    condition_result_[0] = {&flag, step_.name, /*host_reads=*/true};
    condition_.run(arguments, condition_result_);
    const bool exceeds = flag != 0 && step_.max_iterations > 0 && done >= step_.max_iterations;
    if (exceeds) {
      core::raise(ErrorCode::kFailed,
                  "[while] {} has made {} iterations, as many as max_iterations allows, and its "
                  "condition is still true; allow more, or see that its body makes it false",
                  step_.name, done);
    }
    return flag != 0;
  }

  std::vector<BlockResult> results(const std::vector<ValueId>& ids) const {
    std::vector<BlockResult> list;
    for (const ValueId id : ids) list.push_back({frame_.data(id), step_.name});
    return list;
  }

  // Brings results to where they belong: from the twins, or, where no iteration was made, from what
  // the loop began with.
  void move_results(const std::vector<ValueId>& initial, const std::vector<ValueId>* twins) {
    for (std::size_t i = 0; i < step_.outs.size(); ++i) {
      frame_.copy_within(twins == nullptr ? initial[i] : (*twins)[i], step_.outs[i], step_.name);
    }
  }

  const LoopStep& step_;
  Frame& frame_;
  BlockRun condition_;
  BlockRun body_;
  std::vector<void*> current_;  // by argument
  std::vector<BlockResult> outs_;
  std::vector<BlockResult> twins_;
  std::vector<BlockResult> condition_result_{1};
};

}  // namespace

std::vector<const Plan*> LoopStep::plans() const {
  std::vector<const Plan*> list;
  for (const Plan* plan : {condition.get(), body.get(), gradient.get()}) {
    if (plan != nullptr) list.push_back(plan);
  }
  return list;
}

void run_loop(const LoopStep& step, Frame& frame) {
  if (step.condition == nullptr) return run_scan(step, frame);
  LoopRun run(step, frame);
  if (step.gradient == nullptr) {
    run.run();
  } else {
    run.run_gradient();
  }
}

}  // namespace loci::execution
