// div and rem.
#include <limits>

#include "tools/cuda_double/ptx/instructions/float_handlers.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

// Devices give all ones for a division by zero; the most negative number by -1 wraps.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};

}  // namespace

void translate_divide(Translator& translator, Form form) {
  const bool is_remainder = form.name() == "rem";
  const ScalarType type = form.take_type();
  translator.expect_operands(3);
  Handler handler = nullptr;
  if (is_float(type) && !is_remainder && type_bytes(type) >= 4 && type >= ScalarType::kF32) {
    // The approximations are not those of a device, but as exact as can be.
    (void)form.take_one_of({"approx", "full"});
    handler = float_handler<Divide, 2>(type, take_float_modifiers(form));
  } else {
    form.finish();
    handler = visit_integer(type, [&](auto tag) -> Handler {
      using T = typename decltype(tag)::Type;
      return is_remainder ? map_lanes<remainder<T>> : map_lanes<divide<T>>;
    });
  }
  translator.build(known(handler, form)).result(0, type).source(1, type).source(2, type).emit();
}

}  // namespace loci::cuda_double
