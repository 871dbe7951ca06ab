// Resolves what operands of instructions stand for.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "tools/cuda_double/ptx/instructions/copies.h"
#include "tools/cuda_double/ptx/instructions/special_registers.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

using Kind = OperandSyntax::Kind;

std::uint32_t register_bytes(ScalarType type) {
  return type == ScalarType::kPred ? 0 : type_bytes(type);
}

bool is_untyped(ScalarType type) { return type <= ScalarType::kB128; }

}  // namespace

// ptxas takes registers of .b for all, and else only integers for integers and floats for floats.
void Translator::check_register_type(const RegisterInfo& info, ScalarType type,
                                     std::string_view name) const {
  const bool both_preds = info.type == ScalarType::kPred && type == ScalarType::kPred;
  const bool one_pred = info.type == ScalarType::kPred || type == ScalarType::kPred;
  const bool mixed = !is_untyped(info.type) && !is_untyped(type) &&
                     is_float(info.type) != is_float(type) && type_bytes(type) > 2 &&
                     type != ScalarType::kF16x2 && type != ScalarType::kBf16x2;
  if (both_preds || (!one_pred && !mixed)) return;
  fail(fmt::format("'{}' is a register of .{}, and .{} is expected", name, type_name(info.type),
                   type_name(type)));
}

RegisterRef Translator::narrowed(RegisterRef from, const RegisterInfo& info, ScalarType type) {
  const RegisterRef to = temporary(type_bytes(type));
  Instruction cut;
  cut.handler = cut_handler(type_bytes(info.type), type_bytes(type));
  cut.flow = DataFlow::kCopy;
  push(cut, {to}, {from});
  return to;
}

RegisterRef Translator::negated(RegisterRef predicate) {
  const RegisterRef to = temporary(0);
  Instruction negate;
  negate.handler = negate_predicate_handler();
  negate.flow = DataFlow::kCopy;
  push(negate, {to}, {predicate});
  return to;
}

RegisterRef Translator::source(const OperandSyntax& operand, ScalarType type) {
  switch (operand.kind) {
    case Kind::kInteger:
    case Kind::kSingle:
    case Kind::kDouble: return literal(operand, type);
    case Kind::kName: break;
    default: fail(fmt::format("an operand of .{} is expected", type_name(type)));
  }
  const auto info = find_register(operand.name);
  if (!info) {
    return is_special_register(operand.name) ? read_special(operand.name, type)
                                             : symbol_value(operand, type);
  }
  check_register_type(*info, type, operand.name);
  if (!operand.second.empty() || operand.value != 0) {
    fail(fmt::format("'{}' cannot have anything behind it here", operand.name));
  }
  if (type == ScalarType::kPred) return operand.negated ? negated(info->ref) : info->ref;
  const std::uint32_t has = type_bytes(info->type);
  if (operand.negated) fail(fmt::format("'{}' is no predicate", operand.name));
  if (has == type_bytes(type)) return info->ref;
  if (has < type_bytes(type) || !allows_wider_) {
    fail(fmt::format("'{}' has {} bytes, and .{} has {}", operand.name, has, type_name(type),
                     type_bytes(type)));
  }
  return narrowed(info->ref, *info, type);
}

RegisterRef Translator::literal(const OperandSyntax& operand, ScalarType type) {
  if (type == ScalarType::kPred) {
    if (operand.kind != Kind::kInteger) fail("a predicate is expected");
    return constant_predicate((operand.value != 0) != operand.negated);
  }
  const std::uint32_t bytes = type_bytes(type);
  if (operand.kind == Kind::kInteger) {
    if (type == ScalarType::kF32 || type == ScalarType::kF64) {
      fail(fmt::format("the integer {} is no .{}", static_cast<std::int64_t>(operand.value),
                       type_name(type)));
    }
    return constant(operand.value, bytes);
  }
  const double value = operand.kind == Kind::kSingle
                           ? std::bit_cast<float>(static_cast<std::uint32_t>(operand.value))
                           : std::bit_cast<double>(operand.value);
  if (bytes == 8) {
    return constant(
        operand.kind == Kind::kDouble ? operand.value : std::bit_cast<std::uint64_t>(value), bytes);
  }
  if (bytes != 4) fail(fmt::format("a literal of floating point is no .{}", type_name(type)));
  return constant(operand.kind == Kind::kSingle
                      ? operand.value
                      : std::bit_cast<std::uint32_t>(static_cast<float>(value)),
                  bytes);
}

