#include <fmt/format.h>

#include <loci/inspect_ops.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tools/loci/failure.h"
#include "tools/loci/ops/coverage.h"
#include "tools/loci/ops/op_text.h"
#include "tools/loci/output.h"
#include "tools/loci/plugins/plugin_options.h"
#include "tools/loci/subcommands.h"
#include "tools/loci/text_table.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

void declare_ops_command(po::options_description& options) {
  declare_plugin_options(options);
  options.add_options()("json",
                        "print one JSON object: ops, each with name, plugin, version, meaning, "
                        "accuracy, inputs, outputs, attributes, random, control_flow, states_cost, "
                        "decomposable, differentiable, gradient_ops, not_capturable");
  options.add_options()(
      "coverage", po::value<std::string>()->value_name("STANDARD"),
      "compare with the operators of a standard, onnx or aten: each is direct, in "
      "part, composed or absent; --json prints it so");
}

Json value_json(const Attribute& attribute) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DType>) {
          return dtype_name(value);
        } else {
          return value;
        }
      },
      static_cast<const AttributeValue&>(attribute));
}

Json value_json(const std::optional<Attribute>& attribute) {
  return attribute ? value_json(*attribute) : Json();
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json slot_json(const inspect::OpInput& input) {
  Json dtypes = Json::array();
  for (const DType dtype : input.dtypes) dtypes.push_back(dtype_name(dtype));
  return {{"name", input.name},
          {"dtypes", dtypes},
          {"arity", input.arity},
          {"residence", input.residence},
          {"gives_extents", input.gives_extents},
          {"decides", input.decides}};
}

Json slot_json(const inspect::OpOutput& output) {
  return {{"name", output.name},
          {"arity", output.arity},
          {"residence", output.residence},
          {"dtype", text_or_null(output.dtype)},
          {"extent", output.extent},
          {"updates", text_or_null(output.updates)},
          {"count", text_or_null(output.count)}};
}

Json slot_json(const inspect::OpAttribute& attribute) {
  return {{"name", attribute.name},
          {"kind", attribute.kind},
          {"meaning", attribute.meaning},
          {"required", !attribute.default_value},
          {"default", value_json(attribute.default_value)},
          {"minimum", value_json(attribute.minimum)},
          {"maximum", value_json(attribute.maximum)},
          {"choices", attribute.choices}};
}

template <class List>
Json slot_list_json(const List& list) {
  Json entries = Json::array();
  for (const auto& entry : list) entries.push_back(slot_json(entry));
  return entries;
}

Json op_json(const inspect::Op& op) {
  return {{"name", op.name},
          {"plugin", text_or_null(op.plugin)},
          {"version", op.version},
          {"meaning", op.meaning},
          {"accuracy", text_or_null(op.accuracy)},
          {"inputs", slot_list_json(op.inputs)},
          {"outputs", slot_list_json(op.outputs)},
          {"attributes", slot_list_json(op.attributes)},
          {"random", op.is_random},
          {"control_flow", op.is_control_flow},
          {"states_cost", op.states_cost},
          {"decomposable", op.is_decomposable},
          {"differentiable", op.is_differentiable},
          {"gradient_ops", op.gradient_ops},
          {"not_capturable", text_or_null(op.not_capturable)}};
}

std::string list_text(const std::vector<inspect::Op>& ops) {
  TextTable table({"op", "meaning"});
  for (const inspect::Op& op : ops) {
    table.add({op.name, op.plugin.empty() ? op.meaning
                                          : fmt::format("{}{}({})", op.meaning,
                                                        op.meaning.empty() ? "" : " ", op.plugin)});
  }
  return table.to_string();
}

ExitCode compare_with(const std::string& name, bool as_json) {
  const Standard standard = standard_of(name);
  std::set<std::string> present;
  for (const inspect::Op& op : in_phase(Phase::kOptions, [] { return inspect::ops(); })) {
    present.insert(op.name);
  }
  const std::vector<Covered> rows = coverage(standard.ops, present);
  if (as_json) {
    print_json(coverage_json(standard, rows));
  } else {
    print(coverage_text(standard, rows));
  }
  return ExitCode::kOk;
}

ExitCode run_ops_command(const po::variables_map& values) {
  apply_plugin_options(values);
  if (values.count("coverage") != 0) {
    if (values.count("name") != 0) {
      throw Failure(ExitCode::kUsage, "--coverage compares all ops; leave out the name of one");
    }
    return compare_with(values["coverage"].as<std::string>(), values.count("json") != 0);
  }
  const bool named = values.count("name") != 0;
  const std::vector<inspect::Op> ops = in_phase(Phase::kOptions, [&] {
    return named ? std::vector{inspect::op(values["name"].as<std::string>())} : inspect::ops();
  });
  if (values.count("json") != 0) {
    Json entries = Json::array();
    for (const inspect::Op& op : ops) entries.push_back(op_json(op));
    print_json({{"ops", entries}});
  } else {
    print(named ? op_text(ops.front()) : list_text(ops));
  }
  return ExitCode::kOk;
}

}  // namespace

Command ops_command() {
  Command command;
  command.name = "ops";
  command.summary = "Lists the ops, or tells what a kernel of one has to know.";
  command.positionals = {{"name", "NAME", /*required=*/false}};
  command.declare = declare_ops_command;
  command.notes =
      "Ops of plugins are listed with the plugin. 'gradient_ops' are those that the op's gradient "
      "may\n"
      "consist of: a device needs kernels of them too to train there; a plugin does not tell those "
      "of\n"
      "its ops. An op that is 'decomposable' runs as other ops where a device has no kernel of "
      "it.\n"
      "'accuracy' is how far floating results may be from the exact ones before they are rounded "
      "to the\n"
      "output's dtype, in roundoffs of the dtype computed in: 2^-24 for 16 bits and float32, "
      "2^-53 for\n"
      "float64. 'exact': they are rounded once. 'loci verify' holds kernels to it.\n\n" +
      exit_code_help();
  command.run = run_ops_command;
  return command;
}

}  // namespace loci::runner
