#include "framework/tracing/outside_leaf.h"

#include "framework/eager/backward.h"
#include "framework/eager/node.h"
#include "framework/eager/thread_state.h"

namespace loci::tracing {

std::vector<Tensor> gradient_parts(const tensor::TensorImpl& impl) {
  eager::History* history = eager::history_of(impl);
  if (history == nullptr || !history->grad.defined()) return {};
  if (!history->grad.is_sparse()) return {history->grad.dense};
  const eager::Untraced now;
  history->grad.join_rows();
  const SparseRows& rows = history->grad.rows.front();
  return {rows.rows, rows.values};
}

void OutsideLeaf::look_at(const tensor::TensorImpl& impl) {
  const eager::History* history = eager::history_of(impl);
  if (history == nullptr) return;
  requires_grad = history->requires_grad;
  is_result = history->node != nullptr;
  hooks = history->hooks.size();
}

bool OutsideLeaf::holds(const std::vector<Tensor>& inputs) const {
  const tensor::TensorImpl& now = *impl(inputs);
  OutsideLeaf seen;
  seen.look_at(now);
  if (seen.requires_grad != requires_grad || seen.is_result != is_result || seen.hooks != hooks) {
    return false;
  }
  if (!is_read) return true;
  const std::vector<Tensor> parts = gradient_parts(now);
  if (parts.size() != given.size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = given[i];
    if (parts[i].dtype() != part.dtype || parts[i].shape() != part.shape ||
        parts[i].place() != part.place) {
      return false;
    }
  }
  return true;
}

void OutsideLeaf::add_to(Feed* feed, const std::vector<Tensor>& inputs) const {
  if (given.empty()) return;
  eager::note_gradient(impl(inputs), /*is_read=*/true);
  const std::vector<Tensor> parts = gradient_parts(*impl(inputs));
  for (std::size_t i = 0; i < given.size(); ++i) feed->emplace_back(given[i].variable, parts[i]);
}

void OutsideLeaf::leave(const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& left_values) const {
  tensor::TensorImpl& changed = *impl(inputs);
  if (sets_requirement) eager::ensure_history(changed).requires_grad = required_after;
  if (left == Left::kAsItWas) return;
  eager::note_gradient(impl(inputs), is_read);
  if (left == Left::kNothing && eager::history_of(changed) == nullptr) return;
  eager::Gradient& gradient = eager::ensure_history(changed).grad;
  gradient = {};
  if (left == Left::kDense) gradient.add(left_values[first_left]);
  if (left == Left::kRows) {
    gradient.rows.push_back({left_values[first_left], left_values[first_left + 1]});
  }
}

}  // namespace loci::tracing
