// selp and slct.
#include "tools/cuda_double/ptx/instructions/type_visit.h"
#include "tools/cuda_double/ptx/run/float_math.h"
#include "tools/cuda_double/ptx/run/lanes.h"
#include "tools/cuda_double/ptx/translator.h"

namespace loci::cuda_double {
namespace {

template <class T>
T choose(T a, T b, bool first) {
  return first ? a : b;
}

template <class T, class Sign, bool kFlush>
T choose_by_sign(T a, T b, Sign sign) {
  return flush_if<kFlush>(sign) >= Sign{0} ? a : b;
}

// The bits of a value of this type.
ScalarType as_bits(ScalarType type) {
  switch (type_bytes(type)) {
    case 2: return ScalarType::kB16;
    case 4: return ScalarType::kB32;
    case 8: return ScalarType::kB64;
    default: return type;
  }
}

template <class T>
Handler sign_handler(ScalarType sign, bool flush) {
  if (sign == ScalarType::kS32) return map_lanes<choose_by_sign<T, std::int32_t, false>>;
  if (sign != ScalarType::kF32) return nullptr;
  return flush ? map_lanes<choose_by_sign<T, float, true>>
               : map_lanes<choose_by_sign<T, float, false>>;
}

}  // namespace

void translate_choice(Translator& translator, Form form) {
  const ScalarType type = form.take_type();
  translator.expect_operands(4);
  if (form.name() == "selp") {
    form.finish();
    const Handler handler = visit_integer(as_bits(type), [](auto tag) -> Handler {
      return map_lanes<choose<typename decltype(tag)::Type>>;
    });
    translator.build(known(handler, form))
        .result(0, type)
        .source(1, type)
        .source(2, type)
        .source(3, ScalarType::kPred)
        .flow(DataFlow::kSelect)
        .emit();
    return;
  }
  const ScalarType sign = form.take_type();
  const bool flush = form.take("ftz");
  form.finish();
  const Handler handler = visit_integer(as_bits(type), [&](auto tag) {
    return sign_handler<typename decltype(tag)::Type>(sign, flush);
  });
  translator.build(known(handler, form))
      .result(0, type)
      .source(1, type)
      .source(2, type)
      .source(3, sign)
      .emit();
}

}  // namespace loci::cuda_double
