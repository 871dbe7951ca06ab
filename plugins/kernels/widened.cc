#include "plugins/kernels/widened.h"

#include "plugins/kernels/grain.h"
#include "plugins/kernels/narrow_elements.h"

namespace loci::kernels {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kWordBytes = 4;
constexpr std::int64_t kGrain = grain_for(150);

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Calls convert(begin, end) for all elements, on the host's threads.
template <class Convert>
void for_ranges(const sdk::Host& host, std::int64_t count, const Convert& convert) {
  host.parallel_for(0, count, kGrain,
                    [&](std::int64_t begin, std::int64_t end) { convert(begin, end); });
}

template <class Byte>
Byte* element(Byte* data, std::uint64_t bytes, std::int64_t index) {
  return data + bytes * static_cast<std::uint64_t>(index);
}

}  // namespace

WideArguments::WideArguments(const sdk::Host& host, const sdk::OpDesc& op, ArgumentCounts counts,
                             std::uint64_t own_bytes, std::uint32_t as_given)
    : host_(&host), dtype_(op.input(0).dtype()), counts_(counts), bytes_(aligned(own_bytes)) {
  for (std::uint32_t i = 0; i < counts.inputs; ++i) {
    if (op.has_input(i) && (as_given >> i & 1U) == 0) reserve(&inputs_[i], op.input(i));
  }
  for (std::uint32_t i = 0; i < counts.outputs; ++i) reserve(&outputs_[i], op.output(i));
}

void WideArguments::reserve(Argument* argument, const sdk::Arg& described) {
  if (described.dtype() != dtype_ || described.residence() == LOCI_RESIDENCE_METADATA) return;
  argument->count = described.numel();
  argument->offset = bytes_;
  bytes_ += aligned(static_cast<std::uint64_t>(argument->count) * kWordBytes);
}

const loci_view* WideArguments::wide_view(const sdk::Launch& launch, const loci_view* view,
                                          const Argument& argument, loci_view* wide) const {
  if (argument.count == 0) return view;
  *wide = *view;
  wide->data = launch.workspace<void>(argument.offset);
  wide->bytes = static_cast<std::uint64_t>(argument.count) * kWordBytes;
  wide->dtype = wide_dtype(dtype_);
  return wide;
}

loci_launch WideArguments::widen_inputs(const sdk::Launch& launch, Views* views) const {
  const std::uint64_t bytes = sdk::dtype_bytes(dtype_);
  loci_view* wide = views->wide.data();
  for (std::uint32_t i = 0; i < counts_.inputs; ++i, ++wide) {
    const auto* from = launch.input<char>(i);
    auto* to = launch.workspace<char>(inputs_[i].offset);
    for_ranges(*host_, inputs_[i].count, [&](std::int64_t begin, std::int64_t end) {
      widen_elements(dtype_, element(from, bytes, begin), element(to, kWordBytes, begin),
                     end - begin);
    });
    views->inputs[i] = wide_view(launch, launch.raw().inputs[i], inputs_[i], wide);
  }
  for (std::uint32_t i = 0; i < counts_.outputs; ++i, ++wide) {
    views->outputs[i] = wide_view(launch, launch.raw().outputs[i], outputs_[i], wide);
  }
  loci_launch result = launch.raw();
  result.inputs = views->inputs.data();
  result.outputs = views->outputs.data();
  return result;
}

void WideArguments::narrow_outputs(const sdk::Launch& launch) const {
  const std::uint64_t bytes = sdk::dtype_bytes(dtype_);
  for (std::uint32_t i = 0; i < counts_.outputs; ++i) {
    const auto* from = launch.workspace<char>(outputs_[i].offset);
    auto* to = launch.output<char>(i);
    for_ranges(*host_, outputs_[i].count, [&](std::int64_t begin, std::int64_t end) {
      narrow_elements(dtype_, element(from, kWordBytes, begin), element(to, bytes, begin),
                      end - begin);
    });
  }
}

}  // namespace loci::kernels
