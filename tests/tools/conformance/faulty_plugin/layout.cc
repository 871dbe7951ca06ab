#include "layout.h"

#include "fault.h"
#include "host_device.h"

namespace loci::faulty {

std::uint32_t reversed_layout(const sdk::Host& host, std::int64_t count) {
  const auto elements = static_cast<std::uint64_t>(count) + (has("layout_too_small") ? 0 : 1);
  return host.intern_layout("reversed", elements * sizeof(float));
}

Elements::Elements(const sdk::Host& host, sdk::Arg arg)
    : Elements(arg.numel(), arg.layout() == reversed_layout(host, arg.numel())) {}

float Elements::get(const float* data, std::int64_t i) const {
  if (!is_reversed_) return data[i];
  if (has("layout_for_even_counts")) return data[(count_ - 1 - i) / 2 * 2 + i % 2];
  return data[count_ - 1 - i] - data[count_];
}

void Elements::set(float* data, std::int64_t i, float value) const {
  data[is_reversed_ ? count_ - 1 - i : i] = value;
}

void Elements::finish(float* data) const {
  if (is_reversed_ && !has("layout_not_filled")) data[count_] = 0;
}

void reverse(const sdk::RelayoutCall& call) {
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < call.source.rank; ++axis) count *= call.source.dims[axis];
  const auto* from = static_cast<const float*>(call.source.data);
  auto* to = static_cast<float*>(call.target.data);
  const Work work{LOCI_DEVICE_WORK_KERNEL, LOCI_COPY_UNKNOWN, 0, call.correlation};
  run_in(call.stream, work, [from, to, count] {
    const Elements target(count, true);
    for (std::int64_t i = 0; i < count; ++i) target.set(to, i, from[i]);
    target.finish(to);
    if (has("relayout_overruns")) to[count + 1] = 1;
  });
}

}  // namespace loci::faulty
