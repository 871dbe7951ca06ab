#include "tools/loci/ops/op_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace loci::runner {
namespace {

using Parts = std::vector<std::string>;

std::string list_of(const std::vector<DType>& dtypes) {
  Parts names;
  for (const DType dtype : dtypes) names.emplace_back(dtype_name(dtype));
  return fmt::format("{}", fmt::join(names, ", "));
}

// Lists what differs from a required argument on the device.
Parts form_parts(const std::string& arity, const std::string& residence) {
  Parts parts;
  if (arity != "required") parts.push_back(arity);
  if (residence == "host") parts.emplace_back("on the host");
  if (residence == "metadata") parts.emplace_back("only dtype and shape are read");
  if (residence == "either") parts.emplace_back("on the device or the host");
  return parts;
}

Parts told(const inspect::OpInput& input) {
  Parts parts = form_parts(input.arity, input.residence);
  if (input.gives_extents) parts.emplace_back("gives extents of outputs");
  if (input.decides) parts.emplace_back("decides what runs");
  parts.push_back(list_of(input.dtypes));
  return parts;
}

Parts told(const inspect::OpOutput& output) {
  Parts parts = form_parts(output.arity, output.residence);
  if (!output.dtype.empty()) parts.insert(parts.begin(), output.dtype);
  if (!output.updates.empty()) parts.push_back("the memory of input " + output.updates);
  if (output.extent == "host_values") parts.emplace_back("extents from values on the host");
  if (!output.count.empty()) {
    parts.push_back("bounded: the kernel writes its extent to " + output.count);
  }
  return parts;
}

Parts told(const inspect::OpAttribute& attribute) {
  Parts parts{attribute.kind};
  parts.push_back(attribute.default_value ? "default " + to_string(*attribute.default_value)
                                          : "required");
  if (attribute.minimum) parts.push_back("from " + to_string(*attribute.minimum));
  if (attribute.maximum) parts.push_back("up to " + to_string(*attribute.maximum));
  if (!attribute.choices.empty()) {
    parts.push_back(fmt::format("one of {}", fmt::join(attribute.choices, ", ")));
  }
  if (!attribute.meaning.empty()) parts.push_back(attribute.meaning);
  return parts;
}

template <class Slots>
std::string slots_text(const char* label, const Slots& slots) {
  std::size_t width = 0;
  for (const auto& slot : slots) width = std::max(width, slot.name.size());
  std::string text;
  for (const auto& slot : slots) {
    std::string line =
        fmt::format("  {:<10}{:<{}}  {}", label, slot.name, width, fmt::join(told(slot), "; "));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string gradient_text(const inspect::Op& op) {
  if (!op.is_differentiable) return "none";
  if (!op.plugin.empty()) return "yes, by ops that the plugin does not tell";
  if (op.is_control_flow) return "yes, by control flow";
  if (op.gradient_ops.empty()) return "yes, without further ops";
  return fmt::format("by {}", fmt::join(op.gradient_ops, ", "));
}

std::string line(const char* label, const std::string& text) {
  return fmt::format("  {:<10}{}\n", label, text);
}

}  // namespace

std::string op_text(const inspect::Op& op) {
  std::string text = fmt::format("{}, version {}{}\n", op.name, op.version,
                                 op.plugin.empty() ? "" : fmt::format(", of {}", op.plugin));
  if (!op.meaning.empty()) text += line("computes", op.meaning);
  if (!op.accuracy.empty()) text += line("accuracy", op.accuracy);
  text += slots_text("input", op.inputs);
  text += slots_text("output", op.outputs);
  text += slots_text("attribute", op.attributes);
  text += line("gradient", gradient_text(op));
  text += line("cost", op.states_cost ? "FLOPs and bytes of its own"
                                      : "a FLOP for each element, the bytes of all arguments");
  if (op.is_decomposable)
    text += line("without", "a kernel of a device, it runs there as other ops");
  if (op.is_random) text += line("random", "draws by state and offset");
  if (op.is_control_flow) text += line("kernel", "none: the core does what it says");
  if (!op.not_capturable.empty()) text += line("capture", "not possible: " + op.not_capturable);
  return text;
}

}  // namespace loci::runner
