#include "plugins/cpu/onednn/packed_layouts.h"

#include <string>

#include "plugins/cpu/layout_table.h"
#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

struct Descs {
  dnnl::memory::desc given;
  dnnl::memory::desc chosen;
};

}  // namespace

std::uint32_t intern_layout(const sdk::Host& host, const Execution::Packed& packed) {
  // What the op's elements are read as belongs to it: a transposed matrix is packed differently.
  const std::string text =
      "onednn f32 " + layout_text(packed.given) + " as " + layout_text(packed.chosen);
  return LayoutTable<Descs>::instance().intern(host, text, packed.chosen.get_size(),
                                               {packed.given, packed.chosen});
}

void relayout(const sdk::RelayoutCall& call) {
  const Descs descs = LayoutTable<Descs>::instance().find(call.target.layout).value();
  dnnl::stream stream(engine());
  dnnl::memory given(descs.given, engine(), call.source.data);
  dnnl::memory chosen(descs.chosen, engine(), call.target.data);
  make_reorder(descs.given, descs.chosen).execute(stream, given, chosen);
  stream.wait();
}

}  // namespace loci::cpu::onednn
