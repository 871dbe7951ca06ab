#include <fmt/format.h>

#include <cmath>
#include <loci/version.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>

#include "framework/core/raise.h"
#include "framework/program/guard_text.h"
#include "framework/program/json_form.h"

namespace loci::program {
namespace {

using Json = nlohmann::json;

// JSON has no words for some.
std::string text_of(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return Json(value).dump();
}
std::string text_of(std::int64_t value) { return fmt::format("{}", value); }
// Throws Json::type_error if it is not UTF-8.
std::string text_of(const std::string& value) { return Json(value).dump(); }

template <class Values, class ToText>
std::string list_text(const Values& values, const ToText& to_text) {
  std::string text = "[";
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    text += to_text(value);
  }
  return text + "]";
}
template <class T>
std::string list_text(const std::vector<T>& values) {
  return list_text(values, [](const T& value) { return text_of(value); });
}

// An object is text from the beginning: nlohmann's documents with members in order copy these as
// they grow, and end the process where they end without memory.
class ObjectText {
 public:
  ObjectText& add(const std::string& key, const std::string& value) {
    if (text_.size() > 1) text_ += ',';
    text_ += text_of(key);
    text_ += ':';
    text_ += value;
    return *this;
  }
  ObjectText& add_if(bool wanted, const std::string& key, const std::string& value) {
    return wanted ? add(key, value) : *this;
  }
  [[nodiscard]] std::string text() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string tagged(const char* kind, const std::string& value) {
  return ObjectText().add(kind, value).text();
}

struct AttributeWriter {
  std::string operator()(bool value) const { return tagged("bool", value ? "true" : "false"); }
  std::string operator()(std::int64_t value) const { return tagged("int", text_of(value)); }
  std::string operator()(double value) const { return tagged("float", text_of(value)); }
  std::string operator()(const std::string& value) const {
    return tagged("string", text_of(value));
  }
  std::string operator()(DType value) const {
    return tagged("dtype", text_of(std::string(dtype_name(value))));
  }
  std::string operator()(const std::vector<std::int64_t>& values) const {
    return tagged("ints", list_text(values));
  }
  std::string operator()(const std::vector<double>& values) const {
    return tagged("floats", list_text(values));
  }
  std::string operator()(const std::vector<std::string>& values) const {
    return tagged("strings", list_text(values));
  }
};

// Returns true for a place that the user asked for; no file keeps those that a trace found.
bool is_kept(const std::string& guard) {
  return !guard.empty() && standing_of(guard) != Standing::kFound;
}

std::string variable_text(const VarDesc& var) {
  ObjectText object;
  object.add("name", text_of(var.name));
  object.add("dtype", text_of(std::string(dtype_name(var.type.dtype))));
  object.add("shape", list_text(var.type.shape.dims()));
  object.add_if(var.is_data, "data", "true");
  object.add_if(var.persistable, "persistable", "true");
  object.add_if(var.trainable, "trainable", "true");
  object.add_if(var.stop_gradient, "stop_gradient", "true");
  object.add_if(is_kept(var.guard), "guard", text_of(var.guard));
  return object.text();
}

std::string names_text(const Block& block, const std::vector<VarId>& ids) {
  return list_text(ids, [&](VarId id) { return text_of(block.var(id).name); });
}

template <class Slots>
std::string slots_text(const Block& block, const Slots& slots, const std::vector<Slot>& vars) {
  ObjectText object;
  for (std::size_t i = 0; i < vars.size(); ++i) {
    object.add_if(!vars[i].empty(), slots[i].name, names_text(block, vars[i]));
  }
  return object.text();
}

std::string block_text(const Block& block);

std::string operator_text(const Block& block, const Operator& op) {
  ObjectText object;
  object.add("type", text_of(op.type()));
  object.add("name", text_of(op.name));
  object.add("inputs", slots_text(block, op.schema->inputs(), op.inputs));
  object.add("outputs", slots_text(block, op.schema->outputs(), op.outputs));
  ObjectText attributes;
  for (const auto& [name, value] : op.attributes) {
    attributes.add(name, std::visit(AttributeWriter{}, value));
  }
  object.add("attributes", attributes.text());
  object.add_if(is_kept(op.guard), "guard", text_of(op.guard));
  object.add_if(op.role != Role::kForward, "role", text_of(std::string(role_name(op.role))));
  object.add_if(!op.scope.empty(), "scope", text_of(op.scope));
  object.add_if(!op.origin.empty(), "origin", text_of(op.origin));
  const auto inner_text = [](const auto& inner) { return block_text(*inner); };
  object.add_if(!op.blocks.empty(), "blocks", list_text(op.blocks, inner_text));
  return object.text();
}

std::string block_text(const Block& block) {
  const auto one_operator = [&](const Operator& op) { return operator_text(block, op); };
  return ObjectText()
      .add("variables", list_text(block.vars, variable_text))
      .add("operators", list_text(block.ops, one_operator))
      .add("arguments", names_text(block, block.arguments))
      .add("results", names_text(block, block.results))
      .text();
}

// One entry a line.
template <class Entries, class ToText>
void write_list(std::string& out, const char* key, const Entries& entries, const ToText& to_text) {
  out += fmt::format("    \"{}\": [", key);
  const char* separator = "\n      ";
  for (const auto& entry : entries) {
    out += separator + to_text(entry);
    separator = ",\n      ";
  }
  out += "\n    ],\n";
}

void write_program(std::string& out, const char* key, const ProgramImpl& program) {
  const Block& block = program.main();
  out += fmt::format(",\n  \"{}\": {{\n", key);
  write_list(out, "variables", block.vars, variable_text);
  write_list(out, "operators", block.ops,
             [&](const Operator& op) { return operator_text(block, op); });
  out += fmt::format("    \"arguments\": {},\n", names_text(block, block.arguments));
  out += fmt::format("    \"results\": {},\n", names_text(block, block.results));
  out += fmt::format("    \"next_random_offset\": {}\n  }}", program.random_offset());
}

template <class Value>
std::string map_text(const std::map<std::string, Value>& values) {
  ObjectText object;
  for (const auto& [key, value] : values) object.add(key, text_of(value));
  return object.text();
}

// The ops that programs use, by name.
struct UsedOps {
  std::map<std::string, std::int64_t> versions;
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
    out += fmt::format("  \"ops\": {}", map_text(used.versions));
    if (!used.plugins.empty()) {
      out += fmt::format(",\n  \"plugins\": {}", map_text(used.plugins));
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
