// Calls written down, to be carried out later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <loci/attribute.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "framework/ops/grad_context.h"
#include "framework/ops/op_schema.h"

namespace loci::ops {

// Values go by number: those that are given, and then what the calls make, in order.
struct ListedCall {
  struct Slot {
    std::string name;
    std::vector<std::int32_t> values;
  };

  const OpSchema* schema = nullptr;
  Attributes attributes;  // those that were given
  std::vector<Slot> inputs;
  std::int32_t first_output = 0;
  std::vector<std::int32_t> output_counts = {};  // by slot
  [[nodiscard]] std::int32_t output_count() const {
    return std::accumulate(output_counts.begin(), output_counts.end(), 0);
  }
};

// Lists the calls of a gradient or a decomposition. A Value's id is its number. Used by one thread.
class CallList final : public Emitter {
 public:
  // The types of the values that are given; of dtype kNone: there is none of that number.
  explicit CallList(std::vector<TensorType> given) : types_(std::move(given)) {}

  // Infers what the call makes. Throws as OpRegistry::get(), OpSchema::complete() and inference do.
  std::vector<Value> emit(const OpCall<Value>& call) override;
  [[nodiscard]] TensorType type(Value value) const override {
    return types_[static_cast<std::size_t>(value.id)];
  }

  // Undefined where there is none.
  [[nodiscard]] Value value(std::size_t number);
  // The types of values by number.
  [[nodiscard]] const std::vector<TensorType>& types() const { return types_; }
  [[nodiscard]] const std::vector<ListedCall>& calls() const { return calls_; }
  [[nodiscard]] std::vector<ListedCall> take_calls() { return std::move(calls_); }

 private:
  std::vector<TensorType> types_;
  std::vector<ListedCall> calls_;
};

}  // namespace loci::ops
