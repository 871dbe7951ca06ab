#include "tools/cuda_double/ptx/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/ptx_error.h"
#include "tools/cuda_double/ptx/run/warp.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint32_t kMostRegisterBytes = 64U << 20;
constexpr std::uint32_t kMostLocalBytes = 512U << 10;  // a thread; what devices have
constexpr std::size_t kMostInstructions = std::size_t{1} << 22;

std::uint32_t align_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

Translator::Translator(ModuleCode& module, const UnitSymbols& symbols, const FunctionSyntax& syntax,
                       FunctionCode& function)
    : module_(module), symbols_(symbols), syntax_(syntax), function_(function) {}

void Translator::fail(const std::string& message) const {
  const std::string where =
      instruction_ == nullptr ? "" : fmt::format("{}: ", instruction_->opcode.substr(0, 80));
  throw PtxError(PtxError::Kind::kSyntax, module_.name, line_, where + message);
}

const OperandSyntax& Translator::operand(std::size_t number) const {
  if (number >= operand_count()) fail(fmt::format("has no operand {}", number + 1));
  return instruction_->operands[number];
}

void Translator::expect_operands(std::size_t least, std::size_t most) const {
  if (operand_count() >= least && operand_count() <= most) return;
  fail(
      fmt::format("has {} operands, and {} are expected", operand_count(),
                  least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
}

void Translator::translate() {
  line_ = syntax_.line;
  open_scope(0);
  declare_parameters();
  for (std::size_t i = 0; i < syntax_.body.size(); ++i) statement(i);
  instruction_ = nullptr;
  // A body may end without ret.
  Instruction end;
  end.control = Control::kReturn;
  guard_ = kNoRegister;
  function_.places.push_back({line_, location_, "end of the body"});
  place_ = static_cast<std::uint32_t>(function_.places.size() - 1);
  push(end, {}, {});
  resolve_labels();
  link_operands();
  function_.attributes.local_bytes = function_.frame_local_bytes;
}

void Translator::declare_parameters() {
  if (function_.is_entry) return;  // their layout is what a launch hands over
  declare_formals(syntax_.parameters, function_.formals);
  declare_formals(syntax_.results, function_.result_formals);
}

void Translator::declare_formals(const std::vector<VariableSyntax>& variables,
                                 std::vector<Formal>& formals) {
  for (const VariableSyntax& variable : variables) {
    declare(variable, variable.line);
    const auto reg = find_register(variable.name);
    if (reg) {
      formals.push_back({reg->ref, 0, type_bytes(reg->type)});
    } else {
      formals.push_back(*find_param(variable.name));
    }
  }
}

// Labels may be used before they stand, within their scope.
void Translator::open_scope(std::size_t statement) {
  Scope& scope = scopes_.emplace_back();
  int depth = 0;
  for (; statement < syntax_.body.size() && depth >= 0; ++statement) {
    const Statement& here = syntax_.body[statement];
    depth += std::holds_alternative<ScopeBegin>(here.what) ? 1 : 0;
    depth -= std::holds_alternative<ScopeEnd>(here.what) ? 1 : 0;
    if (depth != 0) continue;
    if (const auto* label = std::get_if<LabelSyntax>(&here.what)) {
      line_ = here.line;
      const auto number = static_cast<std::uint32_t>(label_targets_.size());
      if (!scope.labels.emplace(label->name, number).second) {
        fail(fmt::format("the label '{}' stands twice", label->name));
      }
      label_targets_.push_back(0);
      label_lines_.push_back(here.line);
    } else if (const auto* targets = std::get_if<BranchTargets>(&here.what)) {
      scope.branch_targets.emplace(targets->name, *targets);
    }
  }
}

void Translator::statement(std::size_t number) {
  const Statement& here = syntax_.body[number];
  line_ = here.line;
  instruction_ = nullptr;
  if (const auto* syntax = std::get_if<InstructionSyntax>(&here.what)) {
    instruction(*syntax, here.line);
  } else if (const auto* variable = std::get_if<VariableSyntax>(&here.what)) {
    declare(*variable, here.line);
  } else if (const auto* label = std::get_if<LabelSyntax>(&here.what)) {
    label_targets_[this->label(label->name)] = static_cast<std::uint32_t>(function_.code.size());
  } else if (std::holds_alternative<ScopeBegin>(here.what)) {
    open_scope(number + 1);
  } else if (std::holds_alternative<ScopeEnd>(here.what)) {
    scopes_.pop_back();
  } else if (const auto* location = std::get_if<LocationSyntax>(&here.what)) {
    locate(*location);
  }
}

void Translator::locate(const LocationSyntax& location) {
  function_.locations.push_back(location);
  location_ = static_cast<std::uint32_t>(function_.locations.size());
}

void Translator::declare(const VariableSyntax& variable, std::uint32_t line) {
  line_ = line;
  const Scope& scope = scopes_.back();
  if (scope.registers.count(variable.name) + scope.variables.count(variable.name) > 0) {
    fail(fmt::format("'{}' is declared twice", variable.name));
  }
  if (variable.space == StateSpace::kRegister) {
    declare_register(variable);
  } else {
    declare_memory(variable);
  }
}

void Translator::declare_register(const VariableSyntax& variable) {
  if (variable.vector != 1 || variable.count != 1) {
    fail(fmt::format("'{}': vectors of registers are not there", variable.name));
  }
  const std::uint32_t bytes = type_bytes(variable.type);
  Scope& scope = scopes_.back();
  if (variable.numbered == 0) {
    const RegisterRef ref = new_register(variable.type == ScalarType::kPred ? 0 : bytes);
    scope.registers[variable.name] = {ref, variable.type};
    function_.register_ranges.push_back({ref, 1, kRegisterUnit, false, std::string(variable.name)});
    return;
  }
  const bool is_pred = variable.type == ScalarType::kPred;
  const std::uint64_t all = std::uint64_t{variable.numbered} * (is_pred ? 1 : bytes) * kLanes;
  if (all > kMostRegisterBytes) fail("has too many registers");
  RegisterRef first = kNoRegister;
  for (std::uint32_t i = 0; i < variable.numbered; ++i) {
    const RegisterRef ref = new_register(is_pred ? 0 : bytes);
    if (i == 0) first = ref;
  }
  const std::uint32_t stride = std::max((is_pred ? 0 : bytes) * kLanes, kRegisterUnit);
  function_.register_ranges.push_back(
      {first, variable.numbered, stride, true, std::string(variable.name)});
  scope.numbered[variable.name] = {{first, variable.type}, variable.numbered};
}

RegisterRef Translator::new_register(std::uint32_t bytes) {
  const RegisterRef ref = function_.register_bytes;
  function_.register_bytes += std::max(bytes * kLanes, kRegisterUnit);
  if (function_.register_bytes > kMostRegisterBytes) fail("has too many registers");
  return ref;
}

RegisterRef Translator::temporary(std::uint32_t bytes) { return new_register(bytes); }

RegisterRef Translator::carry() {
  if (carry_ == kNoRegister) {
    carry_ = new_register(0);
    function_.register_ranges.push_back({carry_, 1, kRegisterUnit, false, "the condition code"});
  }
  return carry_;
}

void Translator::declare_memory(const VariableSyntax& variable) {
  const std::uint64_t bytes = variable.bytes();
  if (bytes > kMostLocalBytes) fail(fmt::format("'{}' is too large", variable.name));
  LocalVariable local{.space = variable.space, .bytes = static_cast<std::uint32_t>(bytes)};
  const std::uint32_t alignment = variable.aligned_to();
  if (variable.space == StateSpace::kShared) {
    local.is_dynamic = variable.is_unsized;
    function_.has_shared_variables = true;
    std::uint32_t& used =
        function_.is_entry ? function_.attributes.static_shared_bytes : *symbols_.shared_bytes;
    if (function_.is_entry && used == 0) used = *symbols_.shared_bytes;
    local.offset = align_up(used, alignment);
    if (!local.is_dynamic) used = local.offset + local.bytes;
  } else if (variable.space == StateSpace::kLocal || variable.space == StateSpace::kParam) {
    std::uint32_t& used = function_.frame_local_bytes;
    local.offset = align_up(used, alignment);
    used = local.offset + local.bytes;
    if (used > kMostLocalBytes) fail("has too much local memory");
  } else {
    fail(fmt::format("'{}' cannot be declared in a function", variable.name));
  }
  scopes_.back().variables[variable.name] = local;
}

std::optional<RegisterInfo> Translator::find_register(std::string_view name) const {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::uint32_t number = 0;
  const bool is_numbered =
      digits > 0 && digits < name.size() && (name[digits] != '0' || digits + 1 == name.size()) &&
      std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc();
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->registers.find(name);
    if (found != scope->registers.end()) return found->second;
    if (!is_numbered) continue;
    const auto range = scope->numbered.find(name.substr(0, digits));
    if (range == scope->numbered.end() || number >= range->second.second) continue;
    RegisterInfo info = range->second.first;
    const std::uint32_t bytes = info.type == ScalarType::kPred ? 0 : type_bytes(info.type);
    info.ref += number * std::max(bytes * kLanes, kRegisterUnit);
    return info;
  }
  return std::nullopt;
}

std::uint32_t Translator::label(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->labels.find(name);
    if (found != scope->labels.end()) return found->second;
  }
  fail(fmt::format("there is no label '{}'", name));
}

