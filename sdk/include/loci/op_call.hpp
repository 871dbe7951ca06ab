// A call of an op by its name: the form behind every function in ops.hpp, and that of plugins' ops.
#pragma once

#include <loci/attribute.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci {
inline namespace v0 {

// Collects a call of the op `type` on values of type V. emit_op(call), found by argument-dependent
// look-up, carries it out: for a Variable it appends an operator to a program; the gradients of
// ops use values of their own kind.
template <class V>
struct OpCall {
  struct Slot {
    std::string name;
    std::vector<V> values;
  };

  explicit OpCall(std::string op_type) : type(std::move(op_type)) {}

  // Fills an input slot; an undefined value leaves an optional slot empty.
  OpCall& input(std::string slot, const V& value) {
    inputs.push_back({std::move(slot), {}});
    if (value.defined()) inputs.back().values.push_back(value);
    return *this;
  }
  OpCall& inputs_of(std::string slot, std::vector<V> values) {
    inputs.push_back({std::move(slot), std::move(values)});
    return *this;
  }
  OpCall& attr(std::string name, Attribute value) {
    attributes.insert_or_assign(std::move(name), std::move(value));
    return *this;
  }

  // All outputs, flat, in the schema's order.
  [[nodiscard]] std::vector<V> results() const { return emit_op(*this); }
  // The first output.
  [[nodiscard]] V result() const { return emit_op(*this).front(); }

  std::string type;
  std::vector<Slot> inputs;
  Attributes attributes;
};

// For an overload that takes a value where another takes numbers in braces: an S is deduced, and
// braces are none.
template <class S, class V>
using IfValue = std::enable_if_t<std::is_same_v<S, V>, int>;

}  // namespace v0
}  // namespace loci
