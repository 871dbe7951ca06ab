#include "framework/eager/scan.h"

#include <algorithm>
#include <loci/autograd.hpp>
#include <loci/ops/parts.hpp>

#include "framework/core/raise.h"
#include "framework/eager/draw_scope.h"
#include "framework/eager/node.h"
#include "framework/eager/thread_state.h"

namespace loci::eager {
namespace {

using Tensors = std::vector<Tensor>;

std::string form_text(const Tensor& tensor) {
  return tensor.defined()
             ? fmt::format("{} {}", dtype_name(tensor.dtype()), tensor.shape().to_string())
             : std::string("undefined");
}

bool is_recorded(const Tensor& tensor) { return thread_state().records && requires_grad(tensor); }

// The slices of one stacked input. What gradients go through is taken apart at once, as the
// gradient of a single slice has the size of all.
class StackedInput {
 public:
  StackedInput(const Tensor& x, std::int64_t steps) : x_(x) {
    if (steps > 0 && is_recorded(x)) slices_ = unstack(x);
  }
  [[nodiscard]] Tensor slice(std::int64_t index) const {
    return slices_.empty() ? x_[index] : slices_[static_cast<std::size_t>(index)];
  }

 private:
  const Tensor& x_;
  Tensors slices_;
};

// One stacked output. Slices are written where they belong, until one of them has a gradient:
// then they are kept, and stacked in the end.
class StackedOutput {
 public:
  StackedOutput(std::int64_t steps, std::size_t number) : steps_(steps), number_(number) {}

  void set(std::int64_t index, const Tensor& slice) {
    if (!stacked_.defined()) allocate(slice);
    check(slice);
    if (slices_.empty() && is_recorded(slice)) keep_slices();
    if (slices_.empty()) {
      stacked_[index].copy_(slice, /*blocking=*/false);
    } else {
      slices_[static_cast<std::size_t>(index)] = slice;
    }
  }
  [[nodiscard]] Tensor take() const { return slices_.empty() ? stacked_ : stack(slices_); }

 private:
  void allocate(const Tensor& slice) {
    if (!slice.defined()) return check(slice);
    std::vector<std::int64_t> dims = slice.shape().dims();
    dims.insert(dims.begin(), steps_);
    stacked_ = Tensor::empty(Shape(dims), slice.dtype(), slice.place());
  }
  void check(const Tensor& slice) const {
    const bool fits =
        slice.defined() && slice.dtype() == stacked_.dtype() &&
        slice.shape().numel() * steps_ == stacked_.numel() &&
        slice.shape().rank() + 1 == stacked_.shape().rank() &&
        std::equal(slice.shape().begin(), slice.shape().end(), stacked_.shape().begin() + 1);
    if (fits) return;
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] stacked output {} gets {} from a step, but is {} by the first one; give "
                "one dtype and shape in each",
                number_, form_text(slice), form_text(stacked_));
  }
  // Those that were written are the same for all that follows.
  void keep_slices() {
    for (std::int64_t i = 0; i < steps_; ++i) slices_.push_back(stacked_[i]);
  }

  std::int64_t steps_;
  std::size_t number_;
  Tensor stacked_;
  Tensors slices_;
};

void check_carry(const Tensors& before, const Tensors& after) {
  if (before.size() != after.size()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] its body gives {} carried value(s) for {}; give the next one of each",
                after.size(), before.size());
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool fits = after[i].defined() && before[i].dtype() == after[i].dtype() &&
                      before[i].shape() == after[i].shape();
    if (fits) continue;
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] makes carried value {} '{}' {}, but it is {} at first; the values of a "
                "scan keep dtype and shape, and what grows is carried by while_loop()",
                i, before[i].name(), form_text(after[i]), form_text(before[i]));
  }
}

}  // namespace

Tensors entering(const Tensors& values) {
  Tensors inside = values;
  for (Tensor& value : inside) {
    if (!value.defined() || !is_recorded(value)) continue;
    Tensor view = value.reshaped(value.shape());
    if (!value.name().empty()) view.set_name(value.name());
    value = std::move(view);
  }
  return inside;
}

namespace {

class Scan {
 public:
  Scan(const ScanBody& body, const Tensors& carry, const Tensors& xs, const ScanOptions& options)
      : body_(body),
        carry_(entering(carry)),
        steps_(scan_steps(xs, options)),
        is_reverse_(options.reverse) {
    inputs_.reserve(xs.size());
    for (const Tensor& x : xs) inputs_.emplace_back(x, steps_);
  }

  ScanResult<Tensor> run() {
    DrawScope draws;
    for (std::int64_t done = 0; done < steps_; ++done) {
      draws.enter(done);
      step(is_reverse_ ? steps_ - 1 - done : done, done == 0);
    }
    ScanResult<Tensor> result{std::move(carry_), {}};
    for (const StackedOutput& output : outputs_) result.ys.push_back(output.take());
    return result;
  }

 private:
  void step(std::int64_t index, bool is_first) {
    Tensors slices;
    slices.reserve(inputs_.size());
    for (const StackedInput& input : inputs_) slices.push_back(input.slice(index));
    ScanResult<Tensor> given = body_(carry_, slices);
    check_carry(carry_, given.carry);
    carry_ = std::move(given.carry);
    for (std::size_t i = 0; is_first && i < given.ys.size(); ++i) outputs_.emplace_back(steps_, i);
    if (given.ys.size() != outputs_.size()) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[scan] its body gives slices of {} stacked output(s), and gave {} in the first "
                  "step; give as many in each",
                  given.ys.size(), outputs_.size());
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) outputs_[i].set(index, given.ys[i]);
  }

  const ScanBody& body_;
  Tensors carry_;
  std::int64_t steps_;
  bool is_reverse_;
  std::vector<StackedInput> inputs_;
  std::vector<StackedOutput> outputs_;
};

}  // namespace

std::int64_t scan_steps(const Tensors& xs, const ScanOptions& options) {
  if (options.length < -1) {
    core::raise(ErrorCode::kInvalidArgument, "[scan] has the length {}; give a number of steps",
                options.length);
  }
  if (options.length < 0 && xs.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] has neither stacked inputs nor a length; give one of them");
  }
  std::int64_t steps = options.length;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i].defined() || xs[i].shape().rank() == 0) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[scan] stacked input {} is {}; give one whose first dimension is the steps", i,
                  form_text(xs[i]));
    }
    const std::int64_t extent = xs[i].shape()[0];
    if (steps >= 0 && steps != extent) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[scan] has {} steps by {}, but {} by stacked input {}; stacked inputs have one "
                  "first extent",
                  steps, i == 0 ? "the length" : "what is before it", extent, i);
    }
    steps = extent;
  }
  return steps;
}

ScanResult<Tensor> run_scan(const ScanBody& body, const Tensors& carry, const Tensors& xs,
                            const ScanOptions& options) {
  return Scan(body, carry, xs, options).run();
}

}  // namespace loci::eager
