// pad, which puts elements around a tensor or crops it, and the gradient of the modes that repeat
// elements of it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/plugin/pad.hpp>

#include "framework/core/integer_range.h"
#include "framework/ops/batch_rules.h"
#include "framework/ops/cost.h"
#include "framework/ops/gradient_rules.h"
#include "framework/ops/op_registry.h"
#include "framework/ops/shape_rules.h"

namespace loci::ops {
namespace {

using Integers = std::vector<std::int64_t>;
using Limits = std::numeric_limits<std::int64_t>;

const Integers& checked_pads(const InferContext& ctx) {
  const auto& pads = ctx.attr<Integers>("pads");
  const int rank = ctx.shape("x").rank();
  if (pads.size() != 2 * static_cast<std::size_t>(rank)) {
    ctx.fail(
        "pads has {} element(s); give {} for the {} dimension(s) of x: before each, then after",
        pads.size(), 2 * rank, rank);
  }
  // The only one without a counterpart of the other sign, which the gradient pads by.
  if (std::find(pads.begin(), pads.end(), Limits::min()) != pads.end()) {
    ctx.fail("pads {} has {}, by which nothing can be cropped", to_string(pads), Limits::min());
  }
  return pads;
}

// One dimension whose extent is known, and its pads, for messages.
struct PaddedAxis {
  int axis;
  std::int64_t extent;
  std::int64_t before;
  std::int64_t after;
};

void check_crop(const InferContext& ctx, const PaddedAxis& given) {
  const auto fits = [&](std::int64_t pad, std::int64_t left) { return pad >= 0 || -left <= pad; };
  const bool has_first = fits(given.before, given.extent);
  const std::int64_t left =
      given.before < 0 && has_first ? given.extent + given.before : given.extent;
  if (has_first && fits(given.after, left)) return;
  ctx.fail("pads {} and {} crop axis {} of x {} by more than it has", given.before, given.after,
           given.axis, ctx.shape("x").to_string());
}

void check_extent(const InferContext& ctx, const PaddedAxis& given) {
  std::int64_t extent = 0;
  const bool fits =
      !__builtin_add_overflow(given.extent, std::min(given.before, given.after), &extent) &&
      !__builtin_add_overflow(extent, std::max(given.before, given.after), &extent);
  if (fits) return;
  ctx.fail("pads {} and {} make axis {} of x {} longer than 63 bits can say; use smaller ones",
           given.before, given.after, given.axis, ctx.shape("x").to_string());
}

// Fails if there is not enough to take the new elements from.
void check_repeated(const InferContext& ctx, const PaddedAxis& given, std::int64_t kept) {
  const auto& mode = ctx.attr<std::string>("mode");
  if (mode == "constant" || (given.before <= 0 && given.after <= 0)) return;
  if (kept == 0) {
    ctx.fail("mode {} pads axis {} of x {}, of which no element is kept; use constant", mode,
             given.axis, ctx.shape("x").to_string());
  }
  const std::int64_t most = std::max(given.before, given.after);
  if (mode == "reflect" && most >= kept) {
    ctx.fail("mode reflect pads axis {} of x {} by {}; give at most {}, one less than is kept",
             given.axis, ctx.shape("x").to_string(), most, kept - 1);
  }
}

std::int64_t padded_extent(const InferContext& ctx, const PaddedAxis& given) {
  check_crop(ctx, given);
  check_extent(ctx, given);
  const sdk::PadAxis axis = sdk::PadAxis::of(given.extent, given.before, given.after);
  check_repeated(ctx, given, axis.kept);
  return axis.padded;
}

// x with its pads.
Shape padded_shape(const InferContext& ctx) {
  const Integers& pads = checked_pads(ctx);
  Shape out = ctx.shape("x");
  for (int i = 0; i < out.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t before = pads[at];
    const std::int64_t after = pads[at + static_cast<std::size_t>(out.rank())];
    if (out[i] == kDynamicDim) continue;
    out.set(i, padded_extent(ctx, {i, out[i], before, after}));
  }
  return out;
}

bool holds(DType dtype, double value) {
  if (dtype == kBool) return value == 0 || value == 1;
  return !is_integer(dtype) || (core::fits_integer(value, dtype) && value == std::trunc(value));
}

bool holds(DType dtype, std::int64_t value) {
  if (dtype == kBool || !is_integer(dtype)) return holds(dtype, static_cast<double>(value));
  return core::holds_integer(value, dtype);
}

void check_value(const InferContext& ctx) {
  const auto value = ctx.attr<double>("value");
  const auto integer = ctx.attr<std::int64_t>("integer");
  const DType dtype = ctx.dtype("x");
  if (value != 0 && integer != 0) {
    ctx.fail("value {} and integer {} are both given; give one", value, integer);
  }
  const auto& mode = ctx.attr<std::string>("mode");
  const std::string text = integer != 0 ? fmt::format("{}", integer) : fmt::format("{}", value);
  if (mode != "constant" && (value != 0 || integer != 0)) {
    ctx.fail("value {} is given, but mode {} pads with elements of x; use constant", text, mode);
  }
  if (holds(dtype, value) && holds(dtype, integer)) return;
  ctx.fail("value {} does not fit into {}; give one that does or cast x", text, dtype_name(dtype));
}

void infer_pad(InferContext& ctx) {
  check_value(ctx);
  ctx.set_output("out", {ctx.dtype("x"), padded_shape(ctx)});
}

void infer_pad_grad(InferContext& ctx) {
  require_same_dtype(ctx, "x", "out_grad");
  require_shape(ctx, "out_grad", padded_shape(ctx), "x padded");
  ctx.set_output("x_grad", ctx.input("x"));
}

// Constants have no gradient: what was padded is cropped, and what was cropped has zeros.
Value cropped_grad(GradContext& ctx) {
  Integers pads = ctx.attr<Integers>("pads");
  for (std::int64_t& pad : pads) pad = -pad;
  return pad(ctx.output_grad("out"), pads);
}

void grad_pad(GradContext& ctx) {
  if (!ctx.needs_grad("x")) return;
  const auto& mode = ctx.attr<std::string>("mode");
  if (mode == "constant") {
    ctx.set_input_grad("x", cropped_grad(ctx));
    return;
  }
  ctx.set_input_grad("x", OpCall<Value>("pad_grad")
                              .input("x", ctx.input("x"))
                              .input("out_grad", ctx.output_grad("out"))
                              .attr("pads", ctx.attr<Integers>("pads"))
                              .attr("mode", mode)
                              .result());
}

// Linear in out_grad: padded again.
void grad_pad_grad(GradContext& ctx) {
  if (!ctx.needs_grad("out_grad")) return;
  ctx.set_input_grad("out_grad", pad(ctx.output_grad("x_grad"), ctx.attr<Integers>("pads"),
                                     ctx.attr<std::string>("mode")));
}

// Within each row, unless rows are added, dropped or moved.
bool padded_rows(BatchContext& ctx) {
  const auto& pads = ctx.types().attr<Integers>("pads");
  const std::size_t rank = pads.size() / 2;
  return rank > 0 && pads[0] == 0 && pads[rank] == 0;
}

// Each element that is kept is read from memory once, however often it is written.
Cost pad_cost(const InferContext& ctx) {
  const auto& pads = ctx.attr<Integers>("pads");
  const Shape& x = ctx.shape("x");
  auto bytes = static_cast<std::int64_t>(dtype_size(ctx.dtype("x")));
  for (int i = 0; i < x.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto after = at + static_cast<std::size_t>(x.rank());
    bytes = saturating_product(bytes, sdk::PadAxis::of(x[i], pads[at], pads[after]).kept);
  }
  const std::int64_t written = copy_cost(ctx).bytes / 2;
  return {0, bytes > Limits::max() - written ? Limits::max() : bytes + written};
}

}  // namespace

void register_pad_ops(OpRegistry& registry) {
  registry.add(
      OpSchema("pad")
          .gradient_uses({"pad", "pad_grad"})
          .meaning("x with elements before and after each dimension; negative pads crop")
          .exact()
          .input("x")
          .required_attr(
              "pads", Integers{},
              "elements in front of each dimension, then those behind each; negative ones crop")
          .attr("mode", std::string("constant"),
                "what the new elements are; constant: value or integer")
          .one_of({"constant", "reflect", "edge", "wrap"})
          .attr("value", 0.0, "the new elements of a floating x")
          .attr("integer", std::int64_t{0}, "the new elements of another x")
          .output("out")
          .infer(infer_pad)
          .gradient(grad_pad)
          .cost(pad_cost)
          .batch_rule(padded_rows));
  registry.add(
      OpSchema("pad_grad")
          .gradient_uses({"pad"})
          .meaning("the sum of out_grad over all places of each element; of x only the "
                   "shape is read")
          .accuracy("n roundoffs of sum |out_grad|, n places of one element")
          .input("x", kFloats, Arity::kRequired, Residence::kMetadata)
          .input("out_grad", kFloats)
          .required_attr(
              "pads", Integers{},
              "elements in front of each dimension, then those behind each; negative ones crop")
          .required_attr("mode", std::string("reflect"),
                         "what the new elements are; constant: value or integer")
          .one_of({"reflect", "edge", "wrap"})
          .output("x_grad")
          .infer(infer_pad_grad)
          .gradient(grad_pad_grad)
          .cost([](const InferContext& ctx) { return reduction_cost(ctx, "out_grad"); })
          .batch_rule(padded_rows));
}

}  // namespace loci::ops