RegisterRef Translator::constant(std::uint64_t value, std::uint32_t bytes) {
  if (bytes < 8) value &= (std::uint64_t{1} << (8 * bytes)) - 1;
  const auto known = constants_.find({value, bytes});
  if (known != constants_.end()) return known->second;
  const auto offset = static_cast<std::uint32_t>(function_.constants.size());
  function_.constants.resize(offset + bytes * kLanes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    std::memcpy(function_.constants.data() + offset + lane * bytes, &value,
                std::min<std::size_t>(bytes, sizeof(value)));
  }
  return constants_[{value, bytes}] = offset | kConstantBit;
}

RegisterRef Translator::constant_predicate(bool value) {
  return constant(value ? ~std::uint64_t{0} : 0, 4);
}

RegisterRef Translator::read_special(std::string_view name, ScalarType type) {
  const SpecialRegister special = special_register(name);
  const RegisterRef ref = temporary(special.bytes);
  Instruction read;
  read.handler = special.handler;
  read.modifiers = special.number;
  read.flow = DataFlow::kCopy;
  push(read, {ref}, {});
  if (special.bytes == type_bytes(type)) return ref;
  if (special.bytes < type_bytes(type)) {
    const RegisterRef wide = temporary(type_bytes(type));
    Instruction widen;
    widen.handler = extend_handler(special.bytes, type_bytes(type), false);
    widen.flow = DataFlow::kCopy;
    push(widen, {wide}, {ref});
    return wide;
  }
  return narrowed(ref, {ref, special.bytes == 8 ? ScalarType::kB64 : ScalarType::kB32}, type);
}

RegisterRef Translator::dynamic_shared_base() {
  return read_special(kDynamicSharedRegister, ScalarType::kU64);
}

std::optional<SymbolValue> Translator::find_symbol(std::string_view name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->variables.find(name);
    if (found == scope->variables.end()) continue;
    return SymbolValue{found->second.space, found->second.offset, found->second.is_dynamic};
  }
  if (function_.is_entry) {
    for (std::size_t i = 0; i < syntax_.parameters.size(); ++i) {
      if (syntax_.parameters[i].name == name) {
        return SymbolValue{StateSpace::kParam, function_.parameters[i].offset, false};
      }
    }
  }
  const auto variable = symbols_.variables.find(name);
  if (variable != symbols_.variables.end()) {
    function_.uses_module_shared |= variable->second.space == StateSpace::kShared;
    return variable->second;
  }
  const FunctionCode* function = find_function(name);
  if (function == nullptr) return std::nullopt;
  return SymbolValue{StateSpace::kGlobal, function->handle, false};
}

// Local variables lie in the frame, wherever that is in the lane's local memory.
RegisterRef Translator::symbol_value(const OperandSyntax& operand, ScalarType type) {
  const auto symbol = find_symbol(operand.name);
  if (!symbol) fail(fmt::format("'{}' is not declared", operand.name));
  const std::uint32_t bytes = type_bytes(type);
  if (bytes != 8 && bytes != 4) fail("an address has 32 or 64 bits");
  const bool is_local = symbol->space == StateSpace::kLocal ||
                        (symbol->space == StateSpace::kParam && is_param_local(operand.name));
  if (!is_local && !symbol->is_dynamic) return constant(symbol->address + operand.value, bytes);
  const RegisterRef base =
      is_local ? read_special(kLocalBaseRegister, ScalarType::kU64) : dynamic_shared_base();
  const std::uint64_t offset = (symbol->is_dynamic ? 0 : symbol->address) + operand.value;
  const RegisterRef whole = sum({base, static_cast<std::int64_t>(offset)});
  return bytes == 8 ? whole : narrowed(whole, {whole, ScalarType::kB64}, type);
}

RegisterRef Translator::sum(const AddressOperand& address) {
  if (address.offset == 0) return address.base;
  const RegisterRef result = temporary(8);
  Instruction add;
  add.handler = add_offset_handler();
  add.immediate = address.offset;
  add.flow = DataFlow::kCopy;
  push(add, {result}, {address.base});
  return result;
}

