// mov, also from and into parts in braces.
#include <cstring>

#include "tools/cuda_double/ptx/instructions/copies.h"
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

using Kind = OperandSyntax::Kind;

// The modifiers are the size of the whole; parts are of equal size, lowest first.
void pack(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const std::uint32_t whole = instruction.modifiers;
  const std::uint32_t part = whole / instruction.sources;
  auto* result = warp.result<std::byte>(instruction);
  for (unsigned i = 0; i < instruction.sources; ++i) {
    const auto* source = warp.source<std::byte>(instruction, i);
    for_each_lane(mask, [&](std::uint32_t lane) {
      std::memcpy(result + lane * whole + i * part, source + lane * part, part);
    });
  }
}

void unpack(Warp& warp, const Instruction& instruction, LaneMask mask) {
  const std::uint32_t whole = instruction.modifiers;
  const std::uint32_t part = whole / instruction.results;
  const auto* source = warp.source<std::byte>(instruction, 0);
  for (unsigned i = 0; i < instruction.results; ++i) {
    auto* result = warp.result<std::byte>(instruction, i);
    for_each_lane(mask, [&](std::uint32_t lane) {
      std::memcpy(result + lane * part, source + lane * whole + i * part, part);
    });
  }
}

// Returns the type of one part of a whole with this type.
ScalarType part_type(Translator& translator, ScalarType whole, std::size_t parts) {
  const std::size_t bytes = parts == 0 ? 0 : type_bytes(whole) / parts;
  if (parts * bytes != type_bytes(whole)) translator.fail("has parts that do not fill the whole");
  switch (bytes) {
    case 1: return ScalarType::kB8;
    case 2: return ScalarType::kB16;
    case 4: return ScalarType::kB32;
    case 8: return ScalarType::kB64;
    default: translator.fail("has parts of a size that cannot be");
  }
}

void translate_pack(Translator& translator, ScalarType type) {
  const std::vector<OperandSyntax>& parts = translator.operand(1).parts;
  const ScalarType each = part_type(translator, type, parts.size());
  InstructionBuilder builder = translator.build(pack);
  builder.result(0, type);
  for (const OperandSyntax& part : parts) builder.source(part, each);
  builder.modifiers(type_bytes(type)).flow(DataFlow::kCopy).emit();
}

void translate_unpack(Translator& translator, ScalarType type) {
  const std::vector<OperandSyntax>& parts = translator.operand(0).parts;
  const ScalarType each = part_type(translator, type, parts.size());
  InstructionBuilder builder = translator.build(unpack);
  for (const OperandSyntax& part : parts) builder.result(part, each);
  builder.source(1, type).modifiers(type_bytes(type)).flow(DataFlow::kCopy).emit();
}

}  // namespace

void translate_move(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  form.finish();
  translator.expect_operands(2);
  if (translator.operand(0).kind == Kind::kVector) return translate_unpack(translator, type);
  if (translator.operand(1).kind == Kind::kVector) return translate_pack(translator, type);
  const Handler handler = type == ScalarType::kPred
                              ? copy_predicate_handler()
                              : cut_handler(type_bytes(type), type_bytes(type));
  translator.build(handler).result(0, type).source(1, type).flow(DataFlow::kCopy).emit();
}

}  // namespace loci::cuda_double
