// PTX as it is written, before names have a meaning. All views are into the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/cuda_double/ptx/dim3.h"
#include "tools/cuda_double/ptx/scalar_type.h"

namespace loci::cuda_double {

struct OperandSyntax {
  enum class Kind : std::uint8_t {
    kName,
    kInteger,
    kSingle,   // value: bits of a float
    kDouble,   // value: bits of a double
    kAddress,  // [name + value] or [value]
    kVector,   // {parts}
    kList,     // (parts), of a call
    kSink,     // _
  };
  Kind kind = Kind::kSink;
  std::string_view name;    // empty in [value]
  std::string_view second;  // the predicate of "r|p"
  std::uint64_t value = 0;
  bool negated = false;  // "!p"
  std::vector<OperandSyntax> parts;
};

struct InstructionSyntax {
  std::string_view text;    // without the guard and the semicolon
  std::string_view opcode;  // with all that hangs on it by dots
  std::string_view guard;   // a predicate's name, or empty
  bool guard_negated = false;
  std::vector<OperandSyntax> operands;
};

enum class StateSpace : std::uint8_t {
  kGeneric,
  kGlobal,
  kConst,
  kShared,
  kLocal,
  kParam,
  kRegister
};

// An initial value: a number as its bits, or the address of a symbol.
struct Initialiser {
  ScalarType type = ScalarType::kB8;
  std::uint64_t value = 0;
  std::string_view symbol;
  bool generic = false;     // generic(symbol)
  std::uint64_t shift = 0;  // mask() takes the byte from here
  bool masked = false;
};

struct VariableSyntax {
  std::string_view name;
  StateSpace space = StateSpace::kGeneric;
  ScalarType type = ScalarType::kB8;
  std::uint32_t vector = 1;
  std::uint32_t alignment = 0;  // 0: the type's
  std::uint64_t count = 1;      // of elements of `type`, times `vector`
  bool is_unsized = false;      // extern shared
  std::uint32_t numbered = 0;   // "%r<8>": 8 registers; 0: one of this name
  std::vector<Initialiser> values;
  std::uint32_t line = 0;
  bool is_extern = false;
  bool is_visible = false;  // .visible, .weak or .common

  [[nodiscard]] std::uint64_t bytes() const { return count * vector * type_bytes(type); }
  [[nodiscard]] std::uint32_t aligned_to() const {
    return alignment != 0 ? alignment : type_bytes(type) * vector;
  }
};

struct LabelSyntax {
  std::string_view name;
};
struct ScopeBegin {};
struct ScopeEnd {};
// "label: .branchtargets a, b;"
struct BranchTargets {
  std::string_view name;
  std::vector<std::string_view> labels;
};
struct LocationSyntax {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool is_inlined = false;
  std::uint32_t at_file = 0;
  std::uint32_t at_line = 0;
  std::uint32_t at_column = 0;
};
struct PrototypeSyntax;

struct Statement {
  std::uint32_t line = 0;
  std::variant<InstructionSyntax, VariableSyntax, LabelSyntax, ScopeBegin, ScopeEnd, BranchTargets,
               LocationSyntax, std::shared_ptr<const PrototypeSyntax>>
      what;
};

struct FunctionSyntax {
  std::string_view name;
  std::uint32_t line = 0;
  bool is_entry = false;
  bool is_declaration = true;
  bool is_visible = false;
  std::vector<VariableSyntax> results;
  std::vector<VariableSyntax> parameters;
  std::vector<Statement> body;
  std::optional<Dim3> max_block;       // .maxntid
  std::optional<Dim3> required_block;  // .reqntid
  std::uint32_t min_blocks = 0;        // .minnctapersm
  bool is_cluster = false;             // .reqnctapercluster and the like
};

// "name: .callprototype (...) _ (...);", for calls through a register.
struct PrototypeSyntax {
  FunctionSyntax function;
};

struct FileSyntax {
  std::uint32_t number = 0;
  std::string_view path;
};

struct UnitSyntax {
  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  std::uint32_t target = 0;  // 90 of sm_90a
  std::vector<VariableSyntax> variables;
  std::vector<FunctionSyntax> functions;
  std::vector<FileSyntax> files;
  std::vector<std::pair<std::string_view, std::string_view>> aliases;
};

}  // namespace loci::cuda_double
