// pad in all modes, and its gradient. The reference writes down the source of each element of a
// dimension, one after the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/ops.hpp>
#include <optional>
#include <string>

#include "tools/conformance/case.h"
#include "tools/conformance/rearrange.h"

namespace loci::conformance {
namespace {

using PadIntegers = std::vector<std::int64_t>;

struct Padding {
  Shape x;
  PadIntegers pads;
};

// For each element of a padded dimension, its element in x, or -1. They are put on one by one, from
// the inside to the outside: what a mirror, an edge or a repetition means comes out by itself.
PadIntegers padded_sources(std::int64_t extent, std::int64_t before, std::int64_t after,
                           const std::string& mode) {
  PadIntegers kept;
  for (std::int64_t i = std::max<std::int64_t>(-before, 0);
       i < extent - std::max<std::int64_t>(-after, 0); ++i) {
    kept.push_back(i);
  }
  const PadIntegers middle = kept;
  const auto in_middle = [&](std::size_t i) { return middle[i % middle.size()]; };
  PadIntegers front;  // from the inside to the outside
  for (std::int64_t i = 0; i < before; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (mode == "constant") front.push_back(-1);
    if (mode == "reflect") front.push_back(middle[at + 1]);
    if (mode == "edge") front.push_back(middle.front());
    if (mode == "wrap") front.push_back(in_middle(middle.size() - 1 - at % middle.size()));
  }
  for (std::int64_t i = 0; i < after; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (mode == "constant") kept.push_back(-1);
    if (mode == "reflect") kept.push_back(middle[middle.size() - 2 - at]);
    if (mode == "edge") kept.push_back(middle.back());
    if (mode == "wrap") kept.push_back(in_middle(at));
  }
  kept.insert(kept.begin(), front.rbegin(), front.rend());
  return kept;
}

class PadSources {
 public:
  PadSources(const Padding& op, const std::string& mode) {
    const auto rank = static_cast<std::size_t>(op.x.rank());
    for (std::size_t i = 0; i < rank; ++i) {
      sources_.push_back(
          padded_sources(op.x[static_cast<int>(i)], op.pads[i], op.pads[i + rank], mode));
    }
  }

  [[nodiscard]] Shape shape() const {
    Shape shape;
    for (const PadIntegers& axis : sources_) {
      shape.push_back(static_cast<std::int64_t>(axis.size()));
    }
    return shape;
  }
  // Nothing for a constant.
  [[nodiscard]] std::optional<Index> of(Index index) const {
    for (std::size_t i = 0; i < index.size(); ++i) {
      index[i] = sources_[i][static_cast<std::size_t>(index[i])];
      if (index[i] < 0) return std::nullopt;
    }
    return index;
  }

