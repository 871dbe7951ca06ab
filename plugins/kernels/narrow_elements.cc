#include "plugins/kernels/narrow_elements.h"

#include <algorithm>

#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {
namespace {

// The narrow elements, and what stands for them.
template <class Narrow, class Wide>
struct Formats {
  using Element = Narrow;
  using Word = Wide;
};

template <class Visitor>
void visit_formats(loci_dtype dtype, const Visitor& visitor) {
  switch (dtype) {
    case LOCI_DTYPE_BF16: return visitor(Formats<sdk::bf16, float>());
    case LOCI_DTYPE_F16: return visitor(Formats<sdk::f16, float>());
    case LOCI_DTYPE_I16:
    case LOCI_DTYPE_U16: return visitor(Formats<std::uint16_t, std::uint32_t>());
    case LOCI_DTYPE_I8:
    case LOCI_DTYPE_U8: return visitor(Formats<std::uint8_t, std::uint32_t>());
    default: sdk::fail_dtype(dtype);
  }
}

template <class Narrow>
void widen(const Narrow* from, std::uint32_t* to, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
  });
}

template <class Narrow>
void narrow(const std::uint32_t* from, Narrow* to, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Narrow>(from[i]);
  });
}

}  // namespace

bool is_narrow(loci_dtype dtype) {
  return dtype != LOCI_DTYPE_BOOL && (sdk::dtype_bytes(dtype) == 1 || sdk::dtype_bytes(dtype) == 2);
}

loci_dtype wide_dtype(loci_dtype narrow) {
  const bool is_float = narrow == LOCI_DTYPE_BF16 || narrow == LOCI_DTYPE_F16;
  return is_float ? LOCI_DTYPE_F32 : LOCI_DTYPE_U32;
}

void widen_elements(loci_dtype dtype, const void* from, void* to, std::int64_t count) {
  visit_formats(dtype, [&](auto formats) {
    using F = decltype(formats);
    widen(static_cast<const typename F::Element*>(from), static_cast<typename F::Word*>(to), count);
  });
}

void narrow_elements(loci_dtype dtype, const void* from, void* to, std::int64_t count) {
  visit_formats(dtype, [&](auto formats) {
    using F = decltype(formats);
    narrow(static_cast<const typename F::Word*>(from), static_cast<typename F::Element*>(to),
           count);
  });
}

}  // namespace loci::kernels
