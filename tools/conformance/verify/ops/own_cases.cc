#include "tools/conformance/verify/ops/own_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <loci/error.hpp>
#include <loci/io.hpp>
#include <loci/op_call.hpp>
#include <nlohmann/json.hpp>
#include <set>

namespace loci::verify {
namespace {

using Value = nlohmann::ordered_json;
using conformance::Array;
using conformance::Case;
using conformance::Expected;
using conformance::Real;
using conformance::Variables;

[[noreturn]] void refuse_case(const std::string& what) {
  throw Error(ErrorCode::kDataLoss, "[cases] " + what);
}

void expect_members(const Value& object, const std::string& where,
                    std::initializer_list<const char*> members) {
  if (!object.is_object()) refuse_case(where + " is no object");
  for (const auto& member : object.items()) {
    const bool known = std::any_of(members.begin(), members.end(),
                                   [&](const char* name) { return member.key() == name; });
    if (!known) refuse_case(fmt::format("{} has an unknown member '{}'", where, member.key()));
  }
}

const Value& member(const Value& object, const std::string& where, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse_case(fmt::format("{} has no \"{}\"", where, name));
  return *found;
}

std::string text_member(const Value& object, const std::string& where, const char* name) {
  const Value& value = member(object, where, name);
  if (!value.is_string() || value.get<std::string>().empty()) {
    refuse_case(fmt::format("\"{}\" of {} is no text", name, where));
  }
  return value;
}

Real number(const Value& value, const std::string& where) {
  if (value.is_number_unsigned()) return static_cast<Real>(value.get<std::uint64_t>());
  if (value.is_number_integer()) return static_cast<Real>(value.get<std::int64_t>());
  if (value.is_number()) return value.get<double>();
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value == "nan") return std::numeric_limits<Real>::quiet_NaN();
  if (value == "inf") return std::numeric_limits<Real>::infinity();
  if (value == "-inf") return -std::numeric_limits<Real>::infinity();
  refuse_case(fmt::format("{} has the value {}, which is no number", where, value.dump()));
}

DType dtype_of_text(const std::string& name, const std::string& where) {
  try {
    return parse_dtype(name);
  } catch (const Error& error) {
    throw error.within("[cases] " + where);
  }
}

Shape shape_of(const Value& extents, const std::string& where) {
  std::vector<std::int64_t> dims;
  if (!extents.is_array()) refuse_case(fmt::format("\"shape\" of {} is no array", where));
  for (const Value& extent : extents) {
    const std::int64_t dim = extent.is_number_integer() ? extent.get<std::int64_t>() : -1;
    if (dim < 0) {
      refuse_case(fmt::format("{} has the extent {}; give whole numbers of 0 or more", where,
                              extent.dump()));
    }
    dims.push_back(dim);
  }
  return Shape(dims);
}

// "dtype", "shape" and "values", or "file".
Array read_array(const Value& object, const std::string& where, const std::string& directory) {
  if (object.contains("file")) {
    const std::filesystem::path path = text_member(object, where, "file");
    return conformance::to_array(io::load_tensor(std::filesystem::path(directory) / path));
  }
  const DType dtype = dtype_of_text(text_member(object, where, "dtype"), where);
  Array array(dtype, shape_of(member(object, where, "shape"), where));
  const Value& values = member(object, where, "values");
  if (!values.is_array() || values.size() != array.size()) {
    refuse_case(fmt::format("{} has {} values, and its shape {} elements", where,
                            values.is_array() ? values.size() : 0, array.size()));
  }
  std::transform(values.begin(), values.end(), array.values.begin(),
                 [&](const Value& value) { return number(value, where); });
  return array;
}

Real tolerance(const Value& object, const std::string& where, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return 0;
  const Real value = found->is_number() ? number(*found, where) : Real{-1};
  if (!(value >= 0))
    refuse_case(fmt::format("\"{}\" of {} is no number of 0 or more", name, where));
  return value;
}

Expected read_output(const Value& object, const std::string& where, const std::string& directory) {
  expect_members(object, where, {"dtype", "shape", "values", "file", "absolute", "relative"});
  Expected expected;
  static_cast<Array&>(expected) = read_array(object, where, directory);
  const Real absolute = tolerance(object, where, "absolute");
  const Real relative = tolerance(object, where, "relative");
  if ((absolute == 0 && relative == 0) || !is_floating(expected.dtype)) return expected;
  const Real roundoff = conformance::compute_precision(expected.dtype).roundoff();
  for (const Real value : expected.values) {
    const Real magnitude = std::isfinite(value) ? std::abs(value) : 0;
    expected.slack.push_back((absolute + relative * magnitude) / roundoff);
  }
  return expected;
}

template <class T>
std::vector<T> items_of(const Value& array) {
  return array.get<std::vector<T>>();
}

Attribute read_attribute(const Value& value, const std::string& where) {
  const auto all = [&](auto is) { return std::all_of(value.begin(), value.end(), is); };
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {
    expect_members(value, where, {"dtype"});
    return dtype_of_text(text_member(value, where, "dtype"), where);
  }
  if (value.is_array() && all([](const Value& item) { return item.is_number_integer(); })) {
    return items_of<std::int64_t>(value);
  }
  if (value.is_array() && all([](const Value& item) { return item.is_number(); })) {
    return items_of<double>(value);
  }
  if (value.is_array() && all([](const Value& item) { return item.is_string(); })) {
    return items_of<std::string>(value);
  }
  refuse_case(fmt::format("{} is {}, which is no attribute", where, value.dump()));
}

// A case calls an op with slots, each with a number of arguments.
struct Call {
  std::string op;
  Attributes attributes;
  std::vector<std::pair<std::string, std::size_t>> slots;

