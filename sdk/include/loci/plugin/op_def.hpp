// Definitions of a plugin's own ops: slots, attributes and the functions behind them (ops.hpp).
#pragma once

#include <loci/abi/ops.h>

#include <cstdint>
#include <loci/plugin/error.hpp>
#include <loci/plugin/views.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace loci::sdk {

class Decomposition;
class Inference;
class Gradient;
class Upgrade;

// Says the types of the outputs, or throws Error(LOCI_CODE_INVALID_ARGUMENT) whose message needs
// neither the op nor its arguments: the host adds them.
using InferFn = void (*)(Inference& op);
using GradientFn = void (*)(Gradient& op);
// Returns the cost of an operator whose types are inferred and whose extents are known.
using CostFn = loci_op_cost (*)(const OpDesc& op);
// Brings the attributes of an older version to those of today.
using UpgradeFn = void (*)(Upgrade& op);
// Writes the op in others; sets all outputs, or none where it cannot.
using DecomposeFn = void (*)(Decomposition& op);

// An attribute with its default. All names and texts are STATIC.
class AttrDef {
 public:
  static AttrDef boolean(std::string_view name, bool value) {
    return integral(name, LOCI_ATTR_BOOL, value ? 1 : 0);
  }
  static AttrDef integer(std::string_view name, std::int64_t value) {
    return integral(name, LOCI_ATTR_INT, value);
  }
  static AttrDef dtype(std::string_view name, loci_dtype value) {
    return integral(name, LOCI_ATTR_DTYPE, value);
  }
  static AttrDef real(std::string_view name, double value) {
    AttrDef attr(name, LOCI_ATTR_FLOAT);
    attr.def_.default_value.real = value;
    return attr;
  }
  static AttrDef text(std::string_view name, std::string_view value) {
    AttrDef attr(name, LOCI_ATTR_STRING);
    attr.def_.default_value.text = to_abi(value);
    return attr;
  }
  static AttrDef integers(std::string_view name, std::vector<std::int64_t> values) {
    AttrDef attr(name, LOCI_ATTR_INTS);
    attr.integers_ = std::move(values);
    return attr;
  }
  static AttrDef reals(std::string_view name, std::vector<double> values) {
    AttrDef attr(name, LOCI_ATTR_FLOATS);
    attr.reals_ = std::move(values);
    return attr;
  }
  static AttrDef texts(std::string_view name, const std::vector<std::string_view>& values) {
    AttrDef attr(name, LOCI_ATTR_STRINGS);
    for (const std::string_view value : values) attr.texts_.push_back(to_abi(value));
    return attr;
  }

  // Without a default: every operator has to say it.
  AttrDef& required() {
    def_.flags |= LOCI_ATTR_DEF_REQUIRED;
    return *this;
  }
  // Limits a number, or each number of a list; both limits are allowed values. For no limit on a
  // side give std::numeric_limits<...>::lowest() or max().
  AttrDef& integers_within(std::int64_t minimum, std::int64_t maximum) {
    def_.flags |= LOCI_ATTR_DEF_LIMITED;
    def_.integer_minimum = minimum;
    def_.integer_maximum = maximum;
    return *this;
  }
  AttrDef& reals_within(double minimum, double maximum) {
    def_.flags |= LOCI_ATTR_DEF_LIMITED;
    def_.real_minimum = minimum;
    def_.real_maximum = maximum;
    return *this;
  }
  // Lists the values that a text, or each text of a list, may have.
  AttrDef& one_of(const std::vector<std::string_view>& choices) {
    for (const std::string_view choice : choices) choices_.push_back(to_abi(choice));
    return *this;
  }

  // Points into this object.
  [[nodiscard]] loci_attr_def abi() const {
    loci_attr_def def = def_;
    def.default_value.name = def.name;
    if (def.kind == LOCI_ATTR_INTS) set_items(def, integers_);
    if (def.kind == LOCI_ATTR_FLOATS) set_items(def, reals_);
    if (def.kind == LOCI_ATTR_STRINGS) set_items(def, texts_);
    def.choices = choices_.data();
    def.choice_count = choices_.size();
    return def;
  }

 private:
  AttrDef(std::string_view name, std::uint32_t kind) {
    def_.struct_size = sizeof def_;
    def_.name = to_abi(name);
    def_.kind = def_.default_value.kind = kind;
  }
  static AttrDef integral(std::string_view name, std::uint32_t kind, std::int64_t value) {
    AttrDef attr(name, kind);
    attr.def_.default_value.integer = value;
    return attr;
  }
  template <class T>
  static void set_items(loci_attr_def& def, const std::vector<T>& items) {
    def.default_value.items = items.data();
    def.default_value.item_count = items.size();
  }

  loci_attr_def def_{};
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
  std::vector<loci_str> texts_;
  std::vector<loci_str> choices_;
};

// An op. The rules of names are in loci/abi/ops.h; all names are STATIC.
class OpDef {
 public:
  explicit OpDef(std::string_view name, std::uint32_t version = 1) {
    def_.struct_size = sizeof def_;
    def_.name = to_abi(name);
    def_.version = version;
  }

