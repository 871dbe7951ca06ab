// The description of an op: its arguments, its shape inference, its gradient, its cost, what it
// consists of, what it does to rows, and how accurate it is.
//
// A schema is written once, next to the others of its family, or comes from a plugin, which can say
// all but control flow; it is the same for every device. Kernels live in plugins and may rely on
// all that the schema checks.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <loci/attribute.hpp>
#include <loci/dtype.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/ops/attribute_spec.h"
#include "framework/ops/dtype_rule.h"

namespace loci::ops {

class DecomposeContext;
class InferContext;
class GradContext;
class BatchContext;

// A set of dtypes, by code.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (const DType dtype : dtypes) bits_ |= bit(dtype);
  }
  [[nodiscard]] constexpr bool contains(DType dtype) const { return (bits_ & bit(dtype)) != 0; }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr DTypeSet operator|(DTypeSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  // "float16, float32".
  [[nodiscard]] std::string to_string() const;

 private:
  static constexpr std::uint64_t bit(DType dtype) {
    return std::uint64_t{1} << static_cast<std::uint32_t>(dtype);
  }
  std::uint64_t bits_ = 0;
};

inline constexpr DTypeSet kFloats{DType::kFloat16, DType::kBFloat16, DType::kFloat32,
                                  DType::kFloat64};
inline constexpr DTypeSet kIntegers{DType::kInt8,  DType::kInt16,  DType::kInt32,  DType::kInt64,
                                    DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};
inline constexpr DTypeSet kNumbers = kFloats | kIntegers;
inline constexpr DTypeSet kAllDTypes = kNumbers | DTypeSet{DType::kBool};
inline constexpr DTypeSet kIndices{DType::kInt32, DType::kInt64};

enum class Arity : std::uint8_t { kRequired, kOptional, kVariadic };

// Where an argument must be for the op, whatever place it runs at.
enum class Residence : std::uint8_t {
  kDevice,    // at the op's place
  kHost,      // its value is read on the host
  kMetadata,  // only dtype and shape are read; never copied
  kEither,
};

// How the extents of an output come about.
enum class Extent : std::uint8_t {
  kInferred,    // from input shapes and attributes
  kHostValues,  // from values of host-resident inputs
  kBounded,     // allocated at a bound; the kernel writes the true extents to another output
};

struct InputSlot {
  std::string name;
  DTypeSet dtypes = kAllDTypes;
  Arity arity = Arity::kRequired;
  Residence residence = Residence::kDevice;
  // Extents of outputs come from its values.
  bool gives_extents = false;
  // Its value says which operators run at all; read on the host where only the run brings it.
  bool decides = false;
};

struct OutputSlot {
  std::string name;
  Arity arity = Arity::kRequired;
  Residence residence = Residence::kDevice;
  Extent extent = Extent::kInferred;
  // The input slot whose memory this output is: state that the op changes. Empty: a new value.
  std::string updates = {};
  // Set for a bounded output: the output slot, int64[1], to which the kernel writes the true extent
  // of dimension 0.
  std::string count = {};
  DTypeRule dtype = {};
};

// Work of one execution.
struct Cost {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;  // read and written
};

using InferFn = std::function<void(InferContext&)>;
using GradientFn = std::function<void(GradContext&)>;
using CostFn = std::function<Cost(const InferContext&)>;
// Brings the attributes that a file of version `from` has to those of today.
using UpgradeFn = std::function<void(int from, Attributes&)>;
// Writes an operator in other ops; see DecomposeContext.
using DecomposeFn = std::function<void(DecomposeContext&)>;
// Returns true if an operator keeps rows apart; see BatchContext.
using BatchRule = std::function<bool(BatchContext&)>;

// How operators of control flow choose what runs.
enum class Control : std::uint8_t {
  kNone,
  kConditional,   // one block, if a predicate is true; else there are no outputs
  kCase,          // the block of the first predicate that is true, or the last
  kSwitch,        // the block whose key an index is, or the last
  kSelection,     // one of its inputs by an index; has no block
  kLoop,          // block 1 while block 0 gives true
  kLoopGradient,  // a loop anew, and then block 2 from its last iteration to its first
  kScan,          // its block for each slice of stacked inputs
};

class OpSchema {
 public:
  explicit OpSchema(std::string name);

