#include "framework/capture/gradient_slots.h"

#include <utility>

#include "framework/core/raise.h"

namespace loci::capture {
namespace {

const eager::Gradient& gradient_of(const tensor::TensorImpl& tensor) {
  static const eager::Gradient& kNone = *new eager::Gradient;
  const eager::History* history = eager::history_of(tensor);
  return history == nullptr ? kNone : history->grad;
}

bool is_same(const eager::Gradient& a, const eager::Gradient& b) {
  if (a.dense.impl() != b.dense.impl() || a.rows.size() != b.rows.size()) return false;
  return a.rows.empty() || a.rows.front().values.impl() == b.rows.front().values.impl();
}

}  // namespace

const GradientSlots::Slot* GradientSlots::find(const tensor::TensorImpl& tensor) const {
  for (const Slot& slot : slots_) {
    if (slot.tensor.lock().get() == &tensor) return &slot;
  }
  return nullptr;
}

void GradientSlots::note(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read) {
  const eager::Gradient& now = gradient_of(*tensor);
  if (const Slot* known = find(*tensor)) {
    const auto at = static_cast<std::size_t>(known - slots_.data());
    if (!is_read && was_found(*known, now)) slots_[at].before = now;
    return;
  }
  Slot& slot = slots_.emplace_back();
  slot.tensor = tensor;
  slot.is_read = is_read;
  slot.had_gradient = now.defined();
  slot.had = now.dense.impl();
  if (!is_read || now.is_sparse()) slot.before = now;
  if (const eager::History* history = eager::history_of(*tensor)) {
    slot.requires_grad = history->requires_grad;
    slot.hooks = history->hooks.size();
  }
}

bool GradientSlots::has_earlier(const tensor::TensorImpl& tensor) const {
  const Slot* slot = find(tensor);
  return slot != nullptr && slot->had_gradient && was_found(*slot, gradient_of(tensor));
}

void GradientSlots::close() {
  is_closed_ = true;
  for (Slot& slot : slots_) {
    const std::shared_ptr<tensor::TensorImpl> tensor = slot.tensor.lock();
    if (tensor == nullptr) continue;
    const eager::Gradient& now = gradient_of(*tensor);
    slot.is_replaced = !was_found(slot, now);
    if (slot.is_replaced) slot.after = now;
  }
}

bool GradientSlots::was_found(const Slot& slot, const eager::Gradient& now) {
  if (slot.had_gradient != now.defined()) return false;
  if (now.is_sparse()) return is_same(slot.before, now);
  return !now.defined() || (now.rows.empty() && slot.had.lock() == now.dense.impl());
}

void GradientSlots::check(std::uint64_t graph, std::uint64_t replays) const {
  for (const Slot& slot : slots_) {
    const std::shared_ptr<tensor::TensorImpl> tensor = slot.tensor.lock();
    if (tensor == nullptr) continue;
    const eager::History* history = eager::history_of(*tensor);
    if (history != nullptr &&
        (history->requires_grad != slot.requires_grad || history->hooks.size() != slot.hooks)) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[replay] graph {} was captured before set_requires_grad() or register_hook() of "
                  "'{}' {}, which a replay knows nothing of; capture again",
                  graph, tensor->name(), tensor->shape().to_string());
    }
    const eager::Gradient& now = gradient_of(*tensor);
    if (!slot.is_read || was_found(slot, now)) continue;
    if (replays == 0 && slot.is_replaced && is_same(slot.after, now)) continue;
    core::raise(
        ErrorCode::kInvalidArgument,
        "[replay] '{}' {} had {} as graph {} was captured, and has {} now, so that a replay "
        "would leave another gradient than backward() does; clear it by set_grad({{}}) in "
        "what is captured, {}, or capture again",
        tensor->name(), tensor->shape().to_string(),
        slot.had_gradient ? "a gradient" : "no gradient", graph,
        !now.defined()      ? "none"
        : slot.had_gradient ? "another one"
                            : "one",
        slot.had_gradient ? "keep the one that it had" : "or before each replay");
  }
}

void GradientSlots::leave() {
  is_replayed_ = true;
  for (Slot& slot : slots_) {
    if (!slot.is_replaced) continue;
    if (slot.before.dense.defined()) slot.before = {};
    const std::shared_ptr<tensor::TensorImpl> tensor = slot.tensor.lock();
    if (tensor == nullptr || is_same(slot.after, gradient_of(*tensor))) continue;
    eager::ensure_history(*tensor).grad = slot.after;
  }
}

void GradientSlots::undo() noexcept {
  if (is_replayed_) return;
  for (Slot& slot : slots_) {
    const std::shared_ptr<tensor::TensorImpl> tensor = slot.tensor.lock();
    if (tensor == nullptr || tensor->recorded() == nullptr) continue;
    eager::Gradient& now = eager::history_of(*tensor)->grad;
    // Where the capture has ended, somebody else may have set the gradient since.
    const bool is_ours = is_closed_ ? slot.is_replaced && is_same(slot.after, now)
                                    : slot.before.defined() || !slot.had_gradient;
    if (is_ours) now = std::move(slot.before);
  }
  slots_.clear();
}

}  // namespace loci::capture
