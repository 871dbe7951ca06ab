#include "framework/program/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <loci/plugin/terminal_text.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/program/printer.h"

namespace loci::program {

std::string dot_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : sdk::terminal_text(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

namespace {

// The colours of operators, by role.
constexpr std::array<const char*, 4> kFillColors{"#e3f2fd", "#ffebee", "#fff8e1", "#e8f5e9"};

// Two lines; "\n" is an escape of the language.
std::string label(std::string_view first, std::string_view second) {
  std::string text = dot_string(first);
  text.pop_back();
  return text + "\\n" + dot_string(second).substr(1);
}

// Nodes of a block within another one have a prefix of their own.
class DotWriter {
 public:
  DotWriter(const Block& block, std::string prefix, fmt::memory_buffer& out)
      : block_(block), prefix_(std::move(prefix)), out_(out), producer_(block.vars.size(), -1) {}

  void write() {
    for (std::size_t i = 0; i < block_.vars.size(); ++i) write_var(i);
    for (std::size_t i = 0; i < block_.ops.size(); ++i) write_operator(i);
    for (std::size_t i = 0; i < block_.results.size(); ++i) {
      append("  {}result_{} [shape=ellipse, fillcolor=\"#ffffff\", label=\"result\"];\n", prefix_,
             i);
      write_edge(block_.results[i], fmt::format("{}result_{}", prefix_, i));
    }
  }

 private:
  template <class... Args>
  void append(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  [[nodiscard]] bool is_given(std::size_t index) const {
    const VarDesc& var = block_.vars[index];
    const auto& taken = block_.arguments;
    return var.is_data || var.persistable ||
           std::find(taken.begin(), taken.end(), static_cast<VarId>(index)) != taken.end();
  }

  void write_var(std::size_t index) {
    if (!is_given(index)) return;
    const VarDesc& var = block_.vars[index];
    append("  {}var_{} [shape={}, fillcolor=\"#f5f5f5\", label={}];\n", prefix_, index,
           var.persistable ? "cylinder" : "ellipse", label(var.name, type_text(var.type)));
  }

  void write_operator(std::size_t index) {
    const Operator& op = block_.ops[index];
    const std::string title =
        op.guard.empty() ? op.type() : fmt::format("{} @{}", op.type(), op.guard);
    const std::string node = fmt::format("{}op_{}", prefix_, index);
    append("  {} [shape=box, fillcolor=\"{}\", label={}];\n", node,
           kFillColors[static_cast<std::size_t>(op.role)], label(title, op.name));
    for (const Slot& slot : op.inputs) {
      for (const VarId id : slot) write_edge(id, node);
    }
    for (const Slot& slot : op.outputs) {
      for (const VarId id : slot) write_output(id, static_cast<std::int64_t>(index));
    }
    for (std::size_t i = 0; i < op.blocks.size(); ++i) {
      const std::string inner = fmt::format("{}_block_{}_", node, i);
      append("  subgraph cluster_{} {{\n  label={};\n", inner,
             dot_string(fmt::format("{} block {}", op.name, i)));
      DotWriter(*op.blocks[i], inner, out_).write();
      append("  }}\n");
    }
  }

  void write_output(VarId id, std::int64_t op) {
    if (block_.var(id).persistable) {
      append("  {0}op_{1} -> {0}var_{2} [style=dashed];\n", prefix_, op, id);
    } else {
      producer_[static_cast<std::size_t>(id)] = op;
    }
  }

  void write_edge(VarId id, const std::string& target) {
    const VarDesc& var = block_.var(id);
    const std::int64_t op = producer_[static_cast<std::size_t>(id)];
    if (op < 0) {
      append("  {}var_{} -> {};\n", prefix_, id, target);
    } else {
      append("  {}op_{} -> {} [label={}];\n", prefix_, op, target,
             label(var.name, type_text(var.type)));
    }
  }

  const Block& block_;
  std::string prefix_;
  fmt::memory_buffer& out_;
  std::vector<std::int64_t> producer_;
};

}  // namespace

std::string to_dot(const ProgramImpl& program) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out),
                 "digraph program {{\n  node [fontname=\"Helvetica\", style=filled];\n"
                 "  edge [fontname=\"Helvetica\", fontsize=10];\n");
  DotWriter(program.main(), "", out).write();
  fmt::format_to(std::back_inserter(out), "}}\n");
  return fmt::to_string(out);
}

}  // namespace loci::program
