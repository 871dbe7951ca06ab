#include "framework/ops/op_schema.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/ops/cost.h"

namespace loci::ops {
namespace {

// Names kinds by index in Attribute.
constexpr std::array<std::string_view, std::variant_size_v<AttributeValue>> kKindNames{
    "a bool",  "an int64",        "a float64",         "a string",
    "a dtype", "a list of int64", "a list of float64", "a list of strings"};

std::string_view kind_name(const Attribute& attribute) { return kKindNames[attribute.index()]; }

template <class Named>
int index_of(const std::vector<Named>& entries, std::string_view name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Named& entry) { return entry.name == name; });
  return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
}

void check_limits(const std::string& op, const AttributeSpec& spec, const Attribute& value) {
  const std::string reason = spec.refusal(value);
  if (reason.empty()) return;
  core::raise(ErrorCode::kInvalidArgument, "[{}] attribute '{}' {}", op, spec.name, reason);
}

// The value in the kind that the spec asks for.
Attribute converted(const std::string& op, const AttributeSpec& spec, const Attribute& given) {
  if (given.index() == spec.default_value.index()) return given;
  if (std::holds_alternative<double>(spec.default_value) &&
      std::holds_alternative<std::int64_t>(given)) {
    return static_cast<double>(std::get<std::int64_t>(given));
  }
  core::raise(ErrorCode::kInvalidArgument, "[{}] attribute '{}' is {}, {}; give {}", op, spec.name,
              kind_name(given), to_string(given), kind_name(spec.default_value));
}

}  // namespace

