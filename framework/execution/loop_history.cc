#include "framework/execution/loop_history.h"

#include <utility>

namespace loci::execution {
namespace {

// So many iterations are kept whatever the stride.
constexpr std::size_t kAlwaysKept = 64;

memory::Allocator& history_allocator(Space space) {
  return space == nullptr ? memory::host_allocator() : memory::device_allocator(*space);
}

std::uint64_t bytes_of(const ops::TensorType& type) {
  return static_cast<std::uint64_t>(type.shape.numel()) * dtype_size(type.dtype);
}

}  // namespace

LoopHistory::LoopHistory(const std::vector<PlanResult>& values, Iterate iterate)
    : types_(values), iterate_(std::move(iterate)) {}

LoopHistory::Values LoopHistory::make(std::int64_t iteration) {
  if (!spare_.empty()) {
    Values values = std::move(spare_.back());
    spare_.pop_back();
    values.iteration = iteration;
    return values;
  }
  Values values;
  values.iteration = iteration;
  for (const PlanResult& result : types_) {
    values.buffers.push_back(
        history_allocator(result.space)
            .allocate(bytes_of(result.type),
                      result.space == nullptr ? nullptr : result.space->default_stream(),
                      "(loop history)"));
    values.data.push_back(values.buffers.back().data());
  }
  return values;
}

std::vector<BlockResult> LoopHistory::targets(const Values& values) const {
  std::vector<BlockResult> results;
  for (void* data : values.data) results.push_back({data, "while_grad"});
  return results;
}

std::vector<void*> LoopHistory::advance(const std::vector<void*>& values) {
  if (done_ == 0) kept_.push_back({0, values, {}});
  Values next = make(++done_);
  iterate_(values, targets(next));
  std::vector<void*> data = next.data;
  // Nobody reads the values of the segment any more: they were not kept.
  for (Values& passed : std::exchange(segment_, {})) spare_.push_back(std::move(passed));
  if (done_ % stride_ == 0) {
    kept_.push_back(std::move(next));
    thin_out();
  } else {
    segment_.push_back(std::move(next));
  }
  return data;
}

// The newest stays, as the next iteration reads it.
void LoopHistory::thin_out() {
  if (kept_.size() <= kAlwaysKept || kept_.size() <= 2 * static_cast<std::size_t>(stride_)) return;
  stride_ *= 2;
  std::vector<Values> thinned;
  for (Values& values : kept_) {
    const bool stays = values.iteration % stride_ == 0;
    const bool newest = values.iteration == done_;
    if (stays) {
      thinned.push_back(std::move(values));
    } else {
      (newest ? segment_ : spare_).push_back(std::move(values));
    }
  }
  kept_ = std::move(thinned);
}

std::vector<void*> LoopHistory::values_before(std::int64_t iteration) {
  while (!segment_.empty() && segment_.back().iteration > iteration) {
    spare_.push_back(std::move(segment_.back()));
    segment_.pop_back();
  }
  while (kept_.back().iteration > iteration) {
    if (!kept_.back().buffers.empty()) spare_.push_back(std::move(kept_.back()));
    kept_.pop_back();
  }
  if (kept_.back().iteration == iteration) return kept_.back().data;
  if (segment_.empty() || segment_.front().iteration != kept_.back().iteration + 1) {
    fill_segment(kept_.back(), iteration);
  }
  return segment_.back().data;
}

void LoopHistory::fill_segment(const Values& from, std::int64_t end) {
  for (Values& passed : std::exchange(segment_, {})) spare_.push_back(std::move(passed));
  const std::vector<void*>* values = &from.data;
  segment_.reserve(static_cast<std::size_t>(end - from.iteration));
  for (std::int64_t i = from.iteration + 1; i <= end; ++i) {
    Values next = make(i);
    iterate_(*values, targets(next));
    segment_.push_back(std::move(next));
    values = &segment_.back().data;
  }
}

}  // namespace loci::execution
