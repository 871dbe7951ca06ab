// rcp, sqrt, rsqrt, sin, cos, lg2, ex2 and tanh.
//
// Devices approximate most of these to a few ulps. Here they are computed in double precision and
// rounded once: as exact as can be, and not what any device gives to the last bit.
#include <cmath>

#include "tools/cuda_double/ptx/instructions/float_handlers.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

struct Reciprocal {
  template <class T>
  static T apply(T value) {
    return T(1) / value;
  }
};
struct SquareRoot {
  template <class T>
  static T apply(T value) {
    return std::sqrt(value);
  }
};
struct ReciprocalSquareRoot {
  static float apply(float value) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(value)));
  }
  static double apply(double value) { return 1.0 / std::sqrt(value); }
};

// A float of what double precision gives.
template <auto kFunction>
struct Through {
  template <class T>
  static T apply(T value) {
    return static_cast<T>(kFunction(static_cast<double>(value)));
  }
};
double sine(double value) { return std::sin(value); }
double cosine(double value) { return std::cos(value); }
double logarithm(double value) { return std::log2(value); }
double exponential(double value) { return std::exp2(value); }
double hyperbolic_tangent(double value) { return std::tanh(value); }

Handler pick(std::string_view name, ScalarType type, const FloatModifiers& modifiers) {
  if (name == "rcp") return float_handler<Reciprocal, 1>(type, modifiers);
  if (name == "sqrt") return float_handler<SquareRoot, 1>(type, modifiers);
  if (name == "rsqrt") return float_handler<ReciprocalSquareRoot, 1>(type, modifiers);
  if (type == ScalarType::kF64) return nullptr;
  if (name == "sin") return float_handler<Through<sine>, 1>(type, modifiers);
  if (name == "cos") return float_handler<Through<cosine>, 1>(type, modifiers);
  if (name == "lg2") return float_handler<Through<logarithm>, 1>(type, modifiers);
  if (name == "ex2") return float_handler<Through<exponential>, 1>(type, modifiers);
  return float_handler<Through<hyperbolic_tangent>, 1>(type, modifiers);
}

}  // namespace

void translate_function(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  (void)form.take("approx");
  const FloatModifiers modifiers = take_float_modifiers(form);
  translator.expect_operands(2);
  const Handler handler = is_float(type) ? pick(form.name(), type, modifiers) : nullptr;
  translator.build(known(handler, form)).result(0, type).source(1, type).emit();
}

}  // namespace loci::cuda_double
