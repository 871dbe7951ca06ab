// bilinear_interp and its gradient.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>

#include "tools/conformance/case.h"

namespace loci::conformance {
namespace {

struct Interp {
  Shape x;
  BilinearInterpOptions options;
  const char* note = "";

  [[nodiscard]] std::int64_t out(int axis) const {
    const std::int64_t given = axis == 2 ? options.out_h : options.out_w;
    if (given != 0) return given;
    return static_cast<std::int64_t>(std::floor(static_cast<double>(x[axis]) * options.scale));
  }
  [[nodiscard]] Shape result() const { return {x[0], x[1], out(2), out(3)}; }
  // Where an element of the result lies along an axis.
  [[nodiscard]] Real position(int axis, std::int64_t element) const {
    const auto in = static_cast<Real>(x[axis]);
    const auto d = static_cast<Real>(element);
    if (options.align_corners) {
      return out(axis) > 1 ? d * (in - 1) / static_cast<Real>(out(axis) - 1) : 0;
    }
    const Real ratio =
        options.scale > 0 ? 1 / Real{options.scale} : in / static_cast<Real>(out(axis));
    const Real at = options.align_mode == 1 ? d * ratio : (d + 0.5L) * ratio - 0.5L;
    return std::clamp<Real>(at, 0, in - 1);
  }
  [[nodiscard]] std::string variant() const {
    return fmt::format("{}x{}, scale {}{}, mode {}{}", options.out_h, options.out_w, options.scale,
                       options.align_corners ? ", corners" : "", options.align_mode, note);
  }
};

// One element of the source that an element of the result is made of.
struct Tap {
  std::int64_t index;
  Real weight;
};

// The share of each is 1 - |distance|. One that is 1 away, within `margin`, is named too, with a
// share of about 0: rounding of the position may bring it in.
std::vector<Tap> taps_at(Real position, std::int64_t extent, Real margin) {
  std::vector<Tap> taps;
  const auto at = static_cast<std::int64_t>(std::floor(position));
  for (std::int64_t i = std::max<std::int64_t>(at - 1, 0); i < std::min(at + 3, extent); ++i) {
    const Real distance = std::abs(position - static_cast<Real>(i));
    if (distance < 1 + margin) taps.push_back({i, std::max<Real>(1 - distance, 0)});
  }
  return taps;
}

// Up to three roundings of each position, as large as itself, move the result by at most twice the
// largest of its elements each; an interpolation rounds a weight, a difference, a product and a
// sum, on both axes.
Real slack_at(Real row, Real column) { return 6 * (row + 1) + 6 * (column + 1) + 14; }

std::vector<Expected> forward_reference(const Interp& op, const Array& x) {
  Expected out = Expected::bounded(x.dtype, op.result());
  for (std::size_t o = 0; o < out.size(); ++o) {
    const Index index = index_of(out.shape, o);
    const Real row = op.position(2, index[2]);
    const Real column = op.position(3, index[3]);
    Real largest = 0;
    for (const Tap& r : taps_at(row, op.x[2], 0)) {
      for (const Tap& c : taps_at(column, op.x[3], 0)) {
        const Real value = x.at({index[0], index[1], r.index, c.index});
        // An element without a share does not count, infinite or not.
        if (r.weight * c.weight == 0) continue;
        out.values[o] += r.weight * c.weight * value;
        largest = std::max(largest, std::abs(value));
      }
    }
    out.slack[o] = largest * slack_at(row, column);
  }
  return {out};
}

std::vector<Expected> grad_reference(const Interp& op, const Array& out_grad) {
  constexpr Real kMargin = 1e-3L;
  Expected grad = Expected::bounded(out_grad.dtype, op.x);
  std::vector<Real> terms(grad.size());
  std::vector<Real> magnitude(grad.size());
  for (std::size_t o = 0; o < out_grad.size(); ++o) {
    const Index index = index_of(out_grad.shape, o);
    const Real row = op.position(2, index[2]);
    const Real column = op.position(3, index[3]);
    const Real value = out_grad.values[o];
    for (const Tap& r : taps_at(row, op.x[2], kMargin)) {
      for (const Tap& c : taps_at(column, op.x[3], kMargin)) {
        const std::size_t i = grad.offset({index[0], index[1], r.index, c.index});
        grad.values[i] += r.weight * c.weight * value;
        grad.slack[i] += std::abs(value) * slack_at(row, column);
        magnitude[i] += std::abs(r.weight * c.weight * value);
        terms[i] += 1;
      }
    }
  }
  for (std::size_t i = 0; i < grad.size(); ++i) grad.slack[i] += terms[i] * magnitude[i];
  return {grad};
}

Case forward_case(DType dtype, const Interp& op, const Generator& values) {
  const bool small = op.x.numel() > 0 && op.result().numel() < 400 && *op.note == '\0';
  return {
      .op = "bilinear_interp",
      .variant = op.variant(),
      .inputs = {{dtype, op.x, values}},
      .build = [=](const Variables& in) { return Variables{bilinear_interp(in[0], op.options)}; },
      .reference = [=](const Arrays& in) { return forward_reference(op, in[0]); },
      .differentiate = small ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

Case grad_case(DType dtype, const Interp& op) {
  const bool small = op.x.numel() > 0 && op.result().numel() < 400 && *op.note == '\0';
  return {.op = "bilinear_interp_grad",
          .variant = op.variant(),
          .inputs = {{dtype, op.result(), uniform(-1, 1)}, {dtype, op.x, uniform(-1, 1)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("bilinear_interp_grad")
                    .input("out_grad", in[0])
                    .input("x", in[1])
                    .attr("out_h", op.options.out_h)
                    .attr("out_w", op.options.out_w)
                    .attr("scale", op.options.scale)
                    .attr("align_corners", op.options.align_corners)
                    .attr("align_mode", op.options.align_mode)
                    .results();
              },
          .reference = [=](const Arrays& in) { return grad_reference(op, in[0]); },
          .differentiate = small ? std::vector<std::size_t>{0} : std::vector<std::size_t>{}};
}

// Larger and smaller, by whole and odd ratios, down to one row and up from one; rows of the source
// that no element of the result touches; many elements of the result for one of the source.
const Interp kInterps[] = {
    {{1, 1, 1, 1}, {.out_h = 1, .out_w = 1}},
    {{1, 2, 1, 1}, {.out_h = 3, .out_w = 4}},
    {{2, 3, 4, 5}, {.out_h = 4, .out_w = 5}},
    {{2, 3, 4, 5}, {.out_h = 8, .out_w = 10}},
    {{1, 2, 5, 4}, {.out_h = 7, .out_w = 9}},
    {{1, 2, 7, 8}, {.out_h = 3, .out_w = 2}},
    {{1, 2, 6, 5}, {.out_h = 1, .out_w = 1}},
    {{1, 1, 12, 3}, {.out_h = 3, .out_w = 12}},
    {{1, 1, 2, 3}, {.out_h = 19, .out_w = 40}},
    {{1, 2, 4, 6}, {.scale = 2}},
    {{1, 2, 5, 7}, {.scale = 1.5}},
    {{1, 2, 5, 7}, {.scale = 0.4}},
    {{0, 2, 4, 4}, {.out_h = 3, .out_w = 5}},
    {{2, 0, 4, 4}, {.scale = 3}},
    {{1, 3, 33, 70}, {.out_h = 65, .out_w = 129}, ", large"},
    {{2, 2, 40, 90}, {.out_h = 13, .out_w = 37}, ", large"},
};

void add_special_cases(Suite& suite, DType dtype) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  const auto one = [](Real value) {
    return cycle({0.5L, -1, 2, 0.25L, -3, 1, 4, value, 0.125L, 2, -2, 1.5L});
  };
  // An element that has no share in a result does not reach it.
  const Interp doubled{{1, 1, 3, 4}, {.out_h = 6, .out_w = 8, .align_mode = 1}, ", nan"};
  suite.add(forward_case(dtype, doubled, one(NAN)));
  const Interp corners{{1, 1, 3, 4},
                       {.out_h = 2, .out_w = 2, .align_corners = true},
                       ", infinite between the corners"};
  suite.add(forward_case(dtype, corners, cycle({1, kInfinity, kInfinity, 2})));
}

}  // namespace

void add_bilinear_interp_cases(Suite& suite) {
  for (const DType dtype : kFloatTypes) {
    for (Interp op : kInterps) {
      suite.add(forward_case(dtype, op, uniform(-2, 2)));
      suite.add(grad_case(dtype, op));
      op.options.align_mode = 1;
      suite.add(forward_case(dtype, op, uniform(-2, 2)));
      suite.add(grad_case(dtype, op));
      op.options.align_corners = true;
      suite.add(forward_case(dtype, op, uniform(-2, 2)));
      suite.add(grad_case(dtype, op));
    }
    add_special_cases(suite, dtype);
  }
  // The program of the profiling tutorial: 10 samples, 16 channels, 64 by 64.
  const Interp tutorial{{10, 16, 64, 64}, {.out_h = 128, .out_w = 128, .align_mode = 1}, ", large"};
  suite.add(forward_case(kFloat32, tutorial, uniform(-2, 2)));
  suite.add(grad_case(kFloat32, tutorial));
}

}  // namespace loci::conformance
