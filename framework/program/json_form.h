// The file form of programs: JSON, versioned, with one variable or operator a line.
//
//   {"format": "loci.program", "format_version": 1, "producer": "loci 0.1.0",
//    "ops": {"relu": 1}, "plugins": {},
//    "main": {"variables": [{"name": "x", "dtype": "float32", "shape": [-1, 2], "data": true},
//    ...],
//             "operators": [{"type": "relu", "name": "relu_0", "inputs": {"x": ["x"]},
//                            "outputs": {"out": ["relu_0.out"]}, "attributes": {}}, ...],
//             "arguments": ["x"], "results": ["relu_0.out"], "next_random_offset": 0},
//    "startup": {...}, "weights": {...}}
//
// An operator of control flow has "blocks", each with "variables", "operators", "arguments" and
// "results" of its own; a variable of a dtype that only the run knows has the dtype "none". What
// the user has put somewhere has a "guard": "sim:1" under a DeviceGuard, and "~sim:1" for which the
// CPU may stand in; see guard_text.h.
//
// "ops" has the version of each op that is used, and "plugins" the id of the plugin of each one
// that a plugin brings, so that a reader without that plugin can name it. An attribute says its
// kind:
// {"bool": true}, "int", "float" (also "inf", "-inf" and "nan"), "string", "dtype", "ints",
// "floats", "strings". Members that are false, empty or zero may be left out, and so may "startup".
// "weights" is in the program file of a directory; see weights_record.h.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "framework/program/program_impl.h"
#include "framework/program/weights_record.h"

namespace loci::program {

// A larger text is refused.
inline constexpr std::size_t kMostJsonBytes = std::size_t{64} << 20;

// Without the weights' record. Deterministic. Throws Error(kInvalidArgument) if a name is not
// UTF-8.
std::string to_json(const ProgramImpl& main, const ProgramImpl* startup);

struct ParsedPrograms {
  std::shared_ptr<ProgramImpl> main;
  std::shared_ptr<ProgramImpl> startup;  // null if the file has none
  WeightsRecord weights;
};

// The text is not trusted: whatever is in it, this gives valid programs or throws Error(kDataLoss):
// "[program] <file>: <path in the JSON>: <reason; remedy>". `file` is for messages only.
ParsedPrograms from_json(std::string_view text, const std::string& file);

}  // namespace loci::program
