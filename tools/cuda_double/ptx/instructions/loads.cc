// ld and ldu; st.
//
// A register may be wider than what is loaded or stored: it is extended, or its low bytes are
// taken.
#include <cstring>

#include "tools/cuda_double/ptx/instructions/memory_form.h"
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/host_access.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/memory_access.h"
#include "tools/cuda_double/ptx/run/memory_states.h"
#include "tools/cuda_double/ptx/run/undefined.h"
#include "tools/cuda_double/ptx/run/wide.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

MemoryAccess access_of(const Instruction& instruction, std::uint32_t bytes, bool writes) {
  const std::uint32_t modifiers = instruction.modifiers;
  return {.space = static_cast<StateSpace>(modifiers & kSpaceMask),
          .bytes = bytes,
          .reads = !writes,
          .writes = writes,
          .strong = (modifiers & kStrong) != 0,
          .acquires = (modifiers & kAcquires) != 0,
          .releases = (modifiers & kReleases) != 0};
}

// T lies in memory; registers are of Register, a type of T's sign.
template <class T, class Register>
void load(Warp& warp, const Instruction& instruction, LaneMask mask) {
  LaneAddresses addresses;
  LanePointers pointers;
  read_addresses(warp, instruction, mask, addresses);
  const auto bytes = static_cast<std::uint32_t>(sizeof(T)) * instruction.results;
  locate(warp, mask, addresses, access_of(instruction, bytes, false), pointers);
  for (unsigned part = 0; part < instruction.results; ++part) {
    auto* result = warp.result<Register>(instruction, part);
    for_each_lane(mask, [&](std::uint32_t lane) {
      result[lane] = static_cast<Register>(read_host<T>(pointers.data[lane] + part * sizeof(T)));
    });
    if (warp.tracks_undefined) {
      load_states(warp, instruction.operands[part], mask, pointers, part * sizeof(T), sizeof(T));
    }
  }
}

template <class T, class Register>
void store(Warp& warp, const Instruction& instruction, LaneMask mask) {
  LaneAddresses addresses;
  LanePointers pointers;
  read_addresses(warp, instruction, mask, addresses);
  const unsigned parts = instruction.sources - 1U;
  const auto bytes = static_cast<std::uint32_t>(sizeof(T)) * parts;
  const MemoryAccess access = access_of(instruction, bytes, true);
  locate(warp, mask, addresses, access, pointers);
  check_same_address(warp, mask, addresses, instruction, access, sizeof(Register), sizeof(T));
  for (unsigned part = 0; part < parts; ++part) {
    const auto* source = warp.source<Register>(instruction, part + 1);
    for_each_lane(mask, [&](std::uint32_t lane) {
      write_host<T>(pointers.data[lane] + part * sizeof(T), static_cast<T>(source[lane]));
    });
    if (warp.tracks_undefined) {
      store_states(warp, instruction.operands[part + 1], mask, pointers, part * sizeof(T),
                   sizeof(T), access.space);
    }
  }
}

template <class T, bool kLoad, class Register>
Handler transfer() {
  return kLoad ? static_cast<Handler>(load<T, Register>) : static_cast<Handler>(store<T, Register>);
}

// Chooses the handler by the size of registers; NULL if they are smaller than T.
template <class T, bool kLoad>
Handler transfer_handler(std::uint32_t register_bytes) {
  constexpr bool kSigned = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 16) {
    return register_bytes == 16 ? transfer<T, kLoad, T>() : nullptr;
  } else {
    switch (register_bytes) {
      case 1:
        if constexpr (sizeof(T) == 1) return transfer<T, kLoad, T>();
        break;
      case 2:
        if constexpr (sizeof(T) <= 2) {
          return transfer<T, kLoad, std::conditional_t<kSigned, std::int16_t, std::uint16_t>>();
        }
        break;
      case 4:
        if constexpr (sizeof(T) <= 4) {
          return transfer<T, kLoad, std::conditional_t<kSigned, std::int32_t, std::uint32_t>>();
        }
        break;
      case 8: return transfer<T, kLoad, std::conditional_t<kSigned, std::int64_t, std::uint64_t>>();
      default: break;
    }
    return nullptr;
  }
}

