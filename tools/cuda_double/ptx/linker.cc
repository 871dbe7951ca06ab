#include "tools/cuda_double/ptx/linker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/cuda_double/ptx/estimates.h"
#include "tools/cuda_double/ptx/flow_graph.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

// Where functions have their addresses: no memory is there.
constexpr std::uint64_t kFunctionWindow = std::uint64_t{4} << kWindowShift;
constexpr std::uint64_t kFunctionStep = 16;
constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostParameterBytes = 32764;  // of a kernel, since ISA 8.1

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

void Linker::fail(PtxError::Kind kind, std::uint32_t line, const std::string& message) const {
  throw PtxError(kind, options_.name, line, message);
}

void Linker::check_target(const UnitSyntax& unit) const {
  if (unit.target <= options_.compute_capability) return;
  fail(PtxError::Kind::kVersion, 1,
       fmt::format("is for sm_{}, and the device is sm_{}; compile for that", unit.target,
                   options_.compute_capability));
}

void Linker::link(const std::vector<UnitSyntax>& units) {
  symbols_.resize(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    check_target(units[i]);
    symbols_[i].shared_bytes = &shared_bytes_;
    module_.files.emplace_back();
    for (const FileSyntax& file : units[i].files) {
      module_.files.back()[file.number] = std::string(file.path);
    }
    declare_variables(units[i], symbols_[i]);
    declare_functions(units[i], i, symbols_[i]);
  }
  for (std::size_t i = 0; i < units.size(); ++i) resolve_externs(units[i], symbols_[i]);
  for (std::size_t i = 0; i < units.size(); ++i) initialise(units[i], symbols_[i]);
  // Shared variables of device functions come first, for all kernels alike.
  translate(false);
  translate(true);
  finish_functions();
  publish();
}

void Linker::declare_variables(const UnitSyntax& unit, UnitSymbols& symbols) {
  for (const VariableSyntax& variable : unit.variables) {
    const bool is_dynamic = variable.space == StateSpace::kShared && variable.is_unsized;
    if (variable.is_extern && !is_dynamic) continue;
    if (symbols.variables.count(variable.name) > 0) {
      fail(PtxError::Kind::kSyntax, variable.line,
           fmt::format("'{}' is declared twice", variable.name));
    }
    const auto known = visible_variables_.find(variable.name);
    const bool is_shared_name = variable.is_visible && known != visible_variables_.end();
    const SymbolValue value = is_shared_name ? known->second : place_variable(variable);
    symbols.variables[variable.name] = value;
    if (variable.is_visible) visible_variables_[variable.name] = value;
  }
}

SymbolValue Linker::place_variable(const VariableSyntax& variable) {
  const std::uint64_t bytes = variable.bytes();
  if (bytes > kMostVariableBytes) {
    fail(PtxError::Kind::kSyntax, variable.line,
         fmt::format("'{}' has {} bytes, which is too much", variable.name, bytes));
  }
  if (variable.space == StateSpace::kShared) {
    if (variable.is_unsized) return {StateSpace::kShared, 0, true};
    const std::uint32_t offset = align_up(shared_bytes_, variable.aligned_to());
    if (bytes > (1U << 24)) {
      fail(PtxError::Kind::kSyntax, variable.line, fmt::format("'{}' is too large", variable.name));
    }
    shared_bytes_ = offset + static_cast<std::uint32_t>(bytes);
    return {StateSpace::kShared, offset, false};
  }
  if (variable.space == StateSpace::kLocal) {
    fail(PtxError::Kind::kSyntax, variable.line,
         fmt::format("'{}': local variables stand in functions", variable.name));
  }
  const std::uint64_t address =
      module_.memory->allocate(bytes, MemoryKind::kVariable, options_.device,
                               fmt::format("variable {} of {}", variable.name, module_.made_by));
  module_.allocations.push_back(address);
  std::memset(reinterpret_cast<void*>(address), 0, bytes);
  module_.memory->mark_written(address, bytes);
  module_.variables[std::string(variable.name)] = {address, bytes,
                                                   variable.space == StateSpace::kConst};
  return {variable.space, address, false};
}

FunctionCode& Linker::add_function(const FunctionSyntax& syntax, std::size_t unit) {
  FunctionCode& code = module_.functions.emplace_back();
  code.name = syntax.name;
  code.line = syntax.line;
  code.is_entry = syntax.is_entry;
  code.handle = kFunctionWindow + module_.functions.size() * kFunctionStep;
  code.files = &module_.files[unit];
  for (const VariableSyntax& parameter : syntax.parameters) {
    code.parameter_sizes.push_back(static_cast<std::uint32_t>(parameter.bytes()));
  }
  for (const VariableSyntax& result : syntax.results) {
    code.result_sizes.push_back(static_cast<std::uint32_t>(result.bytes()));
  }
  module_.functions_by_handle[code.handle] = &code;
  return code;
}

