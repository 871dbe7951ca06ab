#include "plugins/cpu/onednn/accelerated.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "plugins/cpu/image_layouts.h"
#include "plugins/cpu/onednn/packed_layouts.h"
#include "plugins/kernels/widened.h"

namespace loci::cpu::onednn {
namespace {

struct Prepared {
  void launch(const sdk::Launch& launch) const { parts.run(*host, launch); }
  const sdk::Host* host;
  Parts parts;
};

}  // namespace

std::optional<Parts> Accelerated::build_parts(const sdk::OpDesc& op, const Elements& elements,
                                              const Cut& cut, std::uint32_t threads) const {
  std::vector<Execution> parts;
  parts.reserve(cut.ranges.size());
  for (const Range& range : cut.ranges) {
    try {
      auto part = build(op, elements, cut.axis, range);
      if (!part) return std::nullopt;
      parts.push_back(*std::move(part));
    } catch (const dnnl::error& error) {
      if (error.status != dnnl_unimplemented) throw;
      return std::nullopt;
    }
  }
  return Parts(std::move(parts), cut, threads);
}

// Tries the parts first, then the whole: oneDNN may do well whole what it does badly in parts.
std::optional<Parts> Accelerated::build_if_good(const sdk::OpDesc& op, const Elements& elements,
                                                std::uint32_t threads) const {
  if (threads > 1) {
    const Cut wanted = cut(op, threads);
    if (wanted.ranges.size() > 1) {
      if (auto parts = build_parts(op, elements, wanted, threads)) return parts;
    }
  }
  return build_parts(op, elements, {}, threads);
}

std::optional<Parts> Accelerated::build_best(const sdk::OpDesc& op, std::uint32_t threads) const {
  const loci_dtype dtype = op.input(0).dtype();
  if (has_native(dtype)) {
    if (auto native = build_if_good(op, Elements::native(dtype), threads)) return native;
  }
  if (dtype == LOCI_DTYPE_F32 || !is_worth_widening()) return std::nullopt;
  return build_if_good(op, Elements::widened(dtype), threads);
}

Parts Accelerated::prepare_parts(sdk::Prepare& prepare) const {
  const SerialOpenMp serial;
  auto parts = build_best(prepare.op(), prepare.host().parallel_width());
  if (!parts) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED,
                     "oneDNN has only its reference implementation for it, or none, in " +
                         Elements::native(prepare.op().input(0).dtype()).text());
  }
  for (const Parts::Packed& packed : parts->packed()) {
    prepare.choose_input_layout(packed.index, intern_layout(prepare.host(), packed));
  }
  const auto layout = parts->output_layout();
  if (!layout) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "its parts write images in several layouts");
  }
  if (*layout == kernels::ImageLayout::kNhwc) choose_nhwc(prepare);
  prepare.set_workspace(parts->workspace_bytes());
  prepare.set_memory(parts->memory_bytes());
  return *std::move(parts);
}

void Accelerated::prepare(sdk::Prepare& prepare) const {
  Parts parts = prepare_parts(prepare);
  if (!parts.elements().are_widened()) {
    prepare.emplace<Prepared>(&prepare.host(), std::move(parts));
    return;
  }
  std::uint32_t packed_inputs = 0;
  for (const Parts::Packed& packed : parts.packed()) packed_inputs |= 1U << packed.index;
  const std::uint64_t bytes = parts.workspace_bytes();
  kernels::emplace_widened(prepare, {inputs_}, bytes, Prepared{&prepare.host(), std::move(parts)},
                           packed_inputs);
}

std::string too_small(double amount, double least, std::string_view what) {
  if (amount >= least) return {};
  return "the portable kernel is faster below " + std::to_string(static_cast<std::int64_t>(least)) +
         " " + std::string(what);
}

std::string too_large(const sdk::OpDesc& op, std::uint32_t inputs) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const auto is_large = [](sdk::Arg images) { return images.numel() / images.dim(0) > kMost; };
  bool is_any = is_large(op.output(0));
  for (std::uint32_t slot = 0; slot < inputs; ++slot) is_any = is_any || is_large(op.input(slot));
  return is_any ? "an image has more than " + std::to_string(kMost) + " elements" : "";
}

bool has_elements(const sdk::OpDesc& op, std::uint32_t inputs) {
  for (std::uint32_t slot = 0; slot < inputs; ++slot) {
    if (!op.input(slot).has_dims() || op.input(slot).numel() == 0) return false;
  }
  return op.output(0).has_dims() && op.output(0).numel() != 0;
}

dnnl::memory::dims dims_of(sdk::Arg argument) {
  return {argument.dims().begin(), argument.dims().end()};
}

}  // namespace loci::cpu::onednn
