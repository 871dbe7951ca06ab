#include "plugins/cpu/onednn/packed_layouts.h"

#include <map>
#include <mutex>
#include <string>

#include "plugins/cpu/onednn/primitives.h"

namespace loci::cpu::onednn {
namespace {

struct Descs {
  dnnl::memory::desc given;
  dnnl::memory::desc chosen;
};

struct Table {
  std::mutex mutex;
  std::map<std::uint32_t, Descs> layouts;
};

// Never destroyed: programs may run until the process ends.
Table& table() {
  static Table& instance = *new Table;
  return instance;
}

Descs find(std::uint32_t layout) {
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  return all.layouts.at(layout);
}

}  // namespace

std::uint32_t intern_layout(const sdk::Host& host, const Execution::Packed& packed) {
  // What the op's elements are read as belongs to it: a transposed matrix is packed differently.
  const std::string text =
      "onednn f32 " + layout_text(packed.given) + " as " + layout_text(packed.chosen);
  const std::uint32_t id = host.intern_layout(text, packed.chosen.get_size());
  Table& all = table();
  const std::lock_guard lock(all.mutex);
  all.layouts.try_emplace(id, Descs{packed.given, packed.chosen});
  return id;
}

void relayout(const sdk::RelayoutCall& call) {
  const Descs descs = find(call.target.layout);
  dnnl::stream stream(engine());
  dnnl::memory given(descs.given, engine(), call.source.data);
  dnnl::memory chosen(descs.chosen, engine(), call.target.data);
  make_reorder(descs.given, descs.chosen).execute(stream, given, chosen);
  stream.wait();
}

}  // namespace loci::cpu::onednn
