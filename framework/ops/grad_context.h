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
#include "framework/ops/op_schema.h"

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

  [[nodiscard]] virtual const OpSchema& schema() const = 0;
  // Undefined for an empty optional slot.
  [[nodiscard]] virtual Value input(std::string_view slot, std::size_t index = 0) const = 0;
  [[nodiscard]] virtual std::size_t input_count(std::string_view slot) const = 0;
  [[nodiscard]] virtual Value output(std::string_view slot, std::size_t index = 0) const = 0;
  // Undefined if no gradient reaches that output.
  [[nodiscard]] virtual Value output_grad(std::string_view slot, std::size_t index = 0) const = 0;
  // Returns true if the walk wants the gradient of that input: skip the work otherwise.
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

// The slots of a context by their position in the schema.
class SlotGradContext : public GradContext {
 public:
  explicit SlotGradContext(const OpSchema& schema) : schema_(schema) {}

  [[nodiscard]] const OpSchema& schema() const final { return schema_; }
  [[nodiscard]] Value input(std::string_view slot, std::size_t index) const final {
    return input_at(input_slot(slot), index);
  }
  [[nodiscard]] std::size_t input_count(std::string_view slot) const final {
    return input_count_at(input_slot(slot));
  }
  [[nodiscard]] Value output(std::string_view slot, std::size_t index) const final {
    return output_at(output_slot(slot), index);
  }
  [[nodiscard]] Value output_grad(std::string_view slot, std::size_t index) const final {
    return output_grad_at(output_slot(slot), index);
  }
  [[nodiscard]] bool needs_grad(std::string_view slot, std::size_t index) const final {
    return needs_grad_at(input_slot(slot), index);
  }
  void set_input_grad(std::string_view slot, Value grad, std::size_t index) final {
    const std::size_t at = input_slot(slot);
    if (grad.defined() && needs_grad_at(at, index)) contribute(at, index, grad);
  }
  void set_input_grad_rows(std::string_view slot, const RowSparse& grad, std::size_t index) final {
    const std::size_t at = input_slot(slot);
    if (needs_grad_at(at, index)) contribute(at, index, grad);
  }

 private:
  [[nodiscard]] virtual Value input_at(std::size_t slot, std::size_t index) const = 0;
  [[nodiscard]] virtual std::size_t input_count_at(std::size_t slot) const = 0;
  [[nodiscard]] virtual Value output_at(std::size_t slot, std::size_t index) const = 0;
  [[nodiscard]] virtual Value output_grad_at(std::size_t slot, std::size_t index) const = 0;
  [[nodiscard]] virtual bool needs_grad_at(std::size_t slot, std::size_t index) const = 0;
  virtual void contribute(std::size_t slot, std::size_t index, Value grad) = 0;
  virtual void contribute(std::size_t slot, std::size_t index, const RowSparse& grad) = 0;

  [[nodiscard]] std::size_t input_slot(std::string_view name) const;
  [[nodiscard]] std::size_t output_slot(std::string_view name) const;

  const OpSchema& schema_;
};

}  // namespace loci::ops