void Linker::define(const FunctionSyntax& syntax, FunctionCode& code, std::size_t unit) {
  code.is_defined = true;
  code.is_cluster = syntax.is_cluster;
  defined_.push_back({&syntax, &code, unit});
  if (!syntax.is_entry) return;
  std::uint64_t end = 0;
  for (const VariableSyntax& parameter : syntax.parameters) {
    const std::uint64_t alignment = parameter.aligned_to();
    const std::uint64_t offset = (end + alignment - 1) / alignment * alignment;
    end = offset + parameter.bytes();
    if (end > kMostParameterBytes) {
      fail(PtxError::Kind::kSyntax, parameter.line,
           fmt::format("'{}' has more than {} bytes of parameters", syntax.name,
                       kMostParameterBytes));
    }
    code.parameters.push_back({static_cast<std::uint32_t>(offset),
                               static_cast<std::uint32_t>(parameter.bytes()),
                               static_cast<std::uint32_t>(alignment)});
  }
  code.attributes.parameter_bytes = static_cast<std::uint32_t>(end);
  code.attributes.min_blocks = syntax.min_blocks;
  code.attributes.required_block = syntax.required_block;
  const auto limit = syntax.required_block ? syntax.required_block : syntax.max_block;
  if (limit) {
    code.attributes.max_threads =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(1024, limit->count()));
  }
}

void Linker::declare_functions(const UnitSyntax& unit, std::size_t number, UnitSymbols& symbols) {
  for (const FunctionSyntax& syntax : unit.functions) {
    const auto known = symbols.functions.find(syntax.name);
    if (known == symbols.functions.end()) {
      symbols.functions[syntax.name] = &add_function(syntax, number);
    }
    if (syntax.is_declaration) continue;
    auto& code = const_cast<FunctionCode&>(*symbols.functions[syntax.name]);
    if (code.is_defined) {
      fail(PtxError::Kind::kSyntax, syntax.line,
           fmt::format("the function '{}' is defined twice", syntax.name));
    }
    const bool exported = syntax.is_visible || syntax.is_entry;
    if (exported && visible_functions_.count(syntax.name) > 0) continue;  // as weak ones may be
    define(syntax, code, number);
    if (exported) visible_functions_[syntax.name] = &code;
  }
}

void Linker::resolve_externs(const UnitSyntax& unit, UnitSymbols& symbols) {
  for (const VariableSyntax& variable : unit.variables) {
    if (!variable.is_extern || symbols.variables.count(variable.name) > 0) continue;
    const auto found = visible_variables_.find(variable.name);
    if (found == visible_variables_.end()) {
      fail(PtxError::Kind::kUnresolved, variable.line,
           fmt::format("nothing defines the external variable '{}'", variable.name));
    }
    symbols.variables[variable.name] = found->second;
  }
  for (auto& [name, code] : symbols.functions) {
    if (code->is_defined) continue;
    const auto found = visible_functions_.find(name);
    if (found != visible_functions_.end()) code = found->second;
  }
  for (const auto& [alias, name] : unit.aliases) {
    const auto found = symbols.functions.find(name);
    if (found != symbols.functions.end()) symbols.functions[alias] = found->second;
  }
}

void Linker::initialise(const UnitSyntax& unit, const UnitSymbols& symbols) {
  for (const VariableSyntax& variable : unit.variables) {
    if (!variable.values.empty()) initialise(variable, symbols);
  }
}

void Linker::initialise(const VariableSyntax& variable, const UnitSymbols& symbols) {
  const SymbolValue& place = symbols.variables.at(variable.name);
  if (place.space == StateSpace::kShared) {
    fail(PtxError::Kind::kSyntax, variable.line,
         fmt::format("'{}': shared memory has no initial value", variable.name));
  }
  const std::uint32_t bytes = type_bytes(variable.type);
  auto* at = reinterpret_cast<std::byte*>(place.address);
  for (const Initialiser& value : variable.values) {
    std::uint64_t bits = value.value;
    if (!value.symbol.empty()) {
      const auto target = symbols.variables.find(value.symbol);
      const auto function = symbols.functions.find(value.symbol);
      if (target == symbols.variables.end() && function == symbols.functions.end()) {
        fail(PtxError::Kind::kSyntax, variable.line,
             fmt::format("'{}' is not declared", value.symbol));
      }
      bits += target != symbols.variables.end() ? target->second.address : function->second->handle;
      if (value.masked) bits >>= value.shift;
    }
    std::memcpy(at, &bits, std::min<std::size_t>(bytes, sizeof(bits)));
    at += bytes;
  }
}

void Linker::translate(bool entries) {
  for (const Defined& defined : defined_) {
    if (defined.syntax->is_entry != entries) continue;
    Translator(module_, symbols_[defined.unit], *defined.syntax, *defined.code).translate();
    find_reconvergence(*defined.code);
  }
}

void Linker::finish_functions() {
  std::uint32_t constant_bytes = 0;
  for (const auto& [name, variable] : module_.variables) {
    if (variable.is_constant) constant_bytes += static_cast<std::uint32_t>(variable.bytes);
  }
  for (FunctionCode& function : module_.functions) {
    if (!function.is_defined) continue;
    FunctionAttributes& attributes = function.attributes;
    attributes.constant_bytes = constant_bytes;
    attributes.registers = estimate_registers(function);
    function.stack_bytes = stack_bytes(function);
    attributes.local_bytes = function.stack_bytes;
    if (uses_module_shared(function)) {
      attributes.static_shared_bytes = std::max(attributes.static_shared_bytes, shared_bytes_);
    }
  }
}

void Linker::publish() {
  for (const Defined& defined : defined_) {
    if (defined.syntax->is_entry) module_.kernels.emplace_back(module_, *defined.code);
  }
}

}  // namespace loci::cuda_double