  [[nodiscard]] Variables operator()(const Variables& inputs) const {
    OpCall<Variable> call(op);
    call.attributes = attributes;
    auto next = inputs.begin();
    for (const auto& [slot, count] : slots) {
      const auto first = next;
      next += static_cast<std::ptrdiff_t>(count);
      call.inputs_of(slot, {first, next});
    }
    return call.results();
  }
};

void add_input(const Value& object, const std::string& where, const std::string& directory,
               Case* added) {
  expect_members(object, where, {"dtype", "shape", "values", "file"});
  const Array array = read_array(object, where, directory);
  added->inputs.push_back(
      {array.dtype, array.shape, [values = array.values](auto, auto&) { return values; }});
}

void read_inputs(const Value& slots, const std::string& where, const std::string& directory,
                 Call* call, Case* added) {
  if (!slots.is_object()) refuse_case("\"inputs\" of " + where + " is no object");
  for (const auto& slot : slots.items()) {
    const std::string named = fmt::format("input {} of {}", slot.key(), where);
    const Value list = slot.value().is_array() ? slot.value() : Value::array({slot.value()});
    for (const Value& object : list) add_input(object, named, directory, added);
    call->slots.emplace_back(slot.key(), list.size());
  }
}

Case read_case(const Value& entry, std::size_t i, const std::string& directory) {
  const std::string where = fmt::format("case {}", i);
  expect_members(entry, where, {"name", "op", "attributes", "inputs", "outputs"});
  Case read;
  Call call;
  read.family = "own";
  read.op = call.op = text_member(entry, where, "op");
  read.variant = text_member(entry, where, "name");
  read_inputs(member(entry, where, "inputs"), where, directory, &call, &read);
  if (entry.contains("attributes")) {
    if (!entry["attributes"].is_object())
      refuse_case("\"attributes\" of " + where + " is no object");
    for (const auto& attribute : entry["attributes"].items()) {
      call.attributes[attribute.key()] = read_attribute(
          attribute.value(), fmt::format("attribute {} of {}", attribute.key(), where));
    }
  }
  const Value& outputs = member(entry, where, "outputs");
  if (!outputs.is_array() || outputs.empty()) {
    refuse_case("\"outputs\" of " + where + " is no array of one or more");
  }
  std::vector<Expected> expected;
  for (const Value& output : outputs) {
    expected.push_back(
        read_output(output, fmt::format("output {} of {}", expected.size(), where), directory));
  }
  read.reference = [expected](const conformance::Arrays&) { return expected; };
  read.build = std::move(call);
  return read;
}

}  // namespace

std::vector<Case> parse_own_cases(std::string_view json, const std::string& directory) {
  const Value list = Value::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) refuse_case("it is no JSON array");
  std::vector<Case> cases;
  std::set<std::string> names;
  for (const Value& entry : list) {
    cases.push_back(read_case(entry, cases.size(), directory));
    if (names.insert(cases.back().name()).second) continue;
    refuse_case(fmt::format("two cases have the name {}", cases.back().name()));
  }
  return cases;
}

std::vector<Case> read_own_cases(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    throw Error(ErrorCode::kNotFound,
                fmt::format("[cases] '{}' cannot be read; give the path of a file", path));
  }
  try {
    return parse_own_cases(text, std::filesystem::path(path).parent_path());
  } catch (const Error& error) {
    throw error.within(path);
  }
}

}  // namespace loci::verify