const BranchTargets* Translator::find_branch_targets(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->branch_targets.find(name);
    if (found != scope->branch_targets.end()) return &found->second;
  }
  return nullptr;
}

const FunctionCode* Translator::find_function(std::string_view name) const {
  const auto found = symbols_.functions.find(name);
  return found == symbols_.functions.end() ? nullptr : found->second;
}

std::optional<Formal> Translator::find_param(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->variables.find(name);
    if (found == scope->variables.end()) continue;
    if (found->second.space != StateSpace::kParam) return std::nullopt;
    return Formal{kNoRegister, found->second.offset, found->second.bytes};
  }
  return std::nullopt;
}

bool Translator::is_param_local(std::string_view name) const {
  return !function_.is_entry || find_param(name).has_value();
}

void Translator::instruction(const InstructionSyntax& syntax, std::uint32_t line) {
  instruction_ = &syntax;
  line_ = line;
  if (function_.code.size() > kMostInstructions) fail("the function is too long");
  function_.places.push_back({line, location_, syntax.text});
  place_ = static_cast<std::uint32_t>(function_.places.size() - 1);
  guard_ = kNoRegister;
  allows_wider_ = false;
  if (!syntax.guard.empty()) {
    const auto guard = find_register(syntax.guard);
    if (!guard) fail(fmt::format("the guard '{}' is no register", syntax.guard));
    if (guard->type != ScalarType::kPred) fail(fmt::format("'{}' is no predicate", syntax.guard));
    guard_ = guard->ref;
  }
  try {
    translate_instruction();
  } catch (const UnsupportedError& error) {
    unsupported(error.what());
  }
}

