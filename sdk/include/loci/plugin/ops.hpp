// Ops that a plugin adds, from C++. A whole one, but for its kernels (kernel.hpp):
//
//   void infer_square(Inference& op) { op.set_output(0, op.input(0)); }
//
//   void grad_square(Gradient& op) {
//     const Value twice = op.call("scale").input("x", op.input(0)).attr("scale", 2.0).result();
//     op.set_input_grad(0, op.call("elementwise_mul")
//                              .input("x", twice)
//                              .input("y", op.output_grad(0))
//                              .result());
//   }
//
//   const OpList ops({OpDef("example.square")
//                         .input("x", kFloatBits)
//                         .output("out")
//                         .infer(infer_square)
//                         .gradient(grad_square)});
//
// The manifest has "ops" among its kinds, and ops_table<P>() is the table of LOCI_OPS_INTERFACE.
#pragma once

#include <loci/abi/ops.h>

#include <cstdint>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/builder.hpp>
#include <loci/plugin/error.hpp>
#include <loci/plugin/op_def.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <loci/plugin/views.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::sdk {

// An operator while its types are inferred. Slots are numbered in the order of the definition. The
// arguments have the arity and the dtypes that it says; extents may be LOCI_DIM_UNKNOWN.
class Inference {
 public:
  Inference(const loci_host_api& host, const loci_op_def& def, const loci_inference& inference)
      : host_(host), def_(def), op_(inference) {}

  [[nodiscard]] AttributeReader attributes() const {
    return {to_view(def_.name), op_.attrs, op_.attr_count};
  }
  [[nodiscard]] std::uint32_t input_count(std::uint32_t slot) const {
    return op_.input_slots[slot + 1] - op_.input_slots[slot];
  }
  [[nodiscard]] bool has_input(std::uint32_t slot) const {
    return input_count(slot) > 0 && input(slot).dtype != LOCI_DTYPE_NONE;
  }
  [[nodiscard]] const loci_type& input(std::uint32_t slot, std::uint32_t index = 0) const {
    return op_.inputs[op_.input_slots[slot] + index];
  }
  // The values of an extents_input() that is there; nothing while they are unknown.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> extents(std::uint32_t slot) const {
    const loci_view* view = op_.input_values[op_.input_slots[slot]];
    if (view == nullptr) return std::nullopt;
    const std::int64_t count = numel_of({view->dims, static_cast<std::size_t>(view->rank)});
    std::vector<std::int64_t> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = view->dtype == LOCI_DTYPE_I32 ? static_cast<const std::int32_t*>(view->data)[i]
                                                : static_cast<const std::int64_t*>(view->data)[i];
    }
    return values;
  }
  void set_output(std::uint32_t slot, const loci_type& type, std::uint32_t index = 0) const {
    check(host_, op_.set_output(op_.sink, slot, index, &type));
  }
  [[noreturn]] static void fail(const std::string& message) {
    throw Error(LOCI_CODE_INVALID_ARGUMENT, message);
  }

 private:
  const loci_host_api& host_;
  const loci_op_def& def_;
  const loci_inference& op_;
};

// An operator while its gradient is written.
class Gradient : public Builder {
 public:
  Gradient(const loci_host_api& host, const loci_op_def& def, const loci_gradient& gradient)
      : Builder(host, *gradient.builder_api, gradient.builder), def_(def), op_(gradient) {}

  [[nodiscard]] AttributeReader attributes() const {
    return {to_view(def_.name), op_.attrs, op_.attr_count};
  }
  [[nodiscard]] std::uint32_t input_count(std::uint32_t slot) const {
    return op_.input_slots[slot + 1] - op_.input_slots[slot];
  }
  // Undefined for an absent optional argument.
  [[nodiscard]] Value input(std::uint32_t slot, std::uint32_t index = 0) const {
    return {op_.inputs[op_.input_slots[slot] + index]};
  }
  [[nodiscard]] Value output(std::uint32_t slot, std::uint32_t index = 0) const {
    return {op_.outputs[op_.output_slots[slot] + index]};
  }
  // Undefined if no gradient reaches that output; one of them has one.
  [[nodiscard]] Value output_grad(std::uint32_t slot, std::uint32_t index = 0) const {
    return {op_.output_grads[op_.output_slots[slot] + index]};
  }
  // Returns true if the gradient of that input is asked for: skip the work otherwise.
  [[nodiscard]] bool wants(std::uint32_t slot, std::uint32_t index = 0) const {
    return op_.wanted[op_.input_slots[slot] + index] != 0;
  }
  void set_input_grad(std::uint32_t slot, Value grad, std::uint32_t index = 0) const {
    op_.input_grads[op_.input_slots[slot] + index] = grad.id;
  }

 private:
  const loci_op_def& def_;
  const loci_gradient& op_;
};

// The attributes of an operator of an older version, as the file has them, on their way to today's.
class Upgrade {
 public:
  Upgrade(const loci_host_api& host, const loci_op_def& def, const loci_upgrade& upgrade)
      : host_(host), def_(def), op_(upgrade) {}

  [[nodiscard]] std::uint32_t from_version() const { return op_.from_version; }
  // Nothing was checked: a file may lack an attribute, or have one of another kind.
  [[nodiscard]] AttributeReader attributes() const {
    return {to_view(def_.name), op_.attrs, op_.attr_count};
  }
  // Adds or changes an attribute. T: as of attribute_of().
  template <class T>
  void set(std::string_view name, const T& value) const {
    const loci_attr attr = attribute_of(name, value);
    check(host_, op_.set(op_.sink, &attr));
  }
  void remove(std::string_view name) const { check(host_, op_.remove(op_.sink, to_abi(name))); }