template <bool kLoad>
Handler handler_of(ScalarType type, std::uint32_t register_bytes) {
  switch (type_bytes(type)) {
    case 1:
      return is_signed(type) ? transfer_handler<std::int8_t, kLoad>(register_bytes)
                             : transfer_handler<std::uint8_t, kLoad>(register_bytes);
    case 2:
      return is_signed(type) ? transfer_handler<std::int16_t, kLoad>(register_bytes)
                             : transfer_handler<std::uint16_t, kLoad>(register_bytes);
    case 4:
      return is_signed(type) ? transfer_handler<std::int32_t, kLoad>(register_bytes)
                             : transfer_handler<std::uint32_t, kLoad>(register_bytes);
    case 8: return transfer_handler<std::uint64_t, kLoad>(register_bytes);
    default: return transfer_handler<Wide, kLoad>(register_bytes);
  }
}

// One register or several in braces.
std::vector<OperandSyntax> parts_of(Translator& translator, unsigned number, std::size_t count) {
  const OperandSyntax& operand = translator.operand(number);
  std::vector<OperandSyntax> parts{operand};
  if (operand.kind == OperandSyntax::Kind::kVector) parts = operand.parts;
  if (parts.size() != count) {
    translator.fail("the vector has " + std::to_string(parts.size()) + " registers, and " +
                    std::to_string(count) + " are expected");
  }
  return parts;
}

// That of the parts that is one, for all are alike; T's own for literals.
ScalarType register_type(Translator& translator, const std::vector<OperandSyntax>& parts,
                         ScalarType type) {
  for (const OperandSyntax& part : parts) {
    if (part.kind != OperandSyntax::Kind::kName) continue;
    const auto info = translator.find_register(part.name);
    if (!info) continue;
    if (info->type == ScalarType::kPred) {
      translator.fail("'" + std::string(part.name) + "' is a predicate");
    }
    if (is_float(type) && type_bytes(type) != type_bytes(info->type)) {
      translator.fail("'" + std::string(part.name) + "' is of another size");
    }
    return info->type;
  }
  return type;
}

std::size_t take_vector(Form& form) {
  if (form.take("v2")) return 2;
  if (form.take("v4")) return 4;
  return form.take("v8") ? 8 : 1;
}

// Resolves the .param of a name in brackets: a kernel's parameters, or variables of a call.
StateSpace space_of(Translator& translator, StateSpace space, unsigned address) {
  if (space != StateSpace::kParam) return space;
  const bool is_local = translator.is_param_local(translator.operand(address).name);
  return is_local ? StateSpace::kLocal : StateSpace::kParam;
}

}  // namespace

void translate_load(Translator& translator, Form form) {
  MemoryForm memory = take_memory_form(form);
  const std::size_t count = take_vector(form);
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(2, 3);  // the third is a cache's policy
  const StateSpace named = memory.space;
  memory.space = space_of(translator, memory.space, 1);
  const std::vector<OperandSyntax> parts = parts_of(translator, 0, count);
  const ScalarType reg = register_type(translator, parts, type);
  const Handler handler = handler_of<true>(type, type_bytes(reg));
  if (handler == nullptr) translator.fail("the register is smaller than what is loaded");
  InstructionBuilder builder = translator.build(handler);
  for (const OperandSyntax& part : parts) builder.result(part, reg);
  builder.address(1, named).modifiers(memory_modifiers(memory)).flow(DataFlow::kOwn).emit();
}

void translate_store(Translator& translator, Form form) {
  MemoryForm memory = take_memory_form(form);
  const std::size_t count = take_vector(form);
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(2, 3);
  const StateSpace named = memory.space;
  if (named == StateSpace::kConst) translator.fail("constants cannot be written");
  memory.space = space_of(translator, memory.space, 0);
  const std::vector<OperandSyntax> parts = parts_of(translator, 1, count);
  const ScalarType reg = register_type(translator, parts, type);
  const Handler handler = handler_of<false>(type, type_bytes(reg));
  if (handler == nullptr) translator.fail("the register is smaller than what is stored");
  InstructionBuilder builder = translator.build(handler);
  builder.address(0, named);
  for (const OperandSyntax& part : parts) builder.source(part, reg);
  builder.modifiers(memory_modifiers(memory)).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
