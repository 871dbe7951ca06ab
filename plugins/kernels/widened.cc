#include "plugins/kernels/widened.h"

#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/half_convert.h"
#include "plugins/kernels/isa.h"

namespace loci::kernels {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kWordBytes = 4;
constexpr std::int64_t kGrain = grain_for(150);

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

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
  run_widest([&](auto) LOCI_INLINE { std::copy_n(from, count, to); });
}

template <class Narrow>
void narrow(const std::uint32_t* from, Narrow* to, std::int64_t count) {
  run_widest([&](auto) LOCI_INLINE {
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Narrow>(from[i]);
  });
}

}  // namespace

WideArguments::WideArguments(const sdk::Host& host, const sdk::OpDesc& op, std::uint32_t inputs,
                             std::uint64_t own_bytes, std::uint32_t as_given)
    : host_(&host), dtype_(op.output(0).dtype()), inputs_(inputs), bytes_(aligned(own_bytes)) {
  for (std::uint32_t i = 0; i < inputs; ++i) {
    if (!op.has_input(i) || (as_given >> i & 1U) != 0) continue;
    if (op.input(i).residence() == LOCI_RESIDENCE_METADATA) continue;
    reserve(&arguments_[i], op.input(i));
  }
  reserve(&arguments_[kOutput], op.output(0));
}

void WideArguments::reserve(Argument* argument, const sdk::Arg& described) {
  argument->count = described.numel();
  argument->offset = bytes_;
  bytes_ += aligned(static_cast<std::uint64_t>(argument->count) * kWordBytes);
}

void WideArguments::widen_input(const sdk::Launch& launch, std::uint32_t index) const {
  const Argument& argument = arguments_[index];
  visit_formats(dtype_, [&](auto formats) {
    using F = decltype(formats);
    const auto* from = launch.input<typename F::Element>(index);
    auto* to = launch.workspace<typename F::Word>(argument.offset);
    host_->parallel_for(0, argument.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      widen(from + begin, to + begin, end - begin);
    });
  });
}

void WideArguments::narrow_output(const sdk::Launch& launch) const {
  const Argument& argument = arguments_[kOutput];
  visit_formats(dtype_, [&](auto formats) {
    using F = decltype(formats);
    const auto* from = launch.workspace<typename F::Word>(argument.offset);
    auto* to = launch.output<typename F::Element>(0);
    host_->parallel_for(0, argument.count, kGrain, [&](std::int64_t begin, std::int64_t end) {
      narrow(from + begin, to + begin, end - begin);
    });
  });
}

loci_view WideArguments::wide_view(const sdk::Launch& launch, const loci_view& view,
                                   const Argument& argument) const {
  loci_view wide = view;
  wide.data = launch.workspace<void>(argument.offset);
  wide.bytes = static_cast<std::uint64_t>(argument.count) * kWordBytes;
  wide.dtype =
      dtype_ == LOCI_DTYPE_BF16 || dtype_ == LOCI_DTYPE_F16 ? LOCI_DTYPE_F32 : LOCI_DTYPE_U32;
  return wide;
}

loci_launch WideArguments::widen_inputs(const sdk::Launch& launch, Views* views) const {
  for (std::uint32_t i = 0; i < inputs_; ++i) {
    views->inputs[i] = launch.raw().inputs[i];
    if (arguments_[i].count == 0) continue;
    widen_input(launch, i);
    views->wide[i] = wide_view(launch, launch.input_view(i), arguments_[i]);
    views->inputs[i] = &views->wide[i];
  }
  views->wide[kOutput] = wide_view(launch, launch.output_view(0), arguments_[kOutput]);
  views->output = &views->wide[kOutput];
  loci_launch wide = launch.raw();
  wide.inputs = views->inputs.data();
  wide.outputs = &views->output;
  return wide;
}

}  // namespace loci::kernels
