#include "tools/loci/ops/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/loci/failure.h"
#include "tools/loci/text_table.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kForms{Form::kDirect, Form::kInPart, Form::kComposed, Form::kAbsent};

std::array<Standard, 2> standards() {
  return {
      {{"onnx", "ONNX, opset 28", onnx_ops()}, {"aten", "core ATen, PyTorch 2.15", aten_ops()}}};
}

const char* name_of(Form form) {
  switch (form) {
    case Form::kDirect: return "direct";
    case Form::kInPart: return "in part";
    case Form::kComposed: return "composed";
    case Form::kAbsent: break;
  }
  return "absent";
}

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> result;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    result.emplace_back(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
  }
  return result;
}

std::ptrdiff_t count_of(const std::vector<Covered>& rows, Form form) {
  return std::ranges::count(rows, form, &Covered::form);
}

}  // namespace

Standard standard_of(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Standard& standard : standards()) {
    if (standard.name == name) return standard;
    names.push_back(standard.name);
  }
  throw Failure(ExitCode::kUsage, fmt::format("there is no list of ops '{}' to compare with; it is "
                                              "one of {}",
                                              name, fmt::join(names, ", ")));
}

std::vector<Covered> coverage(std::span<const StandardOp> standard,
                              const std::set<std::string>& present) {
  std::vector<Covered> rows;
  for (const StandardOp& op : standard) {
    Covered row{std::string(op.name), op.form, split(op.ops), std::string(op.note)};
    const auto lacking = std::ranges::find_if(
        row.by, [&](const std::string& name) { return !present.contains(name); });
    if (lacking != row.by.end()) {
      row.form = Form::kAbsent;
      row.note = fmt::format("there is no op {}", *lacking);
      row.by.clear();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string coverage_text(const Standard& standard, const std::vector<Covered>& rows) {
  TextTable table({"operator", "form", "by", "note"});
  for (const Covered& row : rows) {
    table.add({row.name, name_of(row.form), fmt::format("{}", fmt::join(row.by, ", ")), row.note});
  }
  std::string counts;
  for (const Form form : kForms) {
    counts +=
        fmt::format("{}{} {}", counts.empty() ? "" : ", ", count_of(rows, form), name_of(form));
  }
  return fmt::format("{}\n{}: {} operators, {}\n", table.to_string(), standard.title, rows.size(),
                     counts);
}

Json coverage_json(const Standard& standard, const std::vector<Covered>& rows) {
  Json counts = Json::object();
  for (const Form form : kForms) counts[name_of(form)] = count_of(rows, form);
  Json ops = Json::array();
  for (const Covered& row : rows) {
    ops.push_back({{"name", row.name},
                   {"form", name_of(row.form)},
                   {"by", row.by},
                   {"note", row.note.empty() ? Json() : Json(row.note)}});
  }
  return {{"standard", standard.title}, {"counts", counts}, {"ops", ops}};
}

}  // namespace loci::runner