 private:
  const loci_host_api& host_;
  const loci_op_def& def_;
  const loci_upgrade& op_;
};

// An operator while it is written in other ops.
class Decomposition : public Builder {
 public:
  Decomposition(const loci_host_api& host, const loci_op_def& def,
                const loci_decomposition& decomposition)
      : Builder(host, *decomposition.builder_api, decomposition.builder),
        def_(def),
        op_(decomposition) {}

  [[nodiscard]] AttributeReader attributes() const {
    return {to_view(def_.name), op_.attrs, op_.attr_count};
  }
  [[nodiscard]] std::uint32_t input_count(std::uint32_t slot) const {
    return op_.input_slots[slot + 1] - op_.input_slots[slot];
  }
  // Undefined for an absent optional argument.
  [[nodiscard]] Value input(std::uint32_t slot, std::uint32_t index = 0) const {
    return {op_.inputs[op_.input_slots[slot] + index]};
  }
  void set_output(std::uint32_t slot, Value value, std::uint32_t index = 0) const {
    op_.outputs[op_.output_slots[slot] + index] = value.id;
  }

 private:
  const loci_op_def& def_;
  const loci_decomposition& op_;
};

namespace detail {

template <class P>
loci_error* infer_op(loci_plugin* plugin, const loci_op_def* def,
                     const loci_inference* inference) noexcept {
  const loci_host_api& host = host_of<P>(plugin).api();
  return guard(host, [&] {
    Inference op(host, *def, *inference);
    plugin_of<P>(plugin).ops().op(*def).infer_fn()(op);
  });
}

template <class P>
loci_error* write_gradient(loci_plugin* plugin, const loci_op_def* def,
                           const loci_gradient* gradient) noexcept {
  const loci_host_api& host = host_of<P>(plugin).api();
  return guard(host, [&] {
    Gradient op(host, *def, *gradient);
    plugin_of<P>(plugin).ops().op(*def).gradient_fn()(op);
  });
}

template <class P>
loci_error* cost_of_op(loci_plugin* plugin, const loci_op_def* def, const loci_op_desc* desc,
                       loci_op_cost* out_cost) noexcept {
  return guard(host_of<P>(plugin).api(),
               [&] { *out_cost = plugin_of<P>(plugin).ops().op(*def).cost_fn()(OpDesc(*desc)); });
}

template <class P>
loci_error* upgrade_op(loci_plugin* plugin, const loci_op_def* def,
                       const loci_upgrade* upgrade) noexcept {
  const loci_host_api& host = host_of<P>(plugin).api();
  return guard(host, [&] {
    Upgrade op(host, *def, *upgrade);
    plugin_of<P>(plugin).ops().op(*def).upgrade_fn()(op);
  });
}

template <class P>
loci_error* decompose_op(loci_plugin* plugin, const loci_op_def* def,
                         const loci_decomposition* decomposition) noexcept {
  const loci_host_api& host = host_of<P>(plugin).api();
  return guard(host, [&] {
    Decomposition op(host, *def, *decomposition);
    plugin_of<P>(plugin).ops().op(*def).decompose_fn()(op);
  });
}

}  // namespace detail

// The ops of a plugin. Lives as long as the plugin; neither copied nor moved.
class OpList {
 public:
  explicit OpList(std::vector<OpDef> ops) : ops_(std::move(ops)) {
    for (OpDef& op : ops_) {
      defs_.push_back(op.abi());
      defs_.back().token = defs_.size() - 1;
    }
  }
  OpList(const OpList&) = delete;
  OpList& operator=(const OpList&) = delete;

  [[nodiscard]] const OpDef& op(const loci_op_def& def) const { return ops_[def.token]; }
  // With the functions of the plugin P.
  template <class P>
  const std::vector<loci_op_def>& defs() {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (ops_[i].infer_fn() != nullptr) defs_[i].infer = &detail::infer_op<P>;
      if (ops_[i].gradient_fn() != nullptr) defs_[i].gradient = &detail::write_gradient<P>;
      if (ops_[i].cost_fn() != nullptr) defs_[i].cost = &detail::cost_of_op<P>;
      if (ops_[i].upgrade_fn() != nullptr) defs_[i].upgrade = &detail::upgrade_op<P>;
      if (ops_[i].decompose_fn() != nullptr) defs_[i].decompose = &detail::decompose_op<P>;
    }
    return defs_;
  }

 private:
  std::vector<OpDef> ops_;
  std::vector<loci_op_def> defs_;
};

namespace detail {

template <class P>
const loci_op_def* op_defs(loci_plugin* plugin, std::uint64_t* out_count) noexcept {
  const auto& defs = plugin_of<P>(plugin).ops().template defs<P>();
  *out_count = defs.size();
  return defs.data();
}

}  // namespace detail

// The table of "loci.ops" for a plugin P that has `OpList& ops()`.
template <class P>
const loci_ops_api* ops_table() {
  static constexpr loci_ops_api kTable = {sizeof(loci_ops_api), LOCI_OPS_MINOR,
                                          &detail::op_defs<P>};
  return &kTable;
}

}  // namespace loci::sdk
