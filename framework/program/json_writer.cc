#include <fmt/format.h>

#include <cmath>
#include <loci/version.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "framework/core/raise.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using OrderedJson = nlohmann::ordered_json;

// JSON has no words for these.
OrderedJson number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

OrderedJson tagged(const char* kind, OrderedJson value) {
  OrderedJson result = OrderedJson::object();
  result[kind] = std::move(value);
  return result;
}

struct AttributeWriter {
  OrderedJson operator()(bool value) const { return tagged("bool", value); }
  OrderedJson operator()(std::int64_t value) const { return tagged("int", value); }
  OrderedJson operator()(double value) const { return tagged("float", number(value)); }
  OrderedJson operator()(const std::string& value) const { return tagged("string", value); }
  OrderedJson operator()(DType value) const { return tagged("dtype", dtype_name(value)); }
  OrderedJson operator()(const std::vector<std::int64_t>& values) const {
    return tagged("ints", values);
  }
  OrderedJson operator()(const std::vector<double>& values) const {
    OrderedJson list = OrderedJson::array();
    for (const double value : values) list.push_back(number(value));
    return tagged("floats", std::move(list));
  }
  OrderedJson operator()(const std::vector<std::string>& values) const {
    return tagged("strings", values);
  }
};

OrderedJson variable_json(const VarDesc& var) {
  OrderedJson result{{"name", var.name}, {"dtype", dtype_name(var.type.dtype)}};
  result["shape"] = var.type.shape.dims();
  if (var.is_data) result["data"] = true;
  if (var.persistable) result["persistable"] = true;
  if (var.trainable) result["trainable"] = true;
  if (var.stop_gradient) result["stop_gradient"] = true;
  if (!var.guard.empty()) result["guard"] = var.guard;
  return result;
}

OrderedJson names_json(const Block& block, const std::vector<VarId>& ids) {
  OrderedJson names = OrderedJson::array();
  for (const VarId id : ids) names.push_back(block.var(id).name);
  return names;
}

template <class Slots>
OrderedJson slots_json(const Block& block, const Slots& slots, const std::vector<Slot>& vars) {
  OrderedJson result = OrderedJson::object();
  for (std::size_t i = 0; i < vars.size(); ++i) {
    if (!vars[i].empty()) result[slots[i].name] = names_json(block, vars[i]);
  }
  return result;
}

OrderedJson block_json(const Block& block);

OrderedJson operator_json(const Block& block, const Operator& op) {
  OrderedJson result{{"type", op.type()}, {"name", op.name}};
  result["inputs"] = slots_json(block, op.schema->inputs(), op.inputs);
  result["outputs"] = slots_json(block, op.schema->outputs(), op.outputs);
  result["attributes"] = OrderedJson::object();
  for (const auto& [name, value] : op.attributes) {
    result["attributes"][name] = std::visit(AttributeWriter{}, value);
  }
  if (!op.guard.empty()) result["guard"] = op.guard;
  if (op.role != Role::kForward) result["role"] = role_name(op.role);
  if (!op.scope.empty()) result["scope"] = op.scope;
  if (!op.origin.empty()) result["origin"] = op.origin;
  for (const auto& inner : op.blocks) result["blocks"].push_back(block_json(*inner));
  return result;
}

OrderedJson block_json(const Block& block) {
  OrderedJson result{{"variables", OrderedJson::array()}, {"operators", OrderedJson::array()}};
  for (const VarDesc& var : block.vars) result["variables"].push_back(variable_json(var));
  for (const Operator& op : block.ops) result["operators"].push_back(operator_json(block, op));
  result["arguments"] = names_json(block, block.arguments);
  result["results"] = names_json(block, block.results);
  return result;
}

// One entry a line: nlohmann's own indentation would put each extent on one.
template <class Entries, class ToJson>
void write_list(std::string& out, const char* key, const Entries& entries, const ToJson& to_json) {
  out += fmt::format("    \"{}\": [", key);
  const char* separator = "\n      ";
  for (const auto& entry : entries) {
    out += separator + to_json(entry).dump();
    separator = ",\n      ";
  }
  out += "\n    ],\n";
}

void write_program(std::string& out, const char* key, const ProgramImpl& program) {
  const Block& block = program.main();
  out += fmt::format(",\n  \"{}\": {{\n", key);
  write_list(out, "variables", block.vars, variable_json);
  write_list(out, "operators", block.ops,
             [&](const Operator& op) { return operator_json(block, op); });
  out += fmt::format("    \"arguments\": {},\n", names_json(block, block.arguments).dump());
  out += fmt::format("    \"results\": {},\n", names_json(block, block.results).dump());
  out += fmt::format("    \"next_random_offset\": {}\n  }}", program.random_offset());
}

// By op.
struct UsedOps {
  std::map<std::string, int> versions;
  std::map<std::string, std::string> plugins;  // ids, of those that plugins bring

  void collect(const Block& block) {
    for (const Operator& op : block.ops) {
      versions[op.type()] = op.schema->version();
      if (!op.schema->plugin().empty()) plugins[op.type()] = op.schema->plugin();
      for (const auto& inner : op.blocks) collect(*inner);
    }
  }
};

}  // namespace

std::string to_json(const ProgramImpl& main, const ProgramImpl* startup) {
  UsedOps used;
  used.collect(main.main());
  if (startup != nullptr) used.collect(startup->main());
  try {
    std::string out = "{\n  \"format\": \"loci.program\",\n  \"format_version\": 1,\n";
    out += fmt::format("  \"producer\": \"loci {}\",\n", version());
    out += fmt::format("  \"ops\": {}", OrderedJson(used.versions).dump());
    if (!used.plugins.empty()) {
      out += fmt::format(",\n  \"plugins\": {}", OrderedJson(used.plugins).dump());
    }
    write_program(out, "main", main);
    if (startup != nullptr) write_program(out, "startup", *startup);
    return out + "\n}\n";
  } catch (const nlohmann::json::type_error&) {
    core::raise(ErrorCode::kInvalidArgument,
                "[program] a name or an attribute is not UTF-8, so the program cannot be saved; "
                "rename it");
  }
}

}  // namespace loci::program
