// From the syntax of texts to a module's code: names are resolved, variables get their addresses.
#pragma once

#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/cuda_double/ptx/code.h"
#include "tools/cuda_double/ptx/ptx_error.h"
#include "tools/cuda_double/ptx/symbols.h"
#include "tools/cuda_double/ptx/syntax.h"

namespace loci::cuda_double {

class Linker {
 public:
  Linker(ModuleCode& module, const Module::Options& options) : module_(module), options_(options) {}

  // Throws PtxError.
  void link(const std::vector<UnitSyntax>& units);

 private:
  struct Defined {
    const FunctionSyntax* syntax;
    FunctionCode* code;
    std::size_t unit;
  };

  void check_target(const UnitSyntax& unit) const;
  void declare_variables(const UnitSyntax& unit, UnitSymbols& symbols);
  [[nodiscard]] SymbolValue place_variable(const VariableSyntax& variable);
  void declare_functions(const UnitSyntax& unit, std::size_t number, UnitSymbols& symbols);
  [[nodiscard]] FunctionCode& add_function(const FunctionSyntax& syntax, std::size_t unit);
  void define(const FunctionSyntax& syntax, FunctionCode& code, std::size_t unit);
  void resolve_externs(const UnitSyntax& unit, UnitSymbols& symbols);
  void initialise(const UnitSyntax& unit, const UnitSymbols& symbols);
  void initialise(const VariableSyntax& variable, const UnitSymbols& symbols);
  void translate(bool entries);
  void finish_functions();
  void publish();
  [[noreturn]] void fail(PtxError::Kind kind, std::uint32_t line, const std::string& message) const;

  ModuleCode& module_;
  const Module::Options& options_;
  std::vector<UnitSymbols> symbols_;
  std::map<std::string_view, SymbolValue> visible_variables_;
  std::map<std::string_view, FunctionCode*> visible_functions_;
  std::vector<Defined> defined_;
  std::uint32_t shared_bytes_ = 0;
};

}  // namespace loci::cuda_double
