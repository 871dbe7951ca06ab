#include "kernels/fused_step_text.h"

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

constexpr std::array<StepRow, 49> kStepRows = {{
    {FusedOp::kAbs, plain("Abs::value($x)")},
    {FusedOp::kAdd, plain("Add::value($x, $y)")},
    {FusedOp::kAnd, relation("$x & $y")},
    {FusedOp::kCast, plain("$x")},
    {FusedOp::kCeil, plain("Ceil::value($x)")},
    {FusedOp::kClip, plain("Clip<$C>{$a, $b}.value($x)")},
    {FusedOp::kClipGrad, plain("ClipGrad<$C>{$a, $b}.value($x, $y)")},
    {FusedOp::kDiv, exact("Div::value($x, $y)")},
    {FusedOp::kEqual, relation("Equal::value($x, $y)")},
    {FusedOp::kErf, library("Erf::value($x)")},
    {FusedOp::kExp, library("Exp::value($x)")},
    {FusedOp::kFloor, plain("Floor::value($x)")},
    {FusedOp::kGelu, library("Gelu::value($x)")},
    {FusedOp::kGeluGrad, library("GeluGrad::value($x, $y)")},
    {FusedOp::kGeluTanh, library("GeluTanh::value($x)")},
    {FusedOp::kGeluTanhGrad, library("GeluTanhGrad::value($x, $y)")},
    {FusedOp::kGreater, relation("Less::value($y, $x)")},
    {FusedOp::kGreaterEqual, relation("LessEqual::value($y, $x)")},
    {FusedOp::kHardSigmoid, plain("HardSigmoid::value($x)")},
    {FusedOp::kHardSwish, plain("HardSwish::value($x)")},
    {FusedOp::kLess, relation("Less::value($x, $y)")},
    {FusedOp::kLessEqual, relation("LessEqual::value($x, $y)")},
    {FusedOp::kLog, library("Log::value($x)")},
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
    {FusedOp::kRelu, plain("Relu::value($x)")},
    {FusedOp::kReluGrad, plain("ReluGrad::value($x, $y)")},
    {FusedOp::kRound, plain("Round::value($x)")},
    {FusedOp::kRsqrt, library("Rsqrt::value($x)")},
    {FusedOp::kScale, plain("Scale<$C>{$a, $b}.value($x)")},
    {FusedOp::kScaleRounded, plain("static_cast<double>($x) * $p + $q")},
    {FusedOp::kSigmoid, library("Sigmoid::value($x)")},
    {FusedOp::kSigmoidGrad, plain("SigmoidGrad::value($x, $y)")},
    {FusedOp::kSign, plain("Sign::value($x)")},
    {FusedOp::kSqrt, exact("Sqrt::value($x)")},
    {FusedOp::kSquare, plain("Square::value($x)")},
    {FusedOp::kSub, plain("Sub::value($x, $y)")},
    {FusedOp::kTanh, library("Tanh::value($x)")},
    {FusedOp::kTanhGrad, plain("TanhGrad::value($x, $y)")},
    {FusedOp::kWhere, relation("$x != 0 ? $y : $z")},
    {FusedOp::kXor, relation("$x ^ $y")},
}};

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