  OpSchema& input(std::string name, DTypeSet dtypes = kAllDTypes, Arity arity = Arity::kRequired,
                  Residence residence = Residence::kDevice);
  // An optional list of integers that is read on the host and that extents of outputs depend on:
  // inference sees its values, and where only the run brings them, it waits for them.
  OpSchema& extents_input(std::string name);
  // An input of one element that is read on the host to choose what runs: a predicate, an index.
  OpSchema& deciding_input(std::string name, DTypeSet dtypes, Arity arity = Arity::kRequired);
  // Unless of_dtype() follows, an output has the dtype of the first input that was added before it;
  // without any, and with control flow, what inference says.
  OpSchema& output(std::string name, Arity arity = Arity::kRequired,
                   Extent extent = Extent::kInferred);
  // An output whose value is written in host memory, whatever place the op runs at; it is complete
  // when the launch returns.
  OpSchema& host_output(std::string name);
  // An output of which dimension 0 depends on the data. Inference gives it the largest extent that
  // can come about; the kernel writes the true one to the output slot `count`, int64[1], and the
  // elements from the start.
  OpSchema& bounded_output(std::string name, std::string count);
  // An output that is the memory of input slot `state`, which must be persistable; a variadic one
  // has the memory of some of them. It has the dtype of the state.
  OpSchema& updates(std::string name, std::string state, Arity arity = Arity::kRequired);
  // Which dtype the output has that was added last.
  OpSchema& of_dtype(DTypeRule rule) {
    outputs_.back().dtype = std::move(rule);
    return *this;
  }
  // `meaning` says in one line what it does: "added to the variance".
  template <class T>
  OpSchema& attr(std::string name, T default_value, std::string meaning = {}) {
    return add_attribute({.name = std::move(name),
                          .default_value = std::move(default_value),
                          .meaning = std::move(meaning)});
  }
  // `kind` only says the kind of the attribute.
  template <class T>
  OpSchema& required_attr(std::string name, T kind, std::string meaning = {}) {
    return add_attribute({.name = std::move(name),
                          .default_value = std::move(kind),
                          .required = true,
                          .meaning = std::move(meaning)});
  }
  // These two limit the attribute that was added last, a float64 or a string.
  OpSchema& within(double minimum, double maximum);
  OpSchema& one_of(std::vector<std::string> choices);
  // Slots and attributes as a plugin states them; what they say has been checked.
  OpSchema& add_input(InputSlot slot);
  OpSchema& add_output(OutputSlot slot);
  OpSchema& add_attribute(AttributeSpec spec);
  // A random op: gets the input "state" (the program's random state, uint64[2]: seed and run) and
  // the attribute "offset" (its place in program order), both filled in by the builder.
  OpSchema& random();
  // Makes an op random that states the two itself.
  OpSchema& is_given_random_state() {
    random_ = true;
    return *this;
  }
  // For a random op: where this input is given, what is drawn differs by it.
  OpSchema& draws_by(std::string slot) {
    draws_by_ = std::move(slot);
    return *this;
  }
  OpSchema& infer(InferFn fn);
  // Without one, gradients stop at the op.
  OpSchema& gradient(GradientFn fn);
  // Called after inference, with static shapes. Default: one flop per output element, bytes of all
  // arguments.
  OpSchema& cost(CostFn fn);
  OpSchema& version(int version);
  // Without one, programs saved with an older version of the op are refused.
  OpSchema& upgrade(UpgradeFn fn) {
    upgrade_ = std::move(fn);
    return *this;
  }
  // How it is written in other ops. Where its device has no kernel for it, and has those of all
  // that is written, they run there. Results stay within the bounds of its kernels. Only for an op
  // that only_computes(); said after its outputs.
  OpSchema& decompose(DecomposeFn fn);
  // The rule tells whether row i of its outputs is computed from row i of its inputs alone; see
  // BatchContext. Without it the op is taken for one that mixes rows.
  OpSchema& batch_rule(BatchRule fn) {
    batch_rule_ = std::move(fn);
    return *this;
  }
  // Its elements are those of its input in another order or dtype, some of them or all: of zeros it
  // makes zeros. So it is exact().
  OpSchema& moves_elements() {
    moves_elements_ = true;
    return exact();
  }
  OpSchema& control(Control control) {
    control_ = control;
    return *this;
  }
  // It gives its one input in another dtype, with as many elements: where both ends of a copy could
  // do that, it is done where less has to be copied.
  OpSchema& converts_dtype() {
    converts_dtype_ = true;
    return *this;
  }
  OpSchema& not_capturable(std::string reason);
  // Says what the op computes, in one line, for who writes a kernel of it: "max(x, 0)".
  OpSchema& meaning(std::string text) {
    meaning_ = std::move(text);
    return *this;
  }
  // How far floating results may be from the exact ones, for who writes a kernel: "8 roundoffs of
  // |out|", "n + 1 roundoffs of sum |x * y|, n products". A roundoff is half the distance of 1 and
  // the next number of the dtype computed in, which is float32 for 16 bits; the rounding to the
  // output's dtype is allowed on top. A bound has to hold in any order of evaluation, to first
  // order (Higham, Accuracy and Stability of Numerical Algorithms, 3.1). It is what the op's cases
  // in tools/conformance/cases allow (Expected::slack); integers are exact everywhere.
  OpSchema& accuracy(std::string bound) {
    accuracy_ = std::move(bound);
    return *this;
  }
  // Every floating result is the exact one, rounded once to the output's dtype.
  OpSchema& exact() { return accuracy("exact"); }
  // The ops that its gradient may consist of, so that `loci ops` can say what else a device needs
  // to train with this one.
  OpSchema& gradient_uses(std::vector<std::string> ops) {
    gradient_ops_ = std::move(ops);
    return *this;
  }
  // Instead of gradient(), where there is one that cannot be written: `refusal` only throws.
  OpSchema& refuse_gradient(GradientFn refusal);
  // The id of the plugin that brings the op. Empty, as it is at first: it is Loci's own.
  OpSchema& plugin(std::string id) {
    plugin_ = std::move(id);
    return *this;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] const std::vector<InputSlot>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<OutputSlot>& outputs() const { return outputs_; }
  [[nodiscard]] const std::vector<AttributeSpec>& attributes() const { return attributes_; }
  [[nodiscard]] bool is_random() const { return random_; }
  // Empty for most.
  [[nodiscard]] const std::string& draws_by() const { return draws_by_; }
  [[nodiscard]] Control control() const { return control_; }
  // True if its operators own blocks of operators.
  [[nodiscard]] bool has_blocks() const {
    return control_ != Control::kNone && control_ != Control::kSelection;
  }
  [[nodiscard]] bool converts_dtype() const { return converts_dtype_; }
  // True if it gives new values on its device and does nothing else: it updates nothing, has no
  // bounded output and none on the host, draws no random numbers and controls nothing.
  [[nodiscard]] bool only_computes() const;
  [[nodiscard]] const InferFn& infer_fn() const { return infer_; }
  [[nodiscard]] const GradientFn& gradient_fn() const { return gradient_; }
  // True if gradients go through it.
  [[nodiscard]] bool is_differentiable() const {
    const bool by_walk = control_ != Control::kNone && control_ != Control::kLoopGradient;
    return by_walk || (gradient_ != nullptr && !refuses_gradient_);
  }
  [[nodiscard]] const CostFn& cost_fn() const { return cost_; }
  // True if it says its cost itself.
  [[nodiscard]] bool states_cost() const { return states_cost_; }
  [[nodiscard]] const UpgradeFn& upgrade_fn() const { return upgrade_; }
  [[nodiscard]] const DecomposeFn& decompose_fn() const { return decompose_; }
  [[nodiscard]] const BatchRule& batch_rule() const { return batch_rule_; }
  [[nodiscard]] bool moves_elements() const { return moves_elements_; }
  [[nodiscard]] const std::string& capture_refusal() const { return capture_refusal_; }
  [[nodiscard]] const std::string& plugin() const { return plugin_; }
  [[nodiscard]] const std::string& meaning() const { return meaning_; }
  // Empty if it is not said.
  [[nodiscard]] const std::string& accuracy() const { return accuracy_; }
  [[nodiscard]] const std::vector<std::string>& gradient_ops() const { return gradient_ops_; }

