// The view that shape inference has of one operator.
#pragma once

#include <fmt/format.h>

#include <loci/attribute.hpp>
#include <loci/error.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "framework/ops/op_schema.h"

namespace loci::ops {

// dtype and shape of a value; extents may be kDynamicDim while a program is built.
struct TensorType {
  DType dtype = DType::kNone;
  Shape shape;
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

// An argument: its type, its name for messages, and its value if it is known on the host.
struct InferArgument {
  TensorType type;
  std::string name;
  Tensor host_value;  // undefined unless the slot is read on the host and the value is known
};

// Arguments are by slot of the schema. Used by one thread.
class InferContext {
 public:
  // `attributes` must be complete (OpSchema::complete). Throws Error(kInvalidArgument) if a
  // required slot is empty, one that is not variadic has several arguments, a dtype is not in the
  // slot's set, or the bytes of an argument do not fit into 63 bits.
  InferContext(const OpSchema& schema, std::vector<std::vector<InferArgument>> inputs,
               const Attributes& attributes);

  [[nodiscard]] const OpSchema& schema() const { return *schema_; }
  [[nodiscard]] bool has_input(std::string_view slot) const;
  [[nodiscard]] std::size_t input_count(std::string_view slot) const;
  [[nodiscard]] const TensorType& input(std::string_view slot, std::size_t index = 0) const;
  [[nodiscard]] const Shape& shape(std::string_view slot, std::size_t index = 0) const {
    return input(slot, index).shape;
  }
  [[nodiscard]] DType dtype(std::string_view slot, std::size_t index = 0) const {
    return input(slot, index).dtype;
  }
  [[nodiscard]] const Tensor& host_value(std::string_view slot, std::size_t index = 0) const;

  [[nodiscard]] const Attributes& attributes() const { return *attributes_; }
  // T: bool, int64_t, double, std::string, DType or a std::vector of the first, third and fourth.
  template <class T>
  [[nodiscard]] const T& attr(std::string_view name) const {
    return std::get<T>(attribute(name));
  }
  // An axis attribute brought into [0, rank); fails if it is not in [-rank, rank).
  [[nodiscard]] int axis(std::string_view attribute_name, int rank) const;

  void set_output(std::string_view slot, TensorType type, std::size_t index = 0);
  // Empty until set; by slot. After run(), dimension 0 of a bounded output is kDynamicDim.
  [[nodiscard]] const std::vector<std::vector<TensorType>>& outputs() const { return outputs_; }
  // The types for which memory has to be allocated: outputs() with the bounds of bounded ones.
  [[nodiscard]] const std::vector<std::vector<TensorType>>& bounds() const {
    return bounds_.empty() ? outputs_ : bounds_;
  }
  // Runs the schema's inference; throws Error(kInternal) if it left a required output unset or gave
  // one another dtype than its slot says, and Error(kInvalidArgument) if the bytes of an output do
  // not fit into 63 bits. An output that updates an input has that input's type unless inference
  // sets it.
  void run();
  // Instead of run(): the static types of all outputs, by slot, as a plan has them.
  void set_outputs(std::vector<std::vector<TensorType>> types);

  // Throws Error(kInvalidArgument): "[op] <message>; inputs: x 'fc_0.out' float32[2, 3], ...".
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    fail_with(fmt::format(format, std::forward<Args>(args)...));
  }
  [[noreturn]] void fail_with(const std::string& message) const;

 private:
  [[nodiscard]] const Attribute& attribute(std::string_view name) const;
  [[nodiscard]] const std::vector<InferArgument>& slot(std::string_view name) const;
  [[nodiscard]] const InferArgument& argument(std::string_view name, std::size_t index) const;
  void check_size(std::string_view what, std::string_view slot, const TensorType& type) const;
  void check_dtypes(const OutputSlot& slot, const std::vector<TensorType>& types) const;
  void check_slot(const InputSlot& slot, const std::vector<InferArgument>& arguments) const;

  const OpSchema* schema_;
  std::vector<std::vector<InferArgument>> inputs_;
  const Attributes* attributes_;
  std::vector<std::vector<TensorType>> outputs_;
  std::vector<std::vector<TensorType>> bounds_;  // of an op with bounded outputs; else empty
};

}  // namespace loci::ops
