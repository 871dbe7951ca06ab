// cp.async: copies from global to shared memory that are done when the thread waits for them.
//
// A thread that forgets to wait finds shared memory as it was, never written.
#include "tools/cuda_double/ptx/run/async_copies.h"

#include <algorithm>
#include <cstring>

#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/run/block.h"
#include "tools/cuda_double/ptx/run/grid.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/run/memory_access.h"
#include "tools/cuda_double/ptx/run/undefined.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

AsyncCopies& copies_of(Warp& warp) {
  if (warp.async_copies == nullptr) warp.async_copies = std::make_unique<AsyncCopies>();
  return *warp.async_copies;
}

// Sources: the addresses in shared and in global memory, how many bytes there are to read, and a
// predicate that reads none. The immediate is the offset of the first, the modifiers the size; the
// second's offset is part of its register.
void begin_copy(Warp& warp, const Instruction& instruction, LaneMask mask) {
  AsyncCopies& copies = copies_of(warp);
  LaneAddresses shared;
  read_addresses(warp, instruction, mask, shared);
  const RegisterRef global_ref = instruction.operands[1];
  require_defined(warp, global_ref, mask, "an address");
  LaneAddresses global;
  std::copy_n(warp.reg<std::uint64_t>(global_ref), kLanes, global.begin());
  const auto* sizes = warp.source<std::uint32_t>(instruction, 2);
  const LaneMask ignored = *warp.source<LaneMask>(instruction, 3);
  const std::uint32_t bytes = instruction.modifiers;
  CopiesOfLanes begun;
  LaneMask whole = 0;
  for_each_lane(mask, [&](std::uint32_t lane) {
    begun[lane] = {
        .lane = lane, .group = copies.committed[lane], .shared = shared[lane], .bytes = bytes};
    const bool skips = (ignored >> lane & 1) != 0 || sizes[lane] == 0;
    if (skips) return;
    if (sizes[lane] >= bytes) {
      whole |= LaneMask{1} << lane;
    } else {
      read_part(warp, global[lane], sizes[lane], begun[lane]);
    }
  });
  read_sources(warp, whole, global, bytes, begun);
  for_each_lane(mask, [&](std::uint32_t lane) { copies.pending.push_back(begun[lane]); });
}

void commit(Warp& warp, const Instruction& /*instruction*/, LaneMask mask) {
  AsyncCopies& copies = copies_of(warp);
  for_each_lane(mask, [&](std::uint32_t lane) { ++copies.committed[lane]; });
}

// The modifiers are how many of the youngest groups may go on.
void wait_for_groups(Warp& warp, const Instruction& instruction, LaneMask mask) {
  finish_copies(warp, mask, instruction.modifiers, false);
}
void wait_for_all(Warp& warp, const Instruction& /*instruction*/, LaneMask mask) {
  finish_copies(warp, mask, 0, true);
}

void translate_wait(Translator& translator, Form& form) {
  form.finish();
  translator.expect_operands(1);
  const OperandSyntax& count = translator.operand(0);
  if (count.kind != OperandSyntax::Kind::kInteger) translator.fail("a number is expected");
  translator.build(wait_for_groups)
      .modifiers(static_cast<std::uint32_t>(count.value))
      .flow(DataFlow::kOwn)
      .emit();
}

// "[shared], [global], size {, bytes to read | , predicate}".
void translate_copy(Translator& translator, Form& form) {
  const bool is_ca = form.take("ca");
  if (!is_ca && !form.take("cg")) form.unsupported();
  if (!form.take("shared") && !form.take("shared::cta") && !form.take("shared::cluster")) {
    form.unsupported();
  }
  if (!form.take("global")) form.unsupported();
  form.drop_prefix("L2::");
  form.finish();
  translator.expect_operands(3, 5);
  const OperandSyntax& size = translator.operand(2);
  const bool fits = size.kind == OperandSyntax::Kind::kInteger &&
                    (size.value == 16 || (is_ca && (size.value == 4 || size.value == 8)));
  if (!fits) translator.fail("copies 4, 8 or 16 bytes");
  const AddressOperand global = translator.address(translator.operand(1), StateSpace::kGlobal);
  const RegisterRef source = translator.sum(global);
  InstructionBuilder builder = translator.build(begin_copy);
  builder.address(0, StateSpace::kShared).source_ref(source);
  const bool has_fourth = translator.operand_count() > 3;
  const auto fourth =
      has_fourth ? translator.find_register(translator.operand(3).name) : std::nullopt;
  const bool is_predicate = fourth && fourth->type == ScalarType::kPred;
  if (has_fourth && !is_predicate) {
    builder.source(3, ScalarType::kU32);
  } else {
    builder.source_ref(translator.constant(size.value, 4));
  }
  if (is_predicate) {
    builder.source(3, ScalarType::kPred);
  } else {
    builder.source_ref(translator.constant_predicate(false));
  }
  builder.modifiers(static_cast<std::uint32_t>(size.value)).flow(DataFlow::kOwn).emit();
}

}  // namespace

void translate_async_copy(Translator& translator, Form form) {
  if (!form.take("async")) form.unsupported();
  if (form.take("wait_group")) return translate_wait(translator, form);
  const bool commits = form.take("commit_group");
  if (commits || form.take("wait_all")) {
    form.finish();
    translator.expect_operands(0);
    translator.build(commits ? commit : wait_for_all).flow(DataFlow::kOwn).emit();
    return;
  }
  translate_copy(translator, form);
}

}  // namespace loci::cuda_double
