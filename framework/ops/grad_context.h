// How a gradient is written: in ops, on values that stand for a program's variables or for
// imperative tensors.
#pragma once

#include <cstdint>
#include <loci/attribute.hpp>
#include <loci/op_call.hpp>
#include <string_view>
#include <variant>
#include <vector>

#include "framework/ops/infer_context.h"

namespace loci::ops {

class Emitter;

// A value while a gradient is written; meaningful to its emitter only. The functions of ops.hpp
// take it, so a gradient reads like user code.
struct Value {
  Emitter* emitter = nullptr;
  std::int32_t id = -1;
  [[nodiscard]] bool defined() const { return emitter != nullptr; }
};

// A row-sparse value: row i of `values`, of shape [n, ...], is row rows[i] of the whole; rows is
// int32 or int64, [n]. A row may occur several times: the values add up.
struct RowSparse {
  Value rows;
  Value values;
};

// Carries out calls: appends to a program, or runs on tensors.
class Emitter {
 public:
  virtual ~Emitter() = default;
  // Outputs, flat, in the schema's order.
  virtual std::vector<Value> emit(const OpCall<Value>& call) = 0;
  [[nodiscard]] virtual TensorType type(Value value) const = 0;
};

// Found by OpCall::result(). A call needs at least one defined input, whose emitter carries it out.
std::vector<Value> emit_op(const OpCall<Value>& call);

// One operator seen from its gradient. The walk implements it.
class GradContext {
 public:
  virtual ~GradContext() = default;

  // Undefined for an empty optional slot.
  [[nodiscard]] virtual Value input(std::string_view slot, std::size_t index = 0) const = 0;
  [[nodiscard]] virtual std::size_t input_count(std::string_view slot) const = 0;
  [[nodiscard]] virtual Value output(std::string_view slot, std::size_t index = 0) const = 0;
  // Undefined if no gradient reaches that output.
  [[nodiscard]] virtual Value output_grad(std::string_view slot, std::size_t index = 0) const = 0;
  // Whether the walk wants the gradient of that input: skip the work otherwise.
  [[nodiscard]] virtual bool needs_grad(std::string_view slot, std::size_t index = 0) const = 0;
  virtual void set_input_grad(std::string_view slot, Value grad, std::size_t index = 0) = 0;
  // A gradient that is zero but for some rows.
  virtual void set_input_grad_rows(std::string_view slot, const RowSparse& grad,
                                   std::size_t index = 0) = 0;
  [[nodiscard]] virtual const Attributes& attributes() const = 0;

  template <class T>
  [[nodiscard]] const T& attr(std::string_view name) const {
    return std::get<T>(attributes().find(std::string(name))->second);
  }
  [[nodiscard]] static TensorType type(Value value) { return value.emitter->type(value); }
};

}  // namespace loci::ops
