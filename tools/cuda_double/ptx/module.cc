#include "tools/cuda_double/ptx/module.h"

#include <algorithm>
#include <set>

#include "tools/cuda_double/ptx/code.h"
#include "tools/cuda_double/ptx/linker.h"
#include "tools/cuda_double/ptx/parser.h"

namespace loci::cuda_double {
namespace {

// The function and all that it calls, each once.
void collect(const FunctionCode& code, std::set<const FunctionCode*>& seen,
             std::vector<const FunctionCode*>& found) {
  if (!seen.insert(&code).second) return;
  found.push_back(&code);
  for (const FunctionCode* callee : code.callees) collect(*callee, seen, found);
}

std::vector<const FunctionCode*> with_callees(const FunctionCode& code) {
  std::set<const FunctionCode*> seen;
  std::vector<const FunctionCode*> found;
  collect(code, seen, found);
  return found;
}

void free_variables(ModuleCode& code) {
  for (const std::uint64_t address : code.allocations) {
    code.memory->free(address, "the end of " + code.made_by);
  }
  code.allocations.clear();
}

}  // namespace

const std::string& Function::name() const { return code_->name; }

const std::vector<ParameterLayout>& Function::parameters() const { return code_->parameters; }

const FunctionAttributes& Function::attributes() const { return code_->attributes; }

std::vector<UnsupportedForm> Function::unsupported() const {
  std::vector<UnsupportedForm> forms;
  for (const FunctionCode* code : with_callees(*code_)) {
    forms.insert(forms.end(), code->unsupported.begin(), code->unsupported.end());
  }
  return forms;
}

bool Function::waits_for_grids() const {
  const auto all = with_callees(*code_);
  return std::any_of(all.begin(), all.end(), [](const FunctionCode* code) {
    return code->waits_for_grids || code->calls_indirectly;
  });
}

Module::Module(std::unique_ptr<ModuleCode> code) : code_(std::move(code)) {}

Module::~Module() { free_variables(*code_); }

std::shared_ptr<const Module> Module::load(std::string_view text, DeviceMemory& memory,
                                           const Options& options) {
  return link(std::span(&text, 1), memory, options);
}

std::shared_ptr<const Module> Module::link(std::span<const std::string_view> texts,
                                           DeviceMemory& memory, const Options& options) {
  auto code = std::make_unique<ModuleCode>();
  code->name = options.name;
  code->made_by = options.made_by;
  code->memory = &memory;
  // From here on it is freed with what it has allocated.
  const std::shared_ptr<Module> module(new Module(std::move(code)));
  std::vector<UnitSyntax> units;
  for (const std::string_view text : texts) {
    // A fat binary's text ends with a zero.
    const std::string_view whole = text.substr(0, text.find('\0'));
    module->code_->texts.push_back(std::make_unique<const std::string>(whole));
    units.push_back(parse_unit(*module->code_->texts.back(), options.name));
  }
  Linker(*module->code_, options).link(units);
  return module;
}

const Function* Module::function(std::string_view name) const {
  const auto found = std::find_if(code_->kernels.begin(), code_->kernels.end(),
                                  [&](const Function& kernel) { return kernel.name() == name; });
  return found == code_->kernels.end() ? nullptr : &*found;
}

const std::vector<Function>& Module::functions() const { return code_->kernels; }

std::optional<Variable> Module::variable(std::string_view name) const {
  const auto found = code_->variables.find(name);
  return found == code_->variables.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Module::variable_names() const {
  std::vector<std::string> names;
  for (const auto& [name, variable] : code_->variables) names.push_back(name);
  return names;
}

}  // namespace loci::cuda_double
