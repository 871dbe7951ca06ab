#include "framework/io/program_state.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "framework/core/file_error.h"
#include "framework/core/listed.h"
#include "framework/core/quote.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

using program::ProgramImpl;
using program::VarDesc;
using program::VarId;

constexpr std::size_t kMostNamed = 10;

// "'a', 'b' and 3 more".
std::string listed(const std::vector<std::string>& texts) {
  return core::listed(texts, kMostNamed);
}

std::vector<std::string> quoted(const std::vector<std::string>& names) {
  std::vector<std::string> result;
  result.reserve(names.size());
  for (const std::string& name : names) result.push_back(core::quote(name));
  return result;
}

bool contains(const std::vector<program::Slot>& slots, VarId id) {
  return std::any_of(slots.begin(), slots.end(), [id](const program::Slot& slot) {
    return std::find(slot.begin(), slot.end(), id) != slot.end();
  });
}

// Without it a run starts from the seed.
bool is_random_state(const VarDesc& var) { return var.name == program::kRandomStateName; }

bool fits(const VarDesc& var, DType dtype, const Shape& shape) {
  const Shape& declared = var.type.shape;
  if (var.type.dtype != dtype || declared.rank() != shape.rank()) return false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (declared[axis] != kDynamicDim && declared[axis] != shape[axis]) return false;
  }
  return true;
}

std::string mismatch(const VarDesc& var, DType dtype, const Shape& shape) {
  return fmt::format("is {} {}, but the program declares {} {}", dtype_name(dtype),
                     shape.to_string(), dtype_name(var.type.dtype), var.type.shape.to_string());
}

std::vector<std::string> described(const std::vector<LoadReport::Mismatch>& mismatched) {
  std::vector<std::string> texts;
  texts.reserve(mismatched.size());
  for (const LoadReport::Mismatch& each : mismatched) {
    texts.push_back(fmt::format("{} {}", core::quote(each.name), each.reason));
  }
  return texts;
}

// Returns the prefix that the file has before the program's names; empty if that is not the fault.
std::string common_prefix(const LoadReport& report) {
  if (report.missing.empty()) return {};
  const std::set<std::string_view> unexpected(report.unexpected.begin(), report.unexpected.end());
  const std::string& first = report.missing.front();
  for (const std::string_view name : unexpected) {
    if (name.size() <= first.size() || name.substr(name.size() - first.size()) != first) continue;
    const std::string prefix(name.substr(0, name.size() - first.size()));
    const bool fits_all = std::all_of(
        report.missing.begin(), report.missing.end(),
        [&](const std::string& missing) { return unexpected.count(prefix + missing) != 0; });
    if (fits_all) return prefix;
  }
  return {};
}

std::string remedy(const LoadReport& report) {
  const std::string prefix = common_prefix(report);
  if (prefix.empty()) return "use the weights that were saved with it";
  return fmt::format("the file has {0} before these names: give load_parameters() the prefix {0}",
                     core::quote(prefix));
}

// One line for each name, so that a script finds them all.
std::string details(const LoadReport& report) {
  std::string text;
  for (const std::string& name : quoted(report.missing)) text += fmt::format("missing {}\n", name);
  for (const std::string& name : quoted(report.unexpected)) {
    text += fmt::format("unexpected {}\n", name);
  }
  for (const std::string& line : described(report.mismatched)) text += fmt::format("{}\n", line);
  return text;
}

}  // namespace

std::vector<const VarDesc*> state_of(const ProgramImpl& program) {
  const program::Block& block = program.main();
  std::vector<bool> made(block.vars.size());
  for (const program::Operator& op : block.ops) {
    for (const program::Slot& slot : op.outputs) {
      for (const VarId id : slot) {
        if (id == program::kNoVar || contains(op.inputs, id)) continue;
        made[static_cast<std::size_t>(id)] = true;
      }
    }
  }
  std::vector<const VarDesc*> state;
  for (std::size_t i = 0; i < block.vars.size(); ++i) {
    if (block.vars[i].persistable && !made[i]) state.push_back(&block.vars[i]);
  }
  return state;
}

NamedTensors gather_state(const ProgramImpl& program, const Scope& scope, bool with_random_state,
                          const std::string& path) {
  NamedTensors weights;
  std::vector<std::string> missing;
  for (const VarDesc* var : state_of(program)) {
    if (is_random_state(*var) && !(with_random_state && scope.has(var->name))) continue;
    if (!scope.has(var->name)) {
      missing.push_back(var->name);
      continue;
    }
    const Tensor tensor = scope.find(var->name);
    if (!fits(*var, tensor.dtype(), tensor.shape())) {
      core::raise_file_error(ErrorCode::kInvalidArgument, path, core::quote(var->name), "{}",
                             mismatch(*var, tensor.dtype(), tensor.shape()));
    }
    weights.emplace(var->name, tensor);
  }
  if (missing.empty()) return weights;
  core::raise_file_error(ErrorCode::kNotFound, path, listed(quoted(missing)),
                         "not in the scope; run the startup program first");
}

LoadReport compare_state(const ProgramImpl& program, const std::vector<SafetensorsEntry>& entries) {
  std::map<std::string_view, const VarDesc*> expected;
  for (const VarDesc* var : state_of(program)) expected.emplace(var->name, var);
  LoadReport report;
  std::set<std::string_view> present;
  for (const SafetensorsEntry& entry : entries) {
    const bool is_first = present.insert(entry.name).second;
    const auto found = expected.find(entry.name);
    if (!is_first || found == expected.end()) {
      report.unexpected.push_back(entry.name);
    } else if (!fits(*found->second, entry.dtype, entry.shape)) {
      report.mismatched.push_back({entry.name, mismatch(*found->second, entry.dtype, entry.shape)});
    } else {
      report.loaded.push_back(entry.name);
    }
  }
  for (const auto& [name, var] : expected) {
    if (present.count(name) == 0 && !is_random_state(*var)) report.missing.emplace_back(name);
  }
  return report;
}

void require_fit(const LoadReport& report, const std::string& path, std::string_view program) {
  if (report.fits()) return;
  std::vector<std::string> parts;
  if (!report.missing.empty()) {
    parts.push_back(fmt::format("missing {}", listed(quoted(report.missing))));
  }
  if (!report.unexpected.empty()) {
    parts.push_back(fmt::format("unexpected {}", listed(quoted(report.unexpected))));
  }
  if (!report.mismatched.empty()) parts.push_back(listed(described(report.mismatched)));
  throw Error(ErrorCode::kDataLoss,
              fmt::format("[io] {}: tensors: do not fit {}: {}; {}", path, program,
                          fmt::join(parts, "; "), remedy(report)),
              details(report));
}

}  // namespace io
}  // namespace v0
}  // namespace loci
