// The program builder, from C++: operators written by a plugin, such as a gradient.
//
//   const Value s = builder.call("sigmoid").input("x", x).result();
//   const Value y = builder.call("scale").input("x", s).attr("scale", 2.0).result();
//
// What reads a whole program declares what that is fed and has learnt, and marks what it gives:
//
//   const Value x = builder.input("x", LOCI_DTYPE_F32, {LOCI_DIM_UNKNOWN, 4});
//   const Value w = builder.parameter("w", parameter);  // a loci_parameter: type, data, release
//   const Block then = builder.block([&] { return std::vector<Value>{w}; });
//   builder.output(builder.call("mul").input("x", x).input("y", w).name("fc").result());
#pragma once

#include <loci/abi/builder.h>
#include <loci/abi/host.h>

#include <cstdint>
#include <deque>
#include <loci/plugin/attributes.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/error.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci::sdk {

// A value of the builder that gave it. An undefined one stands for an absent argument.
struct Value {
  loci_value id = LOCI_NO_VALUE;
  [[nodiscard]] bool defined() const { return id != LOCI_NO_VALUE; }
};

// A block that is complete, for the call that owns it.
struct Block {
  loci_block id = -1;
};

class Builder;

// A call of an op while its arguments are collected. Slots and attributes go by their names;
// texts are borrowed until the call is carried out.
class BuilderCall {
 public:
  BuilderCall(const Builder& builder, std::string_view op) : builder_(builder), op_(op) {}

  // An undefined value leaves an optional slot empty.
  BuilderCall& input(std::string_view slot, Value value) {
    return inputs(slot, std::vector<Value>{value});
  }
  BuilderCall& inputs(std::string_view slot, const std::vector<Value>& values) {
    auto& ids = ids_.emplace_back();
    for (const Value value : values) ids.push_back(value.id);
    inputs_.push_back({to_abi(slot), ids.data(), ids.size()});
    return *this;
  }
  // T: bool, an integer, a floating type, text, or a vector of integers or of doubles.
  template <class T>
  BuilderCall& attr(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::int64_t>>) {
      attrs_.push_back(attribute_of(name, integers_.emplace_back(value)));
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
      attrs_.push_back(attribute_of(name, reals_.emplace_back(value)));
    } else {
      attrs_.push_back(attribute_of(name, value));
    }
    return *this;
  }
  BuilderCall& dtype(std::string_view name, loci_dtype value) {
    attr(name, std::int64_t{value});
    attrs_.back().kind = LOCI_ATTR_DTYPE;
    return *this;
  }

  // The operator's name, and those of its outputs, flat; an empty one is made by the host. Not in a
  // gradient, as blocks.
  BuilderCall& name(std::string_view name) {
    name_ = name;
    return *this;
  }
  BuilderCall& output_names(const std::vector<std::string_view>& names) {
    for (const std::string_view name : names) output_names_.push_back(to_abi(name));
    return *this;
  }
  // Gives a block of control flow. Blocks come in the order of loci/abi/builder.h.
  BuilderCall& block(Block block) {
    blocks_.push_back(block.id);
    return *this;
  }

  // All outputs, flat, in the order of the op's schema. Appends the operator; throws Error.
  [[nodiscard]] inline std::vector<Value> results() const;
  // The first output.
  [[nodiscard]] Value result() const { return results().front(); }

 private:
  const Builder& builder_;
  std::string_view op_;
  // The C structs point to these lists, which stay where they are in a deque.
  std::deque<std::vector<loci_value>> ids_;
  std::deque<std::vector<std::int64_t>> integers_;
  std::deque<std::vector<double>> reals_;
  std::vector<loci_call_input> inputs_;
  std::vector<loci_attr> attrs_;
  std::string_view name_;
  std::vector<loci_str> output_names_;
  std::vector<loci_block> blocks_;
};

// The builder of one function call of the host. Functions throw Error.
class Builder {
 public:
  Builder(const loci_host_api& host, const loci_builder_api& api, loci_builder* builder)
      : host_(host), api_(api), builder_(builder) {}