std::string DTypeSet::to_string() const {
  std::vector<std::string_view> names;
  for (auto code = static_cast<std::int32_t>(DType::kBool);
       code <= static_cast<std::int32_t>(DType::kFloat64); ++code) {
    if (contains(static_cast<DType>(code))) names.push_back(dtype_name(static_cast<DType>(code)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

OpSchema::OpSchema(std::string name)
    : name_(std::move(name)),
      cost_([](const InferContext& ctx) { return elementwise_cost(ctx); }) {}

OpSchema& OpSchema::input(std::string name, DTypeSet dtypes, Arity arity, Residence residence) {
  inputs_.push_back({std::move(name), dtypes, arity, residence});
  return *this;
}

OpSchema& OpSchema::extents_input(std::string name) {
  inputs_.push_back({std::move(name), kIndices, Arity::kOptional, Residence::kHost,
                     /*gives_extents=*/true});
  return *this;
}

OpSchema& OpSchema::deciding_input(std::string name, DTypeSet dtypes, Arity arity) {
  inputs_.push_back({std::move(name), dtypes, arity, Residence::kHost, /*gives_extents=*/false,
                     /*decides=*/true});
  return *this;
}

OpSchema& OpSchema::output(std::string name, Arity arity, Extent extent) {
  return add_ruled({.name = std::move(name), .arity = arity, .extent = extent});
}

OpSchema& OpSchema::host_output(std::string name) {
  return add_ruled({.name = std::move(name), .residence = Residence::kHost});
}

OpSchema& OpSchema::bounded_output(std::string name, std::string count) {
  return add_ruled(
      {.name = std::move(name), .extent = Extent::kBounded, .count = std::move(count)});
}

OpSchema& OpSchema::add_ruled(OutputSlot slot) {
  if (control_ == Control::kNone && !inputs_.empty()) {
    slot.dtype = DTypeRule::as(inputs_.front().name);
  }
  return add_output(std::move(slot));
}

OpSchema& OpSchema::add_input(InputSlot slot) {
  inputs_.push_back(std::move(slot));
  return *this;
}

OpSchema& OpSchema::add_output(OutputSlot slot) {
  outputs_.push_back(std::move(slot));
  return *this;
}

OpSchema& OpSchema::within(double minimum, double maximum) {
  AttributeSpec& spec = attributes_.back();
  spec.limited = true;
  spec.real_minimum = minimum;
  spec.real_maximum = maximum;
  return *this;
}

OpSchema& OpSchema::one_of(std::vector<std::string> choices) {
  attributes_.back().choices = std::move(choices);
  return *this;
}

OpSchema& OpSchema::updates(std::string name, std::string state, Arity arity) {
  if (input_index(state) < 0) {
    core::raise(ErrorCode::kInternal, "[{}] output '{}' updates '{}', which is no input slot",
                name_, name, state);
  }
  output(std::move(name), arity);
  // Several are the memory of some of their slot, whichever those are.
  of_dtype(arity == Arity::kRequired ? DTypeRule::as(state) : DTypeRule());
  outputs_.back().updates = std::move(state);
  return *this;
}

OpSchema& OpSchema::random() {
  random_ = true;
  input("state", {DType::kUInt64});
  return attr("offset", std::int64_t{0}, "its place among the draws of the program");
}

OpSchema& OpSchema::infer(InferFn fn) {
  infer_ = std::move(fn);
  return *this;
}

OpSchema& OpSchema::gradient(GradientFn fn) {
  gradient_ = std::move(fn);
  return *this;
}

OpSchema& OpSchema::refuse_gradient(GradientFn refusal) {
  refuses_gradient_ = true;
  return gradient(std::move(refusal));
}

OpSchema& OpSchema::cost(CostFn fn) {
  cost_ = std::move(fn);
  states_cost_ = true;
  return *this;
}

OpSchema& OpSchema::decompose(DecomposeFn fn) {
  if (!only_computes()) {
    core::raise(
        ErrorCode::kInternal,
        "[{}] has a decomposition, and it updates, has a bounded output or one on the host, "
        "draws random numbers or controls what runs",
        name_);
  }
  decompose_ = std::move(fn);
  return *this;
}

bool OpSchema::only_computes() const {
  const bool plain = std::all_of(outputs_.begin(), outputs_.end(), [](const OutputSlot& output) {
    return output.updates.empty() && output.extent != Extent::kBounded &&
           output.residence != Residence::kHost;
  });
  return plain && !random_ && control_ == Control::kNone;
}

OpSchema& OpSchema::version(int version) {
  version_ = version;
  return *this;
}

OpSchema& OpSchema::not_capturable(std::string reason) {
  capture_refusal_ = std::move(reason);
  return *this;
}

OpSchema& OpSchema::add_attribute(AttributeSpec spec) {
  attributes_.push_back(std::move(spec));
  return *this;
}

int OpSchema::input_index(std::string_view name) const { return index_of(inputs_, name); }

int OpSchema::output_index(std::string_view name) const { return index_of(outputs_, name); }

const AttributeSpec* OpSchema::find_attribute(std::string_view name) const {
  const int index = index_of(attributes_, name);
  return index < 0 ? nullptr : &attributes_[static_cast<std::size_t>(index)];
}

Attributes OpSchema::complete(const Attributes& given) const {
  Attributes result;
  for (const auto& [name, value] : given) {
    const AttributeSpec* spec = find_attribute(name);
    if (spec == nullptr) {
      std::vector<std::string> known;
      for (const AttributeSpec& entry : attributes_) known.push_back(entry.name);
      core::raise(ErrorCode::kInvalidArgument, "[{}] has no attribute '{}'{}", name_, name,
                  known.empty() ? "; it has none at all" : core::suggest(name, known));
    }
    const Attribute& taken = result.emplace(name, converted(name_, *spec, value)).first->second;
    check_limits(name_, *spec, taken);
  }
  for (const AttributeSpec& spec : attributes_) {
    if (spec.required && result.count(spec.name) == 0) {
      core::raise(ErrorCode::kInvalidArgument, "[{}] attribute '{}' is missing; give {}", name_,
                  spec.name, kind_name(spec.default_value));
    }
    result.emplace(spec.name, spec.default_value);
  }
  return result;
}

}  // namespace loci::ops
