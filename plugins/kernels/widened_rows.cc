#include "plugins/kernels/widened_rows.h"

#include <algorithm>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/narrow_elements.h"

namespace loci::kernels {
namespace {

// A chunk's elements that leave room for others in the first cache.
constexpr std::int64_t kWantedElements = 2048;
// A kernel that gets more to do than this would share it with other threads.
constexpr std::int64_t kMostPicoseconds = 9'000'000;

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

WideRows::WideRows(const sdk::Host& host, const sdk::OpDesc& op, std::int64_t rows,
                   const RowArguments& arguments, std::int64_t picoseconds)
    : host_(&host), dtype_(op.input(0).dtype()), counts_(arguments.counts), rows_(rows) {
  for (std::uint32_t i = 0; i < counts_.inputs; ++i) {
    if (op.has_input(i)) add(&inputs_[i], op.input(i), (arguments.inputs >> i & 1U) != 0);
  }
  for (std::uint32_t i = 0; i < counts_.outputs; ++i) {
    const std::int64_t before = row_elements_;
    add(&outputs_[i], op.output(i), (arguments.outputs >> i & 1U) != 0);
    if (i != 0 || !arguments.in_place) continue;
    outputs_[0].offset = inputs_[0].offset;
    row_elements_ = before;
  }
  if (!suits()) return;
  const std::int64_t wanted = std::min(kWantedElements / row_elements_,
                                       kMostPicoseconds / std::max<std::int64_t>(picoseconds, 1) /
                                           std::max<std::int64_t>(longest_, 1));
  chunk_ = std::clamp<std::int64_t>(wanted, 1, rows_);
  grain_ = grain_for((picoseconds + 200) * longest_ * chunk_);
}

void WideRows::add(Argument* argument, const sdk::Arg& described, bool has_rows) {
  if (described.residence() == LOCI_RESIDENCE_METADATA) return;
  argument->bytes = static_cast<std::int64_t>(sdk::dtype_bytes(described.dtype()));
  argument->is_wide = described.dtype() == dtype_;
  if (has_rows) {
    argument->elements = rows_ == 0 ? 0 : described.numel() / rows_;
    if (!argument->is_wide) return;
    argument->offset = row_elements_;
    row_elements_ += argument->elements;
    longest_ = std::max(longest_, argument->elements);
  } else if (argument->is_wide) {
    argument->count = described.numel();
    argument->offset = static_cast<std::int64_t>(shared_bytes_);
    shared_bytes_ += aligned(static_cast<std::uint64_t>(argument->count) * sizeof(float));
  }
}

bool WideRows::suits() const {
  return rows_ > 0 && row_elements_ > 0 && row_elements_ <= kMostElements;
}

void WideRows::widen_shared(const sdk::Launch& launch) const {
  for (std::uint32_t i = 0; i < counts_.inputs; ++i) {
    const Argument& argument = inputs_[i];
    if (argument.count == 0) continue;
    widen_elements(dtype_, launch.input<void>(i),
                   launch.workspace<void>(static_cast<std::uint64_t>(argument.offset)),
                   argument.count);
  }
}

WideRows::Chunk::Chunk(const WideRows& rows, const sdk::Launch& launch)
    : rows_(rows), launch_(launch), raw_(launch.raw()) {
  for (std::uint32_t i = 0; i < rows.counts_.inputs; ++i) {
    inputs_[i] = *launch.raw().inputs[i];
    input_pointers_[i] = &inputs_[i];
  }
  for (std::uint32_t i = 0; i < rows.counts_.outputs; ++i) {
    outputs_[i] = *launch.raw().outputs[i];
    output_pointers_[i] = &outputs_[i];
  }
  raw_.inputs = input_pointers_.data();
  raw_.outputs = output_pointers_.data();
}

// Where the kernel finds the chunk's part.
void* WideRows::Chunk::place(const Argument& argument, const loci_view& view) {
  if (view.data == nullptr) return nullptr;
  if (argument.is_wide && argument.elements == 0) {
    return launch_.workspace<void>(static_cast<std::uint64_t>(argument.offset));
  }
  if (argument.is_wide) return wide_ + argument.offset * rows_.chunk_;
  return static_cast<char*>(view.data) + first_ * argument.elements * argument.bytes;
}

sdk::Launch WideRows::Chunk::widen(std::int64_t first, std::int64_t count) {
  first_ = first;
  count_ = count;
  for (std::uint32_t i = 0; i < rows_.counts_.inputs; ++i) {
    const Argument& argument = rows_.inputs_[i];
    const loci_view& view = launch_.input_view(i);
    inputs_[i].data = place(argument, view);
    if (!argument.is_wide || argument.elements == 0 || view.data == nullptr) continue;
    widen_elements(rows_.dtype_,
                   static_cast<const char*>(view.data) + first * argument.elements * argument.bytes,
                   inputs_[i].data, count * argument.elements);
  }
  for (std::uint32_t i = 0; i < rows_.counts_.outputs; ++i) {
    outputs_[i].data = place(rows_.outputs_[i], launch_.output_view(i));
  }
  return sdk::Launch(raw_);
}

void WideRows::Chunk::narrow() {
  for (std::uint32_t i = 0; i < rows_.counts_.outputs; ++i) {
    const Argument& argument = rows_.outputs_[i];
    if (!argument.is_wide || argument.elements == 0 || outputs_[i].data == nullptr) continue;
    auto* to = static_cast<char*>(launch_.output_view(i).data);
    narrow_elements(rows_.dtype_, outputs_[i].data,
                    to + first_ * argument.elements * argument.bytes, count_ * argument.elements);
  }
}

}  // namespace loci::kernels
