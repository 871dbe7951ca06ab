#include "plugins/cpu/onednn/parts.h"

#include <algorithm>
#include <utility>

#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

using Binding = Execution::Binding;

bool are_alike(const Binding& a, const Binding& b) {
  return a.kind == b.kind && a.index == b.index && a.given.begin == b.given.begin &&
         a.given.desc == b.given.desc && a.chosen == b.chosen;
}

}  // namespace

Parts::Parts(std::vector<Execution> parts, Cut cut, std::uint32_t threads)
    : parts_(std::move(parts)), cut_(std::move(cut)) {
  pack();
  if (parts_.size() > 1) prepare_shared(threads);
  for (Execution& part : parts_) part.lay_out(&workspace_);
}

void Parts::pack() {
  for (Execution& part : parts_) {
    for (Binding& binding : part.bindings()) {
      if (binding.kind != Binding::Kind::kPacked) continue;
      auto packed = std::find_if(packed_.begin(), packed_.end(),
                                 [&](const Packed& known) { return known.index == binding.index; });
      if (packed == packed_.end()) {
        packed = packed_.insert(packed_.end(), {binding.index, part.elements(), {}, 0});
      }
      add_to(&*packed, &binding);
    }
  }
}

// Parts that read the same, packed in the same way, share it.
void Parts::add_to(Packed* packed, Binding* binding) const {
  const auto known =
      std::find_if(packed->pieces.begin(), packed->pieces.end(), [&](const Packed::Piece& piece) {
        return piece.given.begin == binding->given.begin &&
               piece.given.desc == binding->given.desc && piece.chosen.desc == binding->chosen;
      });
  if (known != packed->pieces.end()) {
    binding->packed_begin = known->chosen.begin;
    return;
  }
  binding->packed_begin = static_cast<std::int64_t>(packed->bytes);
  packed->pieces.push_back({binding->given, {binding->chosen, binding->packed_begin}});
  packed->bytes = end_of_data(packed->bytes, binding->chosen);
}

void Parts::prepare_shared(std::uint32_t threads) {
  for (const Binding& first : parts_.front().bindings()) {
    if (first.kind != Binding::Kind::kInput || !first.is_reordered()) continue;
    const auto reads_it = [&](const Execution& part) {
      return std::any_of(part.bindings().begin(), part.bindings().end(),
                         [&](const Binding& binding) { return are_alike(binding, first); });
    };
    if (!std::all_of(parts_.begin(), parts_.end(), reads_it)) continue;
    const Binding shared = first;
    const std::uint64_t offset = workspace_.reserve(shared.chosen, "an argument that parts share");
    for (Execution& part : parts_) {
      for (Binding& binding : part.bindings()) {
        if (!are_alike(binding, shared)) continue;
        binding.is_prepared = true;
        binding.offset = offset;
      }
    }
    prepare(shared, offset, threads);
  }
}

void Parts::prepare(const Binding& shared, std::uint64_t offset, std::uint32_t threads) {
  const auto from_step = step_of_first(shared.given.desc);
  const auto to_step = step_of_first(shared.chosen);
  const std::int64_t extent = extents_of(shared.chosen).front();
  const std::int64_t pieces = from_step && to_step ? std::min<std::int64_t>(extent, threads) : 1;
  for (const Range& range : cut_evenly(extent, 1, pieces)) {
    if (pieces == 1) {
      preparations_.push_back({shared.index, shared.given, shared.chosen, offset,
                               make_reorder(shared.given.desc, shared.chosen)});
      continue;
    }
    const auto from = first_of(shared.given.desc, range.count);
    const auto to = first_of(shared.chosen, range.count);
    preparations_.push_back({shared.index,
                             {from, shared.given.begin + range.begin * *from_step},
                             to,
                             offset + static_cast<std::uint64_t>(range.begin * *to_step),
                             make_reorder(from, to)});
  }
}

std::optional<kernels::ImageLayout> Parts::output_layout() const {
  const kernels::ImageLayout first = parts_.front().output_layout();
  const bool is_one = std::all_of(parts_.begin(), parts_.end(), [&](const Execution& part) {
    return part.output_layout() == first;
  });
  return is_one ? std::optional(first) : std::nullopt;
}

std::uint64_t Parts::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Execution& part : parts_) bytes += part.memory_bytes();
  return bytes;
}

void Parts::reorder(const Preparation& preparation, const sdk::Launch& launch) {
  dnnl::stream stream(engine());
  char* const data = static_cast<char*>(launch.input_view(preparation.index).data);
  const dnnl::memory from(preparation.from.desc, engine(), data + preparation.from.begin);
  const dnnl::memory to(preparation.to, engine(), launch.workspace<char>(preparation.offset));
  run_reorder(preparation.reorder, stream, from, to);
}

}  // namespace loci::cpu::onednn