  // Slots are numbered in this order. `dtypes` are bits, such as kFloatBits (dtype_visit.hpp).
  OpDef& input(std::string_view name, std::uint64_t dtypes,
               std::uint32_t arity = LOCI_ARITY_REQUIRED,
               std::uint32_t residence = LOCI_RESIDENCE_DEVICE) {
    inputs_.push_back(slot(name, arity, residence));
    inputs_.back().dtype_mask = dtypes;
    return *this;
  }
  // An optional list of integers, read on the host, from which extents of outputs come:
  // Inference::extents().
  OpDef& extents_input(std::string_view name) {
    input(name, LOCI_DTYPE_BIT(LOCI_DTYPE_I32) | LOCI_DTYPE_BIT(LOCI_DTYPE_I64),
          LOCI_ARITY_OPTIONAL, LOCI_RESIDENCE_HOST);
    inputs_.back().flags = LOCI_SLOT_GIVES_EXTENTS;
    return *this;
  }
  // The input "state" and the attribute "offset" of a random op, which the host fills in.
  OpDef& random() {
    def_.flags |= LOCI_OP_RANDOM;
    input("state", LOCI_DTYPE_BIT(LOCI_DTYPE_U64));
    return attr(AttrDef::integer("offset", 0));
  }
  OpDef& output(std::string_view name, std::uint32_t arity = LOCI_ARITY_REQUIRED,
                std::uint32_t residence = LOCI_RESIDENCE_DEVICE) {
    outputs_.push_back(slot(name, arity, residence));
    return *this;
  }
  // An output that is the memory of input `state`, which the op changes.
  OpDef& updates(std::string_view name, std::string_view state) {
    output(name);
    outputs_.back().updates = to_abi(state);
    return *this;
  }
  // An output whose dimension 0 depends on the data. Inference says the largest extent; the kernel
  // writes the true one to the output `count`, int64[1], which is to be added.
  OpDef& bounded_output(std::string_view name, std::string_view count) {
    output(name);
    outputs_.back().count = to_abi(count);
    return *this;
  }
  OpDef& attr(AttrDef attr) {
    attrs_.push_back(std::move(attr));
    return *this;
  }
  // Says in one line for authors of kernels what the op computes.
  OpDef& meaning(std::string_view meaning) {
    def_.meaning = to_abi(meaning);
    return *this;
  }
  OpDef& not_capturable(std::string_view reason) {
    def_.not_capturable = to_abi(reason);
    return *this;
  }
  OpDef& infer(InferFn fn) {
    infer_ = fn;
    return *this;
  }
  // Without one, gradients stop at the op.
  OpDef& gradient(GradientFn fn) {
    gradient_ = fn;
    return *this;
  }
  // Without one: one flop for each element of the outputs, the bytes of all arguments.
  OpDef& cost(CostFn fn) {
    cost_ = fn;
    return *this;
  }
  // Without one, programs saved with an older version of the op are refused.
  OpDef& upgrade(UpgradeFn fn) {
    upgrade_ = fn;
    return *this;
  }
  // How a device without a kernel of the op computes it. Without one, the CPU does.
  OpDef& decompose(DecomposeFn fn) {
    decompose_ = fn;
    return *this;
  }

  // Points into this object, which stays where it is from now on. The functions are filled in by
  // ops_table().
  [[nodiscard]] loci_op_def abi() {
    abi_attrs_.clear();
    for (const AttrDef& attr : attrs_) abi_attrs_.push_back(attr.abi());
    def_.inputs = inputs_.data();
    def_.input_count = inputs_.size();
    def_.outputs = outputs_.data();
    def_.output_count = outputs_.size();
    def_.attrs = abi_attrs_.data();
    def_.attr_count = abi_attrs_.size();
    return def_;
  }
  [[nodiscard]] InferFn infer_fn() const { return infer_; }
  [[nodiscard]] GradientFn gradient_fn() const { return gradient_; }
  [[nodiscard]] CostFn cost_fn() const { return cost_; }
  [[nodiscard]] UpgradeFn upgrade_fn() const { return upgrade_; }
  [[nodiscard]] DecomposeFn decompose_fn() const { return decompose_; }

 private:
  static loci_slot_def slot(std::string_view name, std::uint32_t arity, std::uint32_t residence) {
    loci_slot_def def{};
    def.struct_size = sizeof def;
    def.name = to_abi(name);
    def.arity = arity;
    def.residence = residence;
    return def;
  }

  loci_op_def def_{};
  std::vector<loci_slot_def> inputs_;
  std::vector<loci_slot_def> outputs_;
  std::vector<AttrDef> attrs_;
  std::vector<loci_attr_def> abi_attrs_;
  InferFn infer_ = nullptr;
  GradientFn gradient_ = nullptr;
  CostFn cost_ = nullptr;
  UpgradeFn upgrade_ = nullptr;
  DecomposeFn decompose_ = nullptr;
};

}  // namespace loci::sdk