 private:
  std::vector<PadIntegers> sources_;
};

std::vector<Expected> padded(const Array& x, const PadSources& sources, Real value) {
  Expected out = Expected::exact(x.dtype, sources.shape());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto source = sources.of(index_of(out.shape, i));
    out.values[i] = source ? x.at(*source) : value;
  }
  return {out};
}

std::string variant_of(const Padding& op, const std::string& mode) {
  return mode + " " + to_string(Attribute(op.pads));
}

// References of large cases take long, and central differences evaluate many.
std::vector<std::size_t> differentiated(const Padding& op, std::size_t input) {
  if (op.x.numel() > 1000) return {};
  return {input};
}

Case pad_case(DType dtype, const Padding& op, const std::string& mode) {
  const PadSources sources(op, mode);
  return {.op = "pad",
          .variant = variant_of(op, mode),
          .inputs = {{dtype, op.x, small_values(dtype)}},
          .build = [=](const Variables& in) { return Variables{pad(in[0], op.pads, mode)}; },
          .reference = [=](const Arrays& in) { return padded(in[0], sources, 0); },
          .differentiate = differentiated(op, 0)};
}

template <class Number>
Case pad_value_case(DType dtype, const Padding& op, Number value) {
  const PadSources sources(op, "constant");
  return {
      .op = "pad",
      .variant = variant_of(op, "constant") + " with " + std::to_string(value),
      .inputs = {{dtype, op.x, small_values(dtype)}},
      .build =
          [=](const Variables& in) { return Variables{pad(in[0], op.pads, "constant", value)}; },
      .reference =
          [=](const Arrays& in) { return padded(in[0], sources, static_cast<Real>(value)); },
      .differentiate = {0}};
}

// The bits of elements that no arithmetic may touch.
Case pad_specials_case(DType dtype, const std::string& mode) {
  constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
  constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
  const Padding op{{3, 5}, {1, 2, 2, 1}};
  const PadSources sources(op, mode);
  return {.op = "pad",
          .variant = variant_of(op, mode) + " of specials",
          .inputs = {{dtype, op.x, cycle({kInfinity, 1, kNaN, -kInfinity, -0.0L, 0, 2})}},
          .build = [=](const Variables& in) { return Variables{pad(in[0], op.pads, mode)}; },
          .reference = [=](const Arrays& in) { return padded(in[0], sources, 0); }};
}

// 16-bit floats too, which central differences leave out: each sum is rounded once.
Case pad_grad_case(DType dtype, const Padding& op, const std::string& mode) {
  const PadSources sources(op, mode);
  return {.op = "pad_grad",
          .variant = variant_of(op, mode),
          .inputs = {{dtype, op.x, uniform(-2, 2)}, {dtype, sources.shape(), uniform(-2, 2)}},
          .build =
              [=](const Variables& in) {
                return OpCall<Variable>("pad_grad")
                    .input("x", in[0])
                    .input("out_grad", in[1])
                    .attr("pads", op.pads)
                    .attr("mode", mode)
                    .results();
              },
          .reference =
              [=](const Arrays& in) {
                Expected out = Expected::bounded(dtype, op.x);
                std::vector<Real> terms(out.size());
                const Array& grad = in[1];
                for (std::size_t i = 0; i < grad.size(); ++i) {
                  const std::size_t to = out.offset(*sources.of(index_of(grad.shape, i)));
                  out.values[to] += grad.values[i];
                  out.slack[to] += std::abs(grad.values[i]);
                  ++terms[to];
                }
                for (std::size_t i = 0; i < out.size(); ++i) out.slack[i] *= terms[i];
                return std::vector{out};
              },
          .differentiate = differentiated(op, 1)};
}

// All modes take these.
const std::vector<Padding>& paddings() {
  static const std::vector<Padding> kPaddings{
      {{}, {}},
      {{7}, {0, 0}},
      {{7}, {2, 3}},
      {{7}, {-2, 3}},
      {{7}, {4, -2}},
      {{7}, {-3, -4}},
      {{4, 6}, {1, 0, 2, 0}},
      {{4, 6}, {0, 2, 0, 1}},
      {{4, 6}, {-1, 2, 2, -3}},
      {{0, 3}, {0, 1, 0, 2}},
      {{3, 4, 5}, {0, 1, 0, 0, 2, 0}},
      {{3, 4, 5}, {2, 1, 4, 1, 3, 3}},
      {{2, 3, 5, 4}, {0, 0, 1, 1, 0, 0, 2, 1}},
      {{2, 5, 4, 3}, {0, 1, 1, 0, 0, 2, 1, 0}},
      {{2, 3, 2, 3, 2, 2, 2, 2}, {0, 1, 0, 0, 1, 0, 0, 1, 0, 2, 0, -1, 0, 0, 1, 0}},
  };
  return kPaddings;
}

// Longer than what is there, and more elements than a thread has at once.
const std::vector<Padding>& long_paddings() {
  static const std::vector<Padding> kPaddings{
      {{1}, {5, 3}},
      {{2}, {7, 8}},
      {{3}, {-2, 9}},
      {{3, 2}, {4, 5, 8, 3}},
      {{2, 3, 2}, {0, 4, 3, 5, 3, 0}},
  };
  return kPaddings;
}

const std::vector<Padding>& large_paddings() {
  static const std::vector<Padding> kPaddings{
      {{33, 517}, {3, 5, 2, 12}},         {{9, 70, 16}, {0, 3, 0, 0, 2, 0}},
      {{5, 3, 2200}, {2, 1, 0, 1, 0, 0}}, {{9000}, {100, 200}},
      {{21, 31, 3}, {1, 2, 0, 2, 1, 0}},
  };
  return kPaddings;
}

constexpr const char* kRepeatingModes[] = {"reflect", "edge", "wrap"};

void add_constant_pads(Suite& suite, DType dtype) {
  for (const Padding& op : paddings()) suite.add(pad_case(dtype, op, "constant"));
  for (const Padding& op : long_paddings()) suite.add(pad_case(dtype, op, "constant"));
  // Nothing is there, and constants are all.
  suite.add(pad_case(dtype, {{0, 3}, {2, 1, 1, 0}}, "constant"));
  suite.add(pad_case(dtype, {{3}, {-3, 2}}, "constant"));
}

// Only the bytes of an element make a difference to these modes.
void add_repeating_pads(Suite& suite, DType dtype) {
  for (const Padding& op : paddings()) {
    for (const char* mode : kRepeatingModes) suite.add(pad_case(dtype, op, mode));
  }
  for (const Padding& op : long_paddings()) {
    for (const char* mode : {"edge", "wrap"}) suite.add(pad_case(dtype, op, mode));
  }
}

void add_pad_values(Suite& suite) {
  const Padding op{{3, 4}, {1, 2, 0, 1}};
  for (const DType dtype : kAllTypes) suite.add(pad_value_case(dtype, op, 1));
  for (const DType dtype : kFloatTypes) {
    for (const double value : {0.1, -1e-5, 65519.0, 65520.0}) {
      suite.add(pad_value_case(dtype, op, value));
    }
  }
  for (const DType dtype : {kInt8, kUInt8}) suite.add(pad_value_case(dtype, op, 127.0));
  // No float64 holds these.
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  for (const DType dtype : {kInt64, kUInt64}) suite.add(pad_value_case(dtype, op, kMost - 1));
  suite.add(pad_value_case(kInt64, op, -kMost));
  suite.add(pad_value_case(kFloat64, op, kMost - 1));
}

void add_pad_grads(Suite& suite, DType dtype) {
  for (const char* mode : kRepeatingModes) {
    for (const Padding& op : paddings()) suite.add(pad_grad_case(dtype, op, mode));
    for (const Padding& op : large_paddings()) suite.add(pad_grad_case(dtype, op, mode));
  }
  for (const Padding& op : long_paddings()) {
    for (const char* mode : {"edge", "wrap"}) suite.add(pad_grad_case(dtype, op, mode));
  }
}

}  // namespace

void add_pad_cases(Suite& suite) {
  for (const DType dtype : kAllTypes) add_constant_pads(suite, dtype);
  for (const DType dtype : {kBool, kInt16, kInt64, kFloat16, kFloat32, kFloat64}) {
    add_repeating_pads(suite, dtype);
  }
  add_pad_values(suite);
  for (const DType dtype : {kUInt8, kBFloat16, kFloat32, kFloat64}) {
    for (const Padding& op : large_paddings()) {
      suite.add(pad_case(dtype, op, "constant"));
      for (const char* mode : kRepeatingModes) suite.add(pad_case(dtype, op, mode));
    }
  }
  for (const DType dtype : kFloatTypes) {
    add_pad_grads(suite, dtype);
    for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
      suite.add(pad_specials_case(dtype, mode));
    }
  }
}

}  // namespace loci::conformance
