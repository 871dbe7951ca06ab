#include "framework/program/printer.h"

#include <fmt/format.h>

#include <iterator>

namespace loci::program {
namespace {

using Buffer = fmt::memory_buffer;

template <class... Args>
void append(Buffer& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

void append_text(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_guard(Buffer& out, const std::string& guard) {
  if (!guard.empty()) append(out, " @{}", guard);
}

void append_var(Buffer& out, const VarDesc& var) {
  if (!var.is_data && !var.persistable) return;
  if (var.is_data) append_text(out, "data ");
  if (var.persistable) append_text(out, var.trainable ? "parameter " : "persistable ");
  append(out, "%{} {}", var.name, type_text(var.type));
  append_guard(out, var.guard);
  append_text(out, "\n");
}

void append_outputs(Buffer& out, const Block& block, const Operator& op) {
  const char* separator = "";
  for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
    const bool updates = !op.schema->outputs()[slot].updates.empty();
    for (const VarId id : op.outputs[slot]) {
      const VarDesc& var = block.var(id);
      append(out, "{}%{}", separator, var.name);
      if (!updates) append(out, " {}", type_text(var.type));
      separator = ", ";
    }
  }
}

void append_slot(Buffer& out, const Block& block, const Slot& slot) {
  if (slot.empty()) return append_text(out, "none");
  if (slot.size() == 1) return append(out, "%{}", block.var(slot.front()).name);
  const char* separator = "[";
  for (const VarId id : slot) {
    append(out, "{}%{}", separator, block.var(id).name);
    separator = ", ";
  }
  append_text(out, "]");
}

void append_attributes(Buffer& out, const Attributes& attributes) {
  if (attributes.empty()) return;
  const char* separator = " {";
  for (const auto& [name, value] : attributes) {
    append(out, "{}{}={}", separator, name, to_string(value));
    separator = ", ";
  }
  append_text(out, "}");
}

void append_block(Buffer& out, const Block& block, std::size_t index, int indent);

void append_operator(Buffer& out, const Block& block, const Operator& op, int indent) {
  append(out, "{:{}}", "", indent);
  append_outputs(out, block, op);
  append(out, " = {}(", op.type());
  for (std::size_t slot = 0; slot < op.inputs.size(); ++slot) {
    append(out, "{}{}=", slot == 0 ? "" : ", ", op.schema->inputs()[slot].name);
    append_slot(out, block, op.inputs[slot]);
  }
  append_text(out, ")");
  append_attributes(out, op.attributes);
  append_guard(out, op.guard);
  if (op.role != Role::kForward) append(out, " [{}]", role_name(op.role));
  if (!op.scope.empty()) append(out, " in {}", op.scope);
  append_text(out, "\n");
  for (std::size_t i = 0; i < op.blocks.size(); ++i)
    append_block(out, *op.blocks[i], i, indent + 2);
}

void append_operators(Buffer& out, const Block& block, int indent) {
  for (const Operator& op : block.ops) append_operator(out, block, op, indent);
  if (block.results.empty()) return;
  append(out, "{:{}}", "", indent);
  for (std::size_t i = 0; i < block.results.size(); ++i) {
    append(out, "{}%{}", i == 0 ? "return " : ", ", block.var(block.results[i]).name);
  }
  append_text(out, "\n");
}

void append_block(Buffer& out, const Block& block, std::size_t index, int indent) {
  append(out, "{:{}}block {} (", "", indent, index);
  for (std::size_t i = 0; i < block.arguments.size(); ++i) {
    const VarDesc& var = block.var(block.arguments[i]);
    append(out, "{}%{} {}", i == 0 ? "" : ", ", var.name, type_text(var.type));
  }
  append_text(out, "):\n");
  append_operators(out, block, indent + 2);
}

}  // namespace

std::string type_text(const ops::TensorType& type) {
  if (type.dtype == DType::kNone) return "unknown";
  return std::string(dtype_name(type.dtype)) + type.shape.to_string();
}

std::string to_text(const ProgramImpl& program) {
  const Block& block = program.main();
  Buffer out;
  for (const VarDesc& var : block.vars) append_var(out, var);
  append_operators(out, block, 0);
  return fmt::to_string(out);
}

}  // namespace loci::program
