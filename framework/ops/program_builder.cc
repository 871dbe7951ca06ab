#include "framework/ops/program_builder.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "framework/core/abi/attributes.h"
#include "framework/core/abi/error.h"
#include "framework/core/quote.h"
#include "framework/core/raise.h"
#include "framework/ops/assigned_value.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/plugin_call.h"
#include "framework/plugin/stated_text.h"

namespace loci::ops {
namespace {

constexpr std::uint64_t kMostArguments = std::uint64_t{1} << 20;
// Elements become text of the program.
constexpr std::uint64_t kMostConstantBytes = std::uint64_t{1} << 20;

ProgramBuilder& from(loci_builder* builder) { return *reinterpret_cast<ProgramBuilder*>(builder); }

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) {
  core::raise(ErrorCode::kInvalidArgument, "[builder] {}",
              fmt::format(format, std::forward<Args>(args)...));
}

loci_error* append(loci_builder* builder, const loci_call* call, const loci_value** out_values,
                   std::uint64_t* out_count) noexcept {
  return to_error([&] {
    // In this host's size: what a shorter one lacks is zero.
    loci_call own{};
    std::memcpy(&own, call, std::min<std::size_t>(call->struct_size, sizeof own));
    const std::vector<loci_value>& outputs = from(builder).append(own);
    if (out_values != nullptr) *out_values = outputs.data();
    if (out_count != nullptr) *out_count = outputs.size();
  });
}

loci_error* constant(loci_builder* builder, const loci_view* elements,
                     loci_value* out_value) noexcept {
  return to_error([&] { *out_value = from(builder).constant(*elements); });
}

std::vector<loci_value> list_of(const loci_value* values, std::uint64_t count) {
  if (count > kMostArguments || (values == nullptr && count > 0)) {
    refuse("a list has {} values{}", count, values == nullptr ? " at NULL" : "");
  }
  return count == 0 ? std::vector<loci_value>() : std::vector<loci_value>(values, values + count);
}

loci_error* input(loci_builder* builder, loci_str name, const loci_type* type,
                  loci_value* out_value) noexcept {
  return to_error([&] {
    const std::string text(plugin::stated_text(name, "input's name"));
    try {
      *out_value = from(builder).input(text, type_from_abi(*type));
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kUnsupported) throw;
      refuse("the input {}: {}", core::quote(text), error.what());
    }
  });
}

loci_error* parameter(loci_builder* builder, const loci_parameter* parameter,
                      loci_value* out_value) noexcept {
  return to_error([&] {
    loci_parameter own{};
    std::memcpy(&own, parameter, std::min<std::size_t>(parameter->struct_size, sizeof own));
    *out_value = from(builder).parameter(own);
  });
}

loci_error* output(loci_builder* builder, loci_value value) noexcept {
  return to_error([&] { from(builder).output(value); });
}

loci_error* block_begin(loci_builder* builder, const loci_value* values, std::uint64_t count,
                        const loci_value** out_arguments) noexcept {
  return to_error([&] {
    const std::vector<loci_value>& arguments = from(builder).block_begin(list_of(values, count));
    if (out_arguments != nullptr) *out_arguments = arguments.data();
  });
}

loci_error* block_end(loci_builder* builder, const loci_value* results, std::uint64_t count,
                      loci_block* out_block) noexcept {
  return to_error([&] { *out_block = from(builder).block_end(list_of(results, count)); });
}

[[noreturn]] void refuse_in_gradient(const char* what) {
  core::raise(
      ErrorCode::kUnsupported,
      "[builder] this is the builder of a gradient, which adds to a program that others have "
      "begun: it takes no {}",
      what);
}

loci_error* type_of(loci_builder* builder, loci_value value, loci_type* out_type) noexcept {
  return to_error([&] { *out_type = to_abi(from(builder).type_of(value)); });
}

// The names of outputs, and the blocks.
void read_names(const loci_call& call, BuilderCall* own) {
  if (call.output_name_count > kMostArguments ||
      (call.output_names == nullptr && call.output_name_count > 0)) {
    refuse("a call has {} names of outputs{}", call.output_name_count,
           call.output_names == nullptr ? " at NULL" : "");
  }
  for (std::uint64_t i = 0; i < call.output_name_count; ++i) {
    own->output_names.emplace_back(plugin::stated_text(call.output_names[i], "output's name"));
  }
  if (call.block_count > kMostArguments || (call.blocks == nullptr && call.block_count > 0)) {
    refuse("a call has {} blocks{}", call.block_count, call.blocks == nullptr ? " at NULL" : "");
  }
  if (call.block_count > 0) own->blocks.assign(call.blocks, call.blocks + call.block_count);
}