void Translator::translate_instruction() {
  Form form(instruction_->opcode);
  const FamilyFunction family = find_family(form.name());
  if (family != nullptr) return family(*this, std::move(form));
  if (!is_known_elsewhere(form.name())) fail("there is no such instruction");
  form.unsupported();
}

// Becomes an instruction that says so.
void Translator::unsupported(std::string_view reason) {
  function_.unsupported.push_back({std::string(instruction_->text), line_});
  Instruction instruction;
  instruction.handler = [](Warp& warp, const Instruction& here, LaneMask mask) {
    raise_fault(warp, FaultKind::kUnsupported, lowest_lane(mask),
                static_cast<const std::string*>(here.extra)->c_str());
  };
  function_.reasons.push_back(std::string(reason));
  instruction.extra = &function_.reasons.back();
  instruction.flow = DataFlow::kOwn;
  push(instruction, {}, {});
}

void Translator::push(Instruction instruction, const std::vector<RegisterRef>& results,
                      const std::vector<RegisterRef>& sources) {
  instruction.results = static_cast<std::uint8_t>(results.size());
  instruction.sources = static_cast<std::uint8_t>(sources.size());
  instruction.place = place_;
  instruction.guard = guard_;
  instruction.guard_negated = instruction_ != nullptr && instruction_->guard_negated;
  const std::string_view name = instruction_ == nullptr ? "ret" : instruction_->opcode;
  const auto opcode = opcodes_.find(name);
  if (opcode != opcodes_.end()) {
    instruction.opcode = opcode->second;
  } else {
    instruction.opcode = static_cast<std::uint32_t>(module_.opcode_names.size());
    opcodes_.emplace(name, instruction.opcode);
    module_.opcode_names.emplace_back(name);
  }
  operand_offsets_.push_back(function_.operands.size());
  function_.operands.insert(function_.operands.end(), results.begin(), results.end());
  function_.operands.insert(function_.operands.end(), sources.begin(), sources.end());
  function_.code.push_back(instruction);
}

void Translator::resolve_labels() {
  for (Instruction& instruction : function_.code) {
    if (instruction.control == Control::kBranch) {
      instruction.target = label_targets_[instruction.target];
    }
  }
  for (std::vector<std::uint32_t>& table : function_.branch_tables) {
    for (std::uint32_t& target : table) target = label_targets_[target];
  }
}

void Translator::link_operands() {
  for (std::size_t i = 0; i < function_.code.size(); ++i) {
    function_.code[i].operands = function_.operands.data() + operand_offsets_[i];
  }
}

}  // namespace loci::cuda_double
