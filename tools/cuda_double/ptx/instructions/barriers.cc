// bar and barrier: of a block.
#include "tools/cuda_double/ptx/family.h"
#include "tools/cuda_double/ptx/instructions/barrier_kind.h"
#include "tools/cuda_double/ptx/instructions/collectives.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

struct BarrierForm {
  std::uint32_t kind = kBarrierSync;
  bool aligned = false;
  bool has_predicate_result = false;
};

BarrierForm take_barrier_form(Form& form) {
  (void)form.take("cta");
  BarrierForm result;
  // "bar" is "barrier" with .aligned.
  result.aligned = form.take("aligned") || form.name() == "bar";
  if (form.take("sync")) return result;
  if (form.take("arrive")) {
    result.kind = kBarrierArrive;
    return result;
  }
  if (!form.take("red")) form.unsupported();
  if (form.take("popc")) {
    if (!form.take("u32")) form.unsupported();
    result.kind = kBarrierCount;
    return result;
  }
  result.kind = form.take("and") ? kBarrierAnd : kBarrierOr;
  if (result.kind == kBarrierOr && !form.take("or")) form.unsupported();
  if (!form.take("pred")) form.unsupported();
  result.has_predicate_result = true;
  return result;
}

}  // namespace

// Sources: the barrier, the threads it waits for (0: all), and the predicate of a vote.
void translate_barrier(Translator& translator, Form form) {
  if (form.take("warp")) {
    if (!form.take("sync")) form.unsupported();
    form.finish();
    return translate_warp_barrier(translator);
  }
  const BarrierForm barrier = take_barrier_form(form);
  form.finish();
  const bool votes = barrier.kind >= kBarrierCount;
  const unsigned first = votes ? 1 : 0;
  const std::size_t operands = translator.operand_count() - (votes ? 2 : 0);
  translator.expect_operands(first + 1 + (votes ? 1 : 0) + (barrier.kind == kBarrierArrive ? 1 : 0),
                             first + 2 + (votes ? 1 : 0));
  InstructionBuilder builder = translator.build(nullptr);
  if (votes) builder.result(0, barrier.has_predicate_result ? ScalarType::kPred : ScalarType::kU32);
  builder.source(first, ScalarType::kU32);
  if (operands > 1) {
    builder.source(first + 1, ScalarType::kU32);
  } else {
    builder.source_ref(translator.constant(0, 4));
  }
  if (votes) {
    builder.source(static_cast<unsigned>(translator.operand_count()) - 1, ScalarType::kPred);
  }
  if (barrier.aligned) builder.aligned();
  builder.modifiers(barrier.kind).control(Control::kBarrier).flow(DataFlow::kOwn).emit();
}

}  // namespace loci::cuda_double
