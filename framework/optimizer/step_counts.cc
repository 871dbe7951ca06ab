#include "framework/optimizer/step_counts.h"

#include <loci/creation.hpp>
#include <loci/op_call.hpp>
#include <utility>

#include "framework/program/guard_text.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

CountList::CountList(const Place& place, std::int64_t size)
    : place_(place), counts_(zeros({size}, kInt64, place)) {}

std::vector<std::int64_t> CountList::values() const {
  return counts_.to(Place()).to_vector<std::int64_t>();
}

void CountList::set(const std::vector<std::int64_t>& values) const {
  counts_.copy_(Tensor::from(values, counts_.shape()));
}

void CountList::advance(std::int64_t at) {
  if (pending_ != 0 && at == first_ + pending_) {
    ++pending_;
    return;
  }
  flush();
  first_ = at;
  pending_ = 1;
}

void CountList::flush() {
  const std::int64_t count = std::exchange(pending_, 0);
  if (count == 0) return;
  const program::GuardTextScope there(program::guard_text(place_, program::Standing::kFound));
  OpCall<Tensor> call("increment");
  call.input("x", counts_).attr("first", first_).attr("count", count);
  emit_op(call);
}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
