// Runs the shape inference of one operator.
#pragma once

#include <cstdint>
#include <loci/attribute.hpp>
#include <string>
#include <vector>

#include "framework/ops/batch_context.h"
#include "framework/ops/infer_context.h"

namespace loci::test_support {

// infer("matmul").input("x", {2, 3}).input("y", {3, 4}).shape(). An argument of slot x is named
// "x_in". Inference runs anew with each question.
class InferProbe {
 public:
  explicit InferProbe(std::string op) : op_(std::move(op)) {}
  InferProbe& input(const std::string& slot, const Shape& shape, DType dtype = kFloat32);
  // One that carries rows.
  InferProbe& rows(const std::string& slot, const Shape& shape, DType dtype = kFloat32,
                   ops::Carried carried = ops::Carried::kRows);
  // A list of integers whose values are known on the host.
  InferProbe& host_values(const std::string& slot, const std::vector<std::int64_t>& values);
  InferProbe& attr(const std::string& name, Attribute value);

  // Returns the types of all outputs, flat.
  [[nodiscard]] std::vector<ops::TensorType> types() const;
  // Returns the shape of the first output.
  [[nodiscard]] Shape shape() const { return types().front().shape; }
  [[nodiscard]] DType dtype() const { return types().front().dtype; }
  [[nodiscard]] ops::Cost cost() const;
  // Returns true if the operator keeps the rows apart that its inputs carry.
  [[nodiscard]] bool is_batch_independent() const;
  // The message of the Error(kInvalidArgument) that inference throws; "no error" if it does not.
  [[nodiscard]] std::string error() const;

 private:
  std::string op_;
  std::vector<std::pair<std::string, ops::InferArgument>> inputs_;
  std::vector<ops::Carried> carrying_;  // by input
  Attributes attributes_;
};

inline InferProbe infer(std::string op) { return InferProbe(std::move(op)); }

}  // namespace loci::test_support
