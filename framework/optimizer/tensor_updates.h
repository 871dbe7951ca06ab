// Updates of tensors, and the state that they keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/place.hpp>
#include <loci/state_dict.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string_view>
#include <vector>

#include "framework/optimizer/step_counts.h"
#include "framework/optimizer/update_rule.h"
#include "framework/tensor/tensor_impl.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

class SavedState;

// The imperative side of one optimizer. For one thread at a time.
class TensorUpdates {
 public:
  // The rule outlives it.
  explicit TensorUpdates(const UpdateRule& rule) : rule_(rule) {}

  // Sets the rate of steps to come, and of those that have been traced.
  void set_rate(double rate);
  // Implements Optimizer::step().
  void step(const std::vector<Tensor>& parameters);
  // Implement Optimizer::state_dict() and load_state_dict(); the latter returns the rate.
  [[nodiscard]] StateDict state(const StateDict& parameters) const;
  double load(const StateDict& parameters, const StateDict& state);
  // Warns, once, where a step updates a parameter of 16-bit floats.
  void tell_of_rounding(DType parameter, std::string_view name);

 private:
  struct Entry {
    std::weak_ptr<tensor::TensorImpl> parameter;
    std::vector<Tensor> states;   // in the rule's order
    StepCount count;              // where the rule counts
    std::uint64_t last_call = 0;  // that named the parameter
  };
  // Parameters of one place share its tensors, so that a step copies nothing between places.
  struct Shared {
    Place place;
    Tensor rate;
  };
  struct Update {
    const Tensor* parameter;
    std::size_t entry;
    SparseRows rows;
    Tensor gradient;
  };

  [[nodiscard]] std::vector<Update> updates_of(const std::vector<Tensor>& parameters);
  [[nodiscard]] std::size_t entry_of(const Tensor& parameter);
  // entries_.end() if it was never updated.
  [[nodiscard]] std::vector<Entry>::const_iterator find_entry(const Tensor& parameter) const;
  void load_states(const Tensor& parameter, const std::vector<Tensor>& given);
  void load_counts(const StateDict& parameters, const SavedState& saved);
  void forget_the_dead();
  void prepare(const Update& update);
  // Gives those of the entries counts that have none.
  void count_from_now(const std::vector<std::size_t>& entries);
  void advance(const std::vector<Update>& updates);
  [[nodiscard]] Shared make_shared(const Place& place) const;
  [[nodiscard]] const Shared* find_shared(const Place& place) const;
  void apply(const Update& update);

  const UpdateRule& rule_;
  std::vector<Entry> entries_;
  std::vector<Shared> shared_;
  std::size_t next_entry_ = 0;  // where the search for a parameter's begins
  std::uint64_t calls_ = 0;
  double rate_ = 0;
  bool has_told_of_rounding_ = false;
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
