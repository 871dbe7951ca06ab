#include "kernels/fused_elementwise/fused_step_text.h"

#include <algorithm>
#include <array>

namespace loci::cuda {
namespace {

struct StepRow {
  FusedOp op;
  StepText text;
};

constexpr StepText plain(std::string_view text) { return {text}; }
constexpr StepText relation(std::string_view text) { return {text, false}; }
constexpr StepText exact(std::string_view text) { return {text, true, StepLength::kLong}; }
constexpr StepText looping(std::string_view text, bool is_library_function) {
  return {text, true, StepLength::kLoop, is_library_function};
}
constexpr StepText library(std::string_view text) { return {text, true, StepLength::kLong, true}; }

// Floating functions are taken to call a library's unless they are known to be short.
constexpr StepText text_of_function(FusedOp op, std::string_view text) {
  switch (op) {
    case FusedOp::kCeil:
    case FusedOp::kFloor:
    case FusedOp::kHardSigmoid:
    case FusedOp::kHardSwish:
    case FusedOp::kRound:
    case FusedOp::kTrunc: return plain(text);
    case FusedOp::kReciprocal:
    case FusedOp::kSoftsign:
    case FusedOp::kSqrt: return exact(text);
    default: return library(text);
  }
}

#define LOCI_FLOAT_ROW(op, Function) \
  StepRow{FusedOp::k##Function, text_of_function(FusedOp::k##Function, #Function "::value($x)")},
#define LOCI_NUMBER_ROW(op, Function) StepRow{FusedOp::k##Function, plain(#Function "::value($x)")},
constexpr auto kStepRows = std::to_array<StepRow>({
    LOCI_FLOAT_FUNCTIONS(LOCI_FLOAT_ROW)    //
    LOCI_NUMBER_FUNCTIONS(LOCI_NUMBER_ROW)  //
    {FusedOp::kAdd, plain("Add::value($x, $y)")},
    {FusedOp::kAnd, relation("$x & $y")},
    {FusedOp::kCast, plain("$x")},
    {FusedOp::kClip, plain("Clip<$C>{$a, $b}.value($x)")},
    {FusedOp::kClipGrad, plain("ClipGrad<$C>{$a, $b}.value($x, $y)")},
    {FusedOp::kDiv, exact("Div::value($x, $y)")},
    {FusedOp::kEqual, relation("Equal::value($x, $y)")},
    {FusedOp::kGelu, library("Gelu::value($x)")},
    {FusedOp::kGeluGrad, library("GeluGrad::value($x, $y)")},
    {FusedOp::kGeluTanh, library("GeluTanh::value($x)")},
    {FusedOp::kGeluTanhGrad, library("GeluTanhGrad::value($x, $y)")},
    {FusedOp::kGreater, relation("Less::value($y, $x)")},
    {FusedOp::kGreaterEqual, relation("LessEqual::value($y, $x)")},
    {FusedOp::kLess, relation("Less::value($x, $y)")},
    {FusedOp::kLessEqual, relation("LessEqual::value($x, $y)")},
    {FusedOp::kMax, plain("Max::value($x, $y)")},
    {FusedOp::kMaxGrad, plain("ShareOfLarger::value($x, $y, $z)")},
    {FusedOp::kMin, plain("Min::value($x, $y)")},
    {FusedOp::kMinGrad, plain("ShareOfLarger::value($y, $x, $z)")},
    {FusedOp::kMod, looping("Mod::value($x, $y)", false)},
    {FusedOp::kMul, plain("Mul::value($x, $y)")},
    {FusedOp::kNot, relation("$x ^ 1")},
    {FusedOp::kNotEqual, relation("NotEqual::value($x, $y)")},
    {FusedOp::kOr, relation("$x | $y")},
    {FusedOp::kPow, looping("Pow::value($x, $y)", true)},
    {FusedOp::kReluGrad, plain("ReluGrad::value($x, $y)")},
    {FusedOp::kScale, plain("Scale<$C>{$a, $b}.value($x)")},
    {FusedOp::kScaleRounded, plain("static_cast<double>($x) * $p + $q")},
    {FusedOp::kSigmoidGrad, plain("SigmoidGrad::value($x, $y)")},
    {FusedOp::kSub, plain("Sub::value($x, $y)")},
    {FusedOp::kTanhGrad, plain("TanhGrad::value($x, $y)")},
    {FusedOp::kWhere, relation("$x != 0 ? $y : $z")},
    {FusedOp::kXor, relation("$x ^ $y")},
});
#undef LOCI_NUMBER_ROW
#undef LOCI_FLOAT_ROW

// In the order of FusedOp, which is how they are found.
constexpr bool are_in_order() {
  for (std::size_t i = 0; i < kStepRows.size(); ++i) {
    if (kStepRows[i].op != static_cast<FusedOp>(i)) return false;
  }
  return true;
}
static_assert(are_in_order());

}  // namespace

const StepText& text_of_step(FusedOp op) { return kStepRows[static_cast<std::size_t>(op)].text; }

}  // namespace loci::cuda
