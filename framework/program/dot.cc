#include "framework/program/dot.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <vector>

#include "framework/program/printer.h"

namespace loci::program {
namespace {

// By role.
constexpr std::array<const char*, 4> kFillColors{"#e3f2fd", "#ffebee", "#fff8e1", "#e8f5e9"};

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// Two lines; "\n" is an escape of the language.
std::string label(std::string_view first, std::string_view second) {
  std::string text = quoted(first);
  text.pop_back();
  return text + "\\n" + quoted(second).substr(1);
}

class DotWriter {
 public:
  explicit DotWriter(const Block& block) : block_(block), producer_(block.vars.size(), -1) {}

  std::string run() {
    append(
        "digraph program {{\n  node [fontname=\"Helvetica\", style=filled];\n"
        "  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (std::size_t i = 0; i < block_.vars.size(); ++i) write_var(i);
    for (std::size_t i = 0; i < block_.ops.size(); ++i) write_operator(i);
    for (std::size_t i = 0; i < block_.results.size(); ++i) {
      append("  result_{} [shape=ellipse, fillcolor=\"#ffffff\", label=\"result\"];\n", i);
      write_edge(block_.results[i], fmt::format("result_{}", i));
    }
    append("}}\n");
    return fmt::to_string(out_);
  }

 private:
  template <class... Args>
  void append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void write_var(std::size_t index) {
    const VarDesc& var = block_.vars[index];
    if (!var.is_data && !var.persistable) return;
    append("  var_{} [shape={}, fillcolor=\"#f5f5f5\", label={}];\n", index,
           var.persistable ? "cylinder" : "ellipse", label(var.name, type_text(var.type)));
  }

  void write_operator(std::size_t index) {
    const Operator& op = block_.ops[index];
    std::string title = op.guard.empty() ? op.type() : fmt::format("{} @{}", op.type(), op.guard);
    if (!op.blocks.empty()) title += fmt::format(" ({} blocks)", op.blocks.size());
    append("  op_{} [shape=box, fillcolor=\"{}\", label={}];\n", index,
           kFillColors[static_cast<std::size_t>(op.role)], label(title, op.name));
    const std::string node = fmt::format("op_{}", index);
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) write_edge(id, node);
    }
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) write_output(id, static_cast<std::int64_t>(index));
    }
  }

  void write_output(VarId id, std::int64_t op) {
    if (block_.var(id).persistable) {
      append("  op_{} -> var_{} [style=dashed];\n", op, id);
    } else {
      producer_[static_cast<std::size_t>(id)] = op;
    }
  }

  void write_edge(VarId id, const std::string& target) {
    const VarDesc& var = block_.var(id);
    const std::int64_t op = producer_[static_cast<std::size_t>(id)];
    if (op < 0) {
      append("  var_{} -> {};\n", id, target);
    } else {
      append("  op_{} -> {} [label={}];\n", op, target, label(var.name, type_text(var.type)));
    }
  }

  const Block& block_;
  std::vector<std::int64_t> producer_;
  fmt::memory_buffer out_;
};

}  // namespace

std::string to_dot(const ProgramImpl& program) { return DotWriter(program.main()).run(); }

}  // namespace loci::program