TensorType type_of_view(const loci_view& view) {
  loci_type type{};
  type.dtype = view.dtype;
  type.rank = view.rank;
  if (view.rank > 0 && view.dims == nullptr) refuse("a constant has its extents at NULL");
  for (int i = 0; i < std::min(view.rank, LOCI_MAX_RANK); ++i) type.dims[i] = view.dims[i];
  try {
    return type_from_abi(type);
  } catch (const Error& error) {
    refuse("a constant {}", error.what());
  }
}

// A copy of the elements.
Tensor tensor_of(const loci_view& view) {
  const TensorType type = type_of_view(view);
  const bool plain = view.strides == nullptr && view.layout == LOCI_LAYOUT_PLAIN;
  const std::string text = fmt::format("{}{}", dtype_name(type.dtype), type.shape.to_string());
  if (!plain || !type.shape.is_static()) {
    refuse("a constant of {} has strides, a layout or an unknown extent; give it dense", text);
  }
  std::uint64_t bytes = dtype_size(type.dtype);
  for (const std::int64_t extent : type.shape) {
    if (extent != 0 && bytes > kMostConstantBytes / static_cast<std::uint64_t>(extent)) {
      refuse("a constant of {} is too large; it has {} bytes at most", text, kMostConstantBytes);
    }
    bytes *= static_cast<std::uint64_t>(extent);
  }
  if (view.bytes != bytes || (view.data == nullptr && bytes > 0)) {
    refuse("a constant of {} has {} bytes{}; it needs {}", text, view.bytes,
           view.data == nullptr ? " at NULL" : "", bytes);
  }
  return Tensor::from_bytes(view.data, type.shape, type.dtype);
}

}  // namespace

loci_type to_abi(const TensorType& type) {
  loci_type result{};
  result.dtype = static_cast<loci_dtype>(type.dtype);
  result.rank = type.shape.rank();
  std::copy(type.shape.begin(), type.shape.end(), result.dims);
  return result;
}

TensorType type_from_abi(const loci_type& type) {
  if (type.dtype < LOCI_DTYPE_BOOL || type.dtype > LOCI_DTYPE_F64) {
    core::raise(ErrorCode::kInvalidArgument, "is of the dtype code {}, which there is not",
                type.dtype);
  }
  if (type.rank < 0 || type.rank > LOCI_MAX_RANK) {
    core::raise(ErrorCode::kInvalidArgument, "is of rank {}; a tensor has 0 to {} dimensions",
                type.rank, LOCI_MAX_RANK);
  }
  for (std::int32_t i = 0; i < type.rank; ++i) {
    if (type.dims[i] >= LOCI_DIM_UNKNOWN) continue;
    core::raise(ErrorCode::kInvalidArgument, "has the extent {}; only -1, unknown, is negative",
                type.dims[i]);
  }
  return {static_cast<DType>(type.dtype), Shape(type.dims, type.rank)};
}

const loci_builder_api& ProgramBuilder::api() {
  static constexpr loci_builder_api kApi = {
      sizeof(loci_builder_api), LOCI_BUILDER_MINOR, &ops::append,
      &ops::constant,           &ops::type_of,      &ops::input,
      &ops::parameter,          &ops::output,       &ops::block_begin,
      &ops::block_end};
  return kApi;
}

loci_value ProgramBuilder::id(Value value) {
  if (!value.defined()) return LOCI_NO_VALUE;
  values_.push_back(value);
  return static_cast<loci_value>(values_.size()) - 1;
}

Value ProgramBuilder::value(loci_value id) const {
  if (id == LOCI_NO_VALUE) return {};
  if (id >= 0 && id < static_cast<loci_value>(values_.size())) {
    return values_[static_cast<std::size_t>(id)];
  }
  refuse("there is no value {}; the builder has given {}", id, values_.size());
}

