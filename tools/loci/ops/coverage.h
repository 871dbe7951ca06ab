// This compares the ops of this library with the operators of a standard.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace loci::runner {

// How an operator of a standard is computed.
enum class Form {
  kDirect,    // one op, or a trivial call of a few, does all that the standard says
  kInPart,    // an op does the usual forms; a note tells what it lacks
  kComposed,  // a fixed expression of ops gives the result, maybe slowly
  kAbsent,
};

// One operator of a standard. The form holds where all of `ops` exist.
struct StandardOp {
  std::string_view name;
  Form form;
  std::string_view ops;  // separated by commas; empty if none can do it
  std::string_view note;
};

// Each list is sorted by name.
[[nodiscard]] std::span<const StandardOp> onnx_ops();
[[nodiscard]] std::span<const StandardOp> aten_ops();

// A standard by the name that the command line has for it.
struct Standard {
  std::string_view name;
  std::string_view title;
  std::span<const StandardOp> ops;
};
// Throws Failure(kUsage) that lists the names for another one.
[[nodiscard]] Standard standard_of(const std::string& name);

// One row of the comparison.
struct Covered {
  std::string name;
  Form form;
  std::vector<std::string> by;
  std::string note;  // what the form lacks, or the op that does not exist
};

// An operator is absent as soon as one of its ops is not in `present`.
[[nodiscard]] std::vector<Covered> coverage(std::span<const StandardOp> standard,
                                            const std::set<std::string>& present);

[[nodiscard]] std::string coverage_text(const Standard& standard, const std::vector<Covered>& rows);
// The object has standard, counts by form, and ops with name, form, by and note.
[[nodiscard]] nlohmann::ordered_json coverage_json(const Standard& standard,
                                                   const std::vector<Covered>& rows);

}  // namespace loci::runner
