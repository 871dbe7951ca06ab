// "loci.ops" of a plugin in this process, to be damaged at will.
#pragma once

#include <loci/abi/ops.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/abi/error_object.h"
#include "framework/plugin/plugin.h"

namespace loci::test_support {

inline loci_str text(std::string_view value) { return {value.data(), value.size()}; }

inline loci_slot_def slot(std::string_view name, std::uint32_t arity = LOCI_ARITY_REQUIRED,
                          std::uint64_t dtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32)) {
  loci_slot_def def{};
  def.struct_size = sizeof def;
  def.name = text(name);
  def.arity = arity;
  def.dtype_mask = dtypes;
  return def;
}

inline loci_slot_def output_slot(std::string_view name, std::uint32_t arity = LOCI_ARITY_REQUIRED) {
  return slot(name, arity, 0);
}

inline loci_attr_def real_attr(std::string_view name, double value) {
  loci_attr_def def{};
  def.struct_size = sizeof def;
  def.name = text(name);
  def.kind = def.default_value.kind = LOCI_ATTR_FLOAT;
  def.default_value.real = value;
  return def;
}

// The functions of every OpTable call these; each test sets them.
struct OpFunctions {
  std::function<loci_error*(const loci_inference&)> infer;
  std::function<loci_error*(const loci_gradient&)> gradient;
  std::function<loci_error*(const loci_op_desc&, loci_op_cost*)> cost;
  std::function<loci_error*(const loci_upgrade&)> upgrade;
  std::function<loci_error*(const loci_decomposition&)> decompose;
};
inline OpFunctions op_functions;

inline loci_error* call_infer(loci_plugin*, const loci_op_def*, const loci_inference* inference) {
  return op_functions.infer(*inference);
}
inline loci_error* call_gradient(loci_plugin*, const loci_op_def*, const loci_gradient* gradient) {
  return op_functions.gradient(*gradient);
}

inline loci_error* call_cost(loci_plugin*, const loci_op_def*, const loci_op_desc* op,
                             loci_op_cost* out_cost) {
  return op_functions.cost(*op, out_cost);
}
inline loci_error* call_upgrade(loci_plugin*, const loci_op_def*, const loci_upgrade* upgrade) {
  return op_functions.upgrade(*upgrade);
}
inline loci_error* call_decompose(loci_plugin*, const loci_op_def*,
                                  const loci_decomposition* decomposition) {
  return op_functions.decompose(*decomposition);
}

inline loci_error* failing(loci_code code, std::string_view message) {
  return core::new_error(code, message, nullptr);
}

// A definition with what it points to: x -> out with the attribute alpha = 1. It has infer and
// gradient; its functions are those of `op_functions`.
struct OpTable {
  std::vector<loci_slot_def> inputs{slot("x")};
  std::vector<loci_slot_def> outputs{output_slot("out")};
  std::vector<loci_attr_def> attrs{real_attr("alpha", 1.0)};
  loci_op_def def{};

  explicit OpTable(std::string_view name = "test.op") {
    def.struct_size = sizeof def;
    def.version = 1;
    def.name = text(name);
    def.infer = call_infer;
    def.gradient = call_gradient;
  }

  const loci_op_def& complete() {
    def.inputs = inputs.data();
    def.input_count = inputs.size();
    def.outputs = outputs.data();
    def.output_count = outputs.size();
    def.attrs = attrs.data();
    def.attr_count = attrs.size();
    return def;
  }
};

// A plugin that is nothing but an id.
class NamedPlugin final : public plugin::Plugin {
 public:
  [[nodiscard]] const std::string& id() const override { return id_; }
  [[nodiscard]] const std::string& path() const override { return id_; }
  [[nodiscard]] loci_plugin* handle() const override { return nullptr; }

 private:
  std::string id_ = "org.loci.test.named";
};

}  // namespace loci::test_support
