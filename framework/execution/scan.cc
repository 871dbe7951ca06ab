#include "framework/execution/scan.h"

#include <algorithm>

namespace loci::execution {
namespace {

void* part_of(void* stacked, std::int64_t index, std::uint64_t bytes) {
  return static_cast<char*>(stacked) + static_cast<std::uint64_t>(index) * bytes;
}

// Everything is reserved before the first step: a step only moves pointers.
class ScanRun {
 public:
  ScanRun(const LoopStep& step, Frame& frame)
      : step_(step), frame_(frame), body_(*step.body, *step.scope) {
    for (const ValueId id : step.arguments) {
      current_.push_back(id < 0 ? nullptr : frame.data(id));
    }
    const auto first = current_.begin() + static_cast<std::ptrdiff_t>(step.value_count);
    inputs_.assign(first, first + static_cast<std::ptrdiff_t>(step.slices.size()));
    for (const ValueId id : step.stacked) outputs_.push_back(frame.data(id));
    outs_ = results(step.outs);
    twins_ = results(step.twins);
  }

  void run() {
    const std::vector<BlockResult>* last = nullptr;
    for (std::int64_t done = 0; done < step_.steps; ++done) {
      last = done % 2 == 0 ? &twins_ : &outs_;
      const std::int64_t index = step_.is_reverse ? step_.steps - 1 - done : done;
      take_slices(index);
      give_slices(index, last == &twins_ ? twins_ : outs_);
      body_.run(current_, *last);
      for (std::size_t i = 0; i < step_.value_count; ++i) current_[i] = (*last)[i].data;
    }
    if (last != &outs_) move_values(last == nullptr ? step_.arguments : step_.twins);
  }

 private:
  // Where a step's results go: the values, then its slices of the stacked outputs.
  [[nodiscard]] std::vector<BlockResult> results(const std::vector<ValueId>& values) const {
    std::vector<BlockResult> list;
    for (const ValueId id : values) list.push_back({frame_.data(id), step_.name});
    for (void* output : outputs_) list.push_back({output, step_.name});
    return list;
  }

  void take_slices(std::int64_t index) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      current_[step_.value_count + i] = part_of(inputs_[i], index, step_.slices[i]);
    }
  }

  void give_slices(std::int64_t index, std::vector<BlockResult>& results) const {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      results[step_.value_count + i].data = part_of(outputs_[i], index, step_.parts[i]);
    }
  }

  // From the twins, or, where no step was made, from what the scan began with.
  void move_values(const std::vector<ValueId>& from) {
    for (std::size_t i = 0; i < step_.outs.size(); ++i) {
      frame_.copy_within(from[i], step_.outs[i], step_.name);
    }
  }

  const LoopStep& step_;
  Frame& frame_;
  BlockRun body_;
  std::vector<void*> current_;  // by argument
  std::vector<void*> inputs_;   // that slices are taken of
  std::vector<void*> outputs_;  // that slices are given to
  std::vector<BlockResult> outs_;
  std::vector<BlockResult> twins_;
};

}  // namespace

void run_scan(const LoopStep& step, Frame& frame) { ScanRun(step, frame).run(); }

}  // namespace loci::execution