const std::vector<loci_value>& ProgramBuilder::append(const loci_call& call) {
  const std::vector<Value> outputs = emit(read(call));
  appended_.clear();
  for (const Value& output : outputs) appended_.push_back(id(output));
  return appended_;
}

std::vector<Value> ProgramBuilder::values(const std::vector<loci_value>& ids) const {
  std::vector<Value> found;
  for (const loci_value id : ids) {
    found.push_back(value(id));
    if (!found.back().defined()) refuse("an absent value stands where there has to be one");
  }
  return found;
}

std::vector<Value> ProgramBuilder::emit(BuilderCall call) {
  if (!call.name.empty() || !call.output_names.empty()) refuse_in_gradient("names");
  if (!call.blocks.empty()) refuse_in_gradient("blocks");
  return emitter_.emit(call.op);
}

loci_value ProgramBuilder::input(const std::string&, const TensorType&) {
  refuse_in_gradient("inputs");
}

loci_value ProgramBuilder::parameter(const loci_parameter& parameter) {
  if (parameter.release != nullptr) parameter.release(parameter.context);
  refuse_in_gradient("parameters");
}

void ProgramBuilder::output(loci_value) { refuse_in_gradient("outputs"); }

const std::vector<loci_value>& ProgramBuilder::block_begin(const std::vector<loci_value>&) {
  refuse_in_gradient("blocks");
}

loci_block ProgramBuilder::block_end(const std::vector<loci_value>&) {
  refuse_in_gradient("blocks");
}

BuilderCall ProgramBuilder::read(const loci_call& call) const {
  const OpSchema& schema = op_registry().get(plugin::stated_text(call.op, "call's op"));
  BuilderCall own{OpCall<Value>(schema.name()),
                  std::string(plugin::stated_text(call.name, "call's name")),
                  {},
                  {}};
  read_names(call, &own);
  OpCall<Value>& result = own.op;
  if (call.input_count > schema.inputs().size() ||
      (call.inputs == nullptr && call.input_count > 0)) {
    refuse("{} is called with {} inputs{}; it has {}", schema.name(), call.input_count,
           call.inputs == nullptr ? " at NULL" : "", schema.inputs().size());
  }
  for (std::uint64_t i = 0; i < call.input_count; ++i) {
    result.inputs.push_back(read_input(schema, call.inputs[i], i));
  }
  if (call.attr_count > schema.attributes().size() ||
      (call.attrs == nullptr && call.attr_count > 0)) {
    refuse("{} is called with {} attributes{}; it has {}", schema.name(), call.attr_count,
           call.attrs == nullptr ? " at NULL" : "", schema.attributes().size());
  }
  for (std::uint64_t i = 0; i < call.attr_count; ++i) {
    const std::string name(plugin::stated_text(call.attrs[i].name, "attribute's name"));
    try {
      result.attr(name, core::attribute_from_abi(call.attrs[i]));
    } catch (const Error& error) {
      refuse("the attribute {} of {} {}", core::quote(name), schema.name(), error.what());
    }
  }
  return own;
}

OpCall<Value>::Slot ProgramBuilder::read_input(const OpSchema& schema, const loci_call_input& input,
                                               std::size_t position) const {
  const std::string_view name = plugin::stated_text(input.slot, "call's slot");
  OpCall<Value>::Slot slot{name.empty() ? schema.inputs()[position].name : std::string(name), {}};
  if (input.value_count > kMostArguments || (input.values == nullptr && input.value_count > 0)) {
    refuse("the input {} of {} has {} values{}", core::quote(slot.name), schema.name(),
           input.value_count, input.values == nullptr ? " at NULL" : "");
  }
  for (std::uint64_t i = 0; i < input.value_count; ++i) {
    // An absent value leaves an optional slot empty.
    if (const Value given = value(input.values[i]); given.defined()) slot.values.push_back(given);
  }
  return slot;
}

loci_value ProgramBuilder::constant(const loci_view& elements) {
  OpCall<Value> call("assign_value");
  call.attributes = assigned_value(tensor_of(elements));
  return id(emitter_.emit(call).front());
}

TensorType ProgramBuilder::type_of(loci_value id) const {
  const Value known = value(id);
  if (!known.defined()) refuse("an absent value has no type");
  return emitter_.type(known);
}

}  // namespace loci::ops
