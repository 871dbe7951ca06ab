#include "plugins/cpu/onednn/packed_layouts.h"

#include <string>
#include <vector>

#include "plugins/cpu/layout_table.h"
#include "plugins/cpu/onednn/primitives.h"
#include "plugins/kernels/half_convert.h"

namespace loci::cpu::onednn {
namespace {

using Table = LayoutTable<Execution::Packed>;

// Elements of 16 bits as float32, before they are reordered.
std::vector<float> widened(const Execution::Packed& packed, const void* data) {
  std::vector<float> wide(packed.given.get_size() / sizeof(float));
  const auto count = static_cast<std::int64_t>(wide.size());
  if (packed.elements.stored() == LOCI_DTYPE_BF16) {
    kernels::widen(static_cast<const sdk::bf16*>(data), wide.data(), count);
  } else {
    kernels::widen(static_cast<const sdk::f16*>(data), wide.data(), count);
  }
  return wide;
}

}  // namespace

std::uint32_t intern_layout(const sdk::Host& host, const Execution::Packed& packed) {
  // What the op's elements are read as belongs to it: a transposed matrix is packed differently.
  const std::string text = "onednn " + packed.elements.text() + " " + layout_text(packed.given) +
                           " as " + layout_text(packed.chosen);
  return Table::instance().intern(host, text, packed.chosen.get_size(), packed);
}

void relayout(const sdk::RelayoutCall& call) {
  const Execution::Packed packed = Table::instance().find(call.target.layout).value();
  dnnl::stream stream(engine());
  std::vector<float> wide;
  void* source = call.source.data;
  if (packed.elements.are_widened()) {
    wide = widened(packed, source);
    source = wide.data();
  }
  dnnl::memory given(packed.given, engine(), source);
  dnnl::memory chosen(packed.chosen, engine(), call.target.data);
  make_reorder(packed.given, packed.chosen).execute(stream, given, chosen);
  stream.wait();
}

}  // namespace loci::cpu::onednn