  // Index of a slot or attribute; -1 if there is none of that name.
  [[nodiscard]] int input_index(std::string_view name) const;
  [[nodiscard]] int output_index(std::string_view name) const;
  [[nodiscard]] const AttributeSpec* find_attribute(std::string_view name) const;
  // All attributes of the schema: those given, checked, and defaults for the rest. An int64 is
  // taken where a double is asked for. Throws Error(kInvalidArgument) with the op's name for an
  // unknown attribute, one of the wrong kind or beyond its limits or choices, and a required one
  // that is missing.
  [[nodiscard]] Attributes complete(const Attributes& given) const;

 private:
  OpSchema& add_ruled(OutputSlot slot);

  std::string name_;
  int version_ = 1;
  bool random_ = false;
  std::string draws_by_;
  Control control_ = Control::kNone;
  bool converts_dtype_ = false;
  std::vector<InputSlot> inputs_;
  std::vector<OutputSlot> outputs_;
  std::vector<AttributeSpec> attributes_;
  InferFn infer_;
  GradientFn gradient_;
  CostFn cost_;
  UpgradeFn upgrade_;
  DecomposeFn decompose_;
  BatchRule batch_rule_;
  bool moves_elements_ = false;
  bool refuses_gradient_ = false;
  bool states_cost_ = false;
  std::string capture_refusal_;
  std::string plugin_;
  std::string meaning_;
  std::string accuracy_;
  std::vector<std::string> gradient_ops_;
};

}  // namespace loci::ops
