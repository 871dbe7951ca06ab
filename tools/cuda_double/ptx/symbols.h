// Resolves names outside and inside functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "tools/cuda_double/ptx/code.h"

namespace loci::cuda_double {

struct RegisterInfo {
  RegisterRef ref = kNoRegister;
  ScalarType type = ScalarType::kB32;
};

struct LocalVariable {
  StateSpace space = StateSpace::kLocal;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool is_dynamic = false;  // begins behind the static shared memory
};

// The address that a name stands for, in its own space.
struct SymbolValue {
  StateSpace space = StateSpace::kGlobal;
  std::uint64_t address = 0;
  bool is_dynamic = false;
};

// The names of one text, with what others give it.
struct UnitSymbols {
  std::map<std::string_view, SymbolValue> variables;
  std::map<std::string_view, const FunctionCode*> functions;
  std::uint32_t* shared_bytes = nullptr;  // of the module's and the device functions' variables
};

}  // namespace loci::cuda_double
