// Runs the gradient of one operator and shows what it emits.
#pragma once

#include <loci/attribute.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "framework/ops/grad_context.h"
#include "framework/ops/op_schema.h"
#include "tests/support/recording_emitter.h"

namespace loci::test_support {

// gradient_of("relu").with("x", {2}).run().calls(). The argument of a slot has the slot's name,
// and the gradient that reaches output out is named d_out. All gradients are wanted and reach all
// outputs unless said otherwise.
class GradientProbe final : public ops::GradContext {
 public:
  explicit GradientProbe(const std::string& op);
  // Called again for a variadic slot, adds an argument: x, x1, x2, ... in the calls.
  GradientProbe& with(const std::string& slot, const Shape& shape, DType dtype = kFloat32);
  GradientProbe& attr(const std::string& name, Attribute value);
  // Both take the name of an argument.
  GradientProbe& unwanted(const std::string& slot);
  GradientProbe& no_output_grad(const std::string& slot);
  // Throws std::logic_error if a gradient does not have the type of its input.
  GradientProbe& run();

  [[nodiscard]] const std::vector<std::string>& calls() const { return emitter_->calls(); }
  // The name of the gradient of an input; "none" if none was set.
  [[nodiscard]] std::string grad(const std::string& slot, std::size_t index = 0) const;

  [[nodiscard]] const ops::OpSchema& schema() const override { return *schema_; }
  [[nodiscard]] ops::Value input(std::string_view slot, std::size_t index) const override;
  [[nodiscard]] std::size_t input_count(std::string_view slot) const override;
  [[nodiscard]] ops::Value output(std::string_view slot, std::size_t index) const override;
  [[nodiscard]] ops::Value output_grad(std::string_view slot, std::size_t index) const override;
  [[nodiscard]] bool needs_grad(std::string_view slot, std::size_t index) const override;
  void set_input_grad(std::string_view slot, ops::Value grad, std::size_t index) override;
  // Its name is "rows <rows> of <values>".
  void set_input_grad_rows(std::string_view slot, const ops::RowSparse& grad,
                           std::size_t index) override;
  [[nodiscard]] const Attributes& attributes() const override { return attributes_; }

 private:
  using Values = std::map<std::string, std::vector<ops::Value>, std::less<>>;
  void infer_outputs();

  const ops::OpSchema* schema_;
  // Shared by copies, because values refer to it.
  std::shared_ptr<RecordingEmitter> emitter_ = std::make_shared<RecordingEmitter>();
  Values inputs_;
  Values outputs_;
  Values output_grads_;
  std::map<std::string, std::string> grads_;  // by the name of the argument
  std::set<std::string, std::less<>> unwanted_;
  std::set<std::string, std::less<>> no_output_grad_;
  Attributes attributes_;
};

inline GradientProbe gradient_of(const std::string& op) { return GradientProbe(op); }

}  // namespace loci::test_support