AddressOperand Translator::address(const OperandSyntax& operand, StateSpace space) {
  if (operand.kind != Kind::kAddress) fail("an address in brackets is expected");
  if (operand.name.empty()) return {constant(operand.value, 8), 0};
  const auto offset = static_cast<std::int64_t>(operand.value);
  const auto info = find_register(operand.name);
  if (!info) {
    const auto symbol = find_symbol(operand.name);
    if (!symbol) fail(fmt::format("'{}' is not declared", operand.name));
    const bool fits = symbol->space == space || space == StateSpace::kGeneric ||
                      (space == StateSpace::kConst && symbol->space == StateSpace::kGlobal);
    if (!fits) fail(fmt::format("'{}' is not in that state space", operand.name));
    OperandSyntax name;
    name.kind = Kind::kName;
    name.name = operand.name;
    return {symbol_value(name, ScalarType::kB64), offset};
  }
  if (info->type == ScalarType::kPred || is_float(info->type)) {
    fail(fmt::format("'{}' cannot hold an address", operand.name));
  }
  if (type_bytes(info->type) == 8) return {info->ref, offset};
  if (type_bytes(info->type) != 4) fail(fmt::format("'{}' is too small", operand.name));
  const RegisterRef wide = temporary(8);
  Instruction widen;
  widen.handler = extend_handler(4, 8, false);
  widen.flow = DataFlow::kCopy;
  push(widen, {wide}, {info->ref});
  return {wide, offset};
}

InstructionBuilder& InstructionBuilder::result(const OperandSyntax& operand, ScalarType type) {
  if (operand.kind == Kind::kSink) {
    return result_ref(translator_.temporary(register_bytes(type)));
  }
  if (operand.kind != Kind::kName || !operand.second.empty()) {
    translator_.fail("the result has to be a register");
  }
  const auto info = translator_.find_register(operand.name);
  if (!info) translator_.fail(fmt::format("'{}' is no register", operand.name));
  translator_.check_register_type(*info, type, operand.name);
  const std::uint32_t has = register_bytes(info->type);
  if (has == register_bytes(type)) return result_ref(info->ref);
  if (has < register_bytes(type) || !translator_.allows_wider_) {
    translator_.fail(fmt::format("'{}' has {} bytes, and .{} has {}", operand.name, has,
                                 type_name(type), type_bytes(type)));
  }
  const RegisterRef narrow = translator_.temporary(type_bytes(type));
  widenings_.push_back({narrow, info->ref, type, has});
  return result_ref(narrow);
}

InstructionBuilder& InstructionBuilder::source(const OperandSyntax& operand, ScalarType type) {
  return source_ref(translator_.source(operand, type));
}

InstructionBuilder& InstructionBuilder::result(unsigned number, ScalarType type) {
  return result(translator_.operand(number), type);
}

InstructionBuilder& InstructionBuilder::source(unsigned number, ScalarType type) {
  return source(translator_.operand(number), type);
}

InstructionBuilder& InstructionBuilder::result_ref(RegisterRef ref) {
  results_.push_back(ref);
  return *this;
}

InstructionBuilder& InstructionBuilder::source_ref(RegisterRef ref) {
  sources_.push_back(ref);
  return *this;
}

InstructionBuilder& InstructionBuilder::address(unsigned number, StateSpace space) {
  const AddressOperand address = translator_.address(translator_.operand(number), space);
  instruction_.immediate = address.offset;
  return source_ref(address.base);
}

InstructionBuilder& InstructionBuilder::flow(DataFlow flow) {
  instruction_.flow = flow;
  return *this;
}

InstructionBuilder& InstructionBuilder::control(Control control) {
  instruction_.control = control;
  return *this;
}

InstructionBuilder& InstructionBuilder::modifiers(std::uint32_t modifiers) {
  instruction_.modifiers = modifiers;
  return *this;
}

InstructionBuilder& InstructionBuilder::immediate(std::int64_t immediate) {
  instruction_.immediate = immediate;
  return *this;
}

InstructionBuilder& InstructionBuilder::aligned() {
  instruction_.needs_all_lanes = true;
  return *this;
}

void InstructionBuilder::emit() {
  translator_.push(instruction_, results_, sources_);
  for (const Widening& widening : widenings_) {
    Instruction widen;
    widen.handler =
        extend_handler(type_bytes(widening.type), widening.to_bytes, is_signed(widening.type));
    widen.flow = DataFlow::kCopy;
    translator_.push(widen, {widening.to}, {widening.from});
  }
}

}  // namespace loci::cuda_double
