// A module has this form after loading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/ptx/instruction.h"
#include "tools/cuda_double/ptx/module.h"
#include "tools/cuda_double/ptx/run/collective.h"
#include "tools/cuda_double/ptx/syntax.h"

namespace loci::cuda_double {

// Where an instruction stands.
struct Place {
  std::uint32_t ptx_line = 0;
  std::uint32_t location = 0;  // 1 + its number in FunctionCode::locations; 0: none
  std::string_view text;
};

// A parameter or result of a device function: a register of its frame, or bytes of its local
// memory.
struct Formal {
  RegisterRef reg = kNoRegister;
  std::uint32_t local_offset = 0;
  std::uint32_t bytes = 0;
};

// Registers as they are declared, for messages.
struct RegisterRange {
  RegisterRef first = kNoRegister;
  std::uint32_t count = 1;
  std::uint32_t stride = kRegisterUnit;
  bool numbered = false;
  std::string name;
};

struct CallTarget {
  const FunctionCode* callee = nullptr;  // NULL: through a register, the last source
  std::vector<Formal> arguments;         // of the caller
  std::vector<Formal> results;
};

struct FunctionCode {
  std::string name;
  std::uint32_t line = 0;
  bool is_entry = false;
  bool is_defined = false;
  bool is_cluster = false;
  FunctionAttributes attributes;
  std::vector<ParameterLayout> parameters;
  std::vector<Formal> formals;                 // of a device function
  std::vector<Formal> result_formals;          // the same
  std::vector<std::uint32_t> parameter_sizes;  // in bytes, known before it is translated
  std::vector<std::uint32_t> result_sizes;

  std::vector<Instruction> code;
  std::vector<RegisterRef> operands;  // what the instructions point into
  std::vector<std::byte> constants;   // aligned by its allocator to 16 bytes
  std::vector<Place> places;
  std::vector<LocationSyntax> locations;
  const std::map<std::uint32_t, std::string>* files = nullptr;
  std::deque<CallTarget> calls;
  std::deque<std::vector<std::uint32_t>> branch_tables;
  std::vector<RegisterRange> register_ranges;
  std::uint32_t register_bytes = 0;
  std::uint32_t frame_local_bytes = 0;  // without what it calls
  std::uint32_t stack_bytes = 0;        // with it; recursion counts to a depth
  std::uint64_t handle = 0;             // its address, for calls through registers
  std::vector<const FunctionCode*> callees;
  bool calls_indirectly = false;
  bool waits_for_grids = false;  // has griddepcontrol.wait
  bool uses_module_shared = false;
  bool has_shared_variables = false;
  std::vector<UnsupportedForm> unsupported;
  std::deque<std::string> reasons;  // of these
  std::deque<CollectiveOperation> collectives;
};

struct ModuleCode {
  std::string name;
  std::vector<std::unique_ptr<const std::string>> texts;  // that places look into
  std::deque<FunctionCode> functions;
  std::vector<Function> kernels;
  std::map<std::string, Variable, std::less<>> variables;
  std::vector<std::string> opcode_names;
  std::deque<std::map<std::uint32_t, std::string>> files;  // of each text
  std::map<std::uint64_t, const FunctionCode*> functions_by_handle;
  std::vector<std::uint64_t> allocations;
  DeviceMemory* memory = nullptr;
  std::string made_by;
};

// "file.cu:12" for what the place says; the outermost one of what is inlined, whose own place comes
// in `inlined`.
struct SourceLine {
  std::string source;
  std::string inlined;
};
[[nodiscard]] SourceLine source_line(const FunctionCode& function, std::uint32_t place);

// Without line ends, and cut where it is long.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace loci::cuda_double