  [[nodiscard]] BuilderCall call(std::string_view op) const { return {*this, op}; }
  // A number of rank 0.
  [[nodiscard]] Value scalar(double number, loci_dtype dtype) const {
    return visit_numbers(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto element = static_cast<T>(number);
      loci_view view{};
      view.data = const_cast<T*>(&element);
      view.bytes = sizeof element;
      view.dtype = dtype;
      Value value;
      check(host_, api_.constant(builder_, &view, &value.id));
      return value;
    });
  }
  // Extents that only a run knows are LOCI_DIM_UNKNOWN.
  [[nodiscard]] loci_type type(Value value) const {
    loci_type type{};
    check(host_, api_.type_of(builder_, value.id, &type));
    return type;
  }
  // Adds an input of a program; in a gradient, fails. Unknown extents are LOCI_DIM_UNKNOWN.
  [[nodiscard]] Value input(std::string_view name, loci_dtype dtype,
                            const std::vector<std::int64_t>& dims) const {
    const loci_type type = type_of(dtype, dims);
    Value value;
    check(host_, api_.input(builder_, to_abi(name), &type, &value.id));
    return value;
  }
  // The elements of `parameter` are not copied; see loci/abi/builder.h, which also says when its
  // memory is released. Its struct_size and name are filled in here.
  [[nodiscard]] Value parameter(std::string_view name, loci_parameter parameter) const {
    parameter.struct_size = sizeof parameter;
    parameter.name = to_abi(name);
    Value value;
    check(host_, api_.parameter(builder_, &parameter, &value.id));
    return value;
  }
  void output(Value value) const { check(host_, api_.output(builder_, value.id)); }
  // `fill` appends the operators of the block and returns its results.
  template <class Fill>
  [[nodiscard]] Block block(const Fill& fill) const {
    check(host_, api_.block_begin(builder_, nullptr, 0, nullptr));
    return close(fill());
  }
  // One of a loop: `fill` gets what stands for the values within.
  template <class Fill>
  [[nodiscard]] Block block(const std::vector<Value>& values, const Fill& fill) const {
    const std::vector<loci_value> ids = ids_of(values);
    const loci_value* arguments = nullptr;
    check(host_, api_.block_begin(builder_, ids.data(), ids.size(), &arguments));
    std::vector<Value> within;
    for (std::size_t i = 0; i < ids.size(); ++i) within.push_back({arguments[i]});
    return close(fill(within));
  }
  [[nodiscard]] std::vector<Value> append(const loci_call& call) const {
    const loci_value* ids = nullptr;
    std::uint64_t count = 0;
    check(host_, api_.append(builder_, &call, &ids, &count));
    std::vector<Value> values;
    for (std::uint64_t i = 0; i < count; ++i) values.push_back({ids[i]});
    return values;
  }

  [[nodiscard]] static loci_type type_of(loci_dtype dtype, const std::vector<std::int64_t>& dims) {
    if (dims.size() > LOCI_MAX_RANK) {
      throw Error(LOCI_CODE_INVALID_ARGUMENT, "a type has at most 8 dimensions");
    }
    loci_type type{};
    type.dtype = dtype;
    type.rank = static_cast<std::int32_t>(dims.size());
    for (std::size_t axis = 0; axis < dims.size(); ++axis) type.dims[axis] = dims[axis];
    return type;
  }

 private:
  static std::vector<loci_value> ids_of(const std::vector<Value>& values) {
    std::vector<loci_value> ids;
    for (const Value value : values) ids.push_back(value.id);
    return ids;
  }
  [[nodiscard]] Block close(const std::vector<Value>& results) const {
    const std::vector<loci_value> ids = ids_of(results);
    Block block;
    check(host_, api_.block_end(builder_, ids.data(), ids.size(), &block.id));
    return block;
  }

  const loci_host_api& host_;
  const loci_builder_api& api_;
  loci_builder* builder_;
};

std::vector<Value> BuilderCall::results() const {
  loci_call call{};
  call.struct_size = sizeof call;
  call.op = to_abi(op_);
  call.inputs = inputs_.data();
  call.input_count = inputs_.size();
  call.attrs = attrs_.data();
  call.attr_count = attrs_.size();
  call.name = to_abi(name_);
  call.output_names = output_names_.data();
  call.output_name_count = output_names_.size();
  call.blocks = blocks_.data();
  call.block_count = blocks_.size();
  return builder_.append(call);
}

}  // namespace loci::sdk
