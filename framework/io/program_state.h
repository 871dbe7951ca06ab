// The persistable variables of a program, and what a file has of them.
#pragma once

#include <loci/io.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/io/safetensors_header.h"
#include "framework/program/program_impl.h"

namespace loci {
inline namespace v0 {
namespace io {

// The variables that a run finds in the scope. One that an operator makes anew, such as a value
// kept to be looked at, is no state of the program.
std::vector<const program::VarDesc*> state_of(const program::ProgramImpl& program);

// The program's state from the scope; random state only on demand, and if it is there. Throws
// Error(kNotFound) that names all that the scope lacks, and kInvalidArgument for one of another
// type; `path` is the file that is to be written.
NamedTensors gather_state(const program::ProgramImpl& program, const Scope& scope,
                          bool with_random_state, const std::string& path);

// Reports `entries` that fit the program's state as `loaded`. Random state may be missing: without
// it a run starts from the seed.
LoadReport compare_state(const program::ProgramImpl& program,
                         const std::vector<SafetensorsEntry>& entries);
// Throws Error(kDataLoss) that names all that does not fit, completely in its details. `program`
// says which program it is: "the program beside them".
void require_fit(const LoadReport& report, const std::string& path, std::string_view program);

}  // namespace io
}  // namespace v0
}  // namespace loci
