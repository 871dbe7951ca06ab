#include "plugins/cpu/onednn/packed_layouts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "plugins/cpu/layout_table.h"
#include "plugins/cpu/onednn/engine.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/kernels/half_convert.h"

namespace loci::cpu::onednn {
namespace {

using Table = LayoutTable<Parts::Packed>;

// Elements of 16 bits as float32, before they are reordered: all that the pieces are made of.
std::vector<float> widened(const Parts::Packed& packed, const void* data) {
  std::uint64_t bytes = 0;
  for (const Parts::Packed::Piece& piece : packed.pieces) {
    const auto end = static_cast<std::uint64_t>(piece.given.begin) + piece.given.desc.get_size();
    bytes = std::max(bytes, end);
  }
  std::vector<float> wide(bytes / sizeof(float));
  const auto count = static_cast<std::int64_t>(wide.size());
  if (packed.elements.stored() == LOCI_DTYPE_BF16) {
    kernels::widen(static_cast<const sdk::bf16*>(data), wide.data(), count);
  } else {
    kernels::widen(static_cast<const sdk::f16*>(data), wide.data(), count);
  }
  return wide;
}

std::string text_of(const Slice& slice) {
  std::string text = layout_text(slice.desc);
  if (slice.begin != 0) text.append(" from byte ").append(std::to_string(slice.begin));
  return text;
}

}  // namespace

std::uint32_t intern_layout(const sdk::Host& host, const Parts::Packed& packed) {
  // The text says how elements are read: a transposed matrix is packed differently.
  std::string text = "onednn " + packed.elements.text();
  for (const Parts::Packed::Piece& piece : packed.pieces) {
    text.append(" ").append(text_of(piece.given)).append(" as ").append(text_of(piece.chosen));
  }
  return Table::instance().intern(host, text, packed.bytes, packed);
}

void relayout(const sdk::RelayoutCall& call) {
  const Parts::Packed packed = Table::instance().find(call.target.layout).value();
  dnnl::stream stream(engine());
  std::vector<float> wide;
  auto* source = static_cast<char*>(call.source.data);
  if (packed.elements.are_widened()) {
    wide = widened(packed, source);
    source = reinterpret_cast<char*>(wide.data());
  }
  const SerialOpenMp serial;
  for (const Parts::Packed::Piece& piece : packed.pieces) {
    const dnnl::memory given(piece.given.desc, engine(), source + piece.given.begin);
    const dnnl::memory chosen(piece.chosen.desc, engine(),
                              static_cast<char*>(call.target.data) + piece.chosen.begin);
    run_reorder(make_reorder(piece.given.desc, piece.chosen.desc), stream, given, chosen);
  }
}

}  // namespace loci::cpu::onednn
