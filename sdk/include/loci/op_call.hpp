// A call of an op by its name: the form behind every function in ops.hpp, and that of plugins' ops.
#pragma once

#include <cstddef>
#include <forward_list>
#include <loci/attribute.hpp>
#include <loci/export.hpp>
#include <loci/inline_list.hpp>
#include <loci/tensor.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Before a function that calls an op on tensors: it is not inlined, so that what it returns to is
// where the user called the op, which errors of the op say.
#define LOCI_OP __attribute__((noinline))
// Before one that only calls another such function.
#define LOCI_OP_ALIAS __attribute__((always_inline)) inline

namespace loci {
inline namespace v0 {

// Collects a call of the op `type` on values of type V. emit_op(call), found by argument-dependent
// look-up, carries it out: for a Variable it appends an operator to a program, for a Tensor it
// computes; the gradients of ops use values of their own kind.
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

// A tensor that lies somewhere else. Copying it counts no reference.
class TensorRef {
 public:
  TensorRef(const Tensor& tensor) noexcept : tensor_(&tensor) {}
  TensorRef(const Tensor&&) = delete;  // it would be gone

  operator const Tensor&() const noexcept { return *tensor_; }
  const Tensor& operator*() const noexcept { return *tensor_; }
  const Tensor* operator->() const noexcept { return tensor_; }

 private:
  const Tensor* tensor_;
};

// A call on tensors: nothing is allocated for a few arguments, and no reference is counted. Names
// and tensors must outlive the call, as literals and a function's parameters do; only a tensor that
// is given as a temporary is kept by the call.
template <>
struct OpCall<Tensor> {
  struct Slot {
    std::string_view name;
    std::size_t count = 0;
  };
  struct NamedAttribute {
    std::string_view name;
    Attribute value;
  };

  // `call_site` is where the function that makes this was called.
  explicit OpCall(std::string_view op_type, const void* call_site = __builtin_return_address(0))
      : type(op_type), site(call_site) {}
  OpCall(OpCall&&) = default;
  OpCall& operator=(OpCall&&) = default;
  // The copy's values would be those of the original.
  OpCall(const OpCall&) = delete;
  OpCall& operator=(const OpCall&) = delete;

  OpCall& input(std::string_view slot, const Tensor& value) {
    slots.push_back({slot, value.defined() ? std::size_t{1} : std::size_t{0}});
    if (value.defined()) values.push_back(value);
    return *this;
  }
  OpCall& input(std::string_view slot, Tensor&& value) { return input(slot, keep(value)); }
  // Every one must be defined.
  OpCall& inputs_of(std::string_view slot, const std::vector<Tensor>& list) {
    slots.push_back({slot, list.size()});
    for (const Tensor& value : list) values.push_back(value);
    return *this;
  }
  OpCall& inputs_of(std::string_view slot, std::vector<Tensor>&& list) {
    slots.push_back({slot, list.size()});
    for (Tensor& value : list) values.push_back(keep(value));
    return *this;
  }
  OpCall& attr(std::string_view name, Attribute value) {
    NamedAttribute& made = attributes.emplace_back();
    made.name = name;
    made.value = std::move(value);
    return *this;
  }
  // Takes the value over, and gives where it lies as long as the call.
  const Tensor& keep(Tensor& value) { return kept.emplace_front(std::move(value)); }

  [[nodiscard]] std::vector<Tensor> results();
  [[nodiscard]] Tensor result();

  std::string_view type;
  const void* site;
  InlineList<TensorRef, 4> values;  // of all slots, one after the other
  InlineList<Slot, 4> slots;
  InlineList<NamedAttribute, 4> attributes;
  std::forward_list<Tensor> kept;  // of the values, those that nobody else keeps
};

// The outputs of a call on tensors, flat, in the schema's order; those that are not there are
// undefined.
using TensorList = InlineList<Tensor, 3>;

// Computes on tensors: enqueues the op at its place and returns. The op runs at the innermost
// DeviceGuard's place, else where its inputs are; a tensor on the host with one element may join
// tensors of a device. Throws Error(kInvalidArgument) for what does not fit, and for tensors of
// different places without a guard. What fails later is thrown where a result is waited for.
LOCI_PUBLIC TensorList emit_op(OpCall<Tensor>& call);

inline std::vector<Tensor> OpCall<Tensor>::results() {
  const TensorList made = emit_op(*this);
  return std::vector<Tensor>(made.begin(), made.end());
}
inline Tensor OpCall<Tensor>::result() { return std::move(emit_op(*this).front()); }

// For an overload that takes a value where another takes numbers in braces: an S is deduced, and
// braces are none.
template <class S, class V>
using IfValue = std::enable_if_t<std::is_same_v<S, V>, int>;

}  // namespace v0
}  // namespace loci
