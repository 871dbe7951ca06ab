#include "plugins/cpu/packed_layout.h"

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "plugins/cpu/layout_table.h"
#include "plugins/cpu/onednn/elements.h"
#include "plugins/kernels/packed_product.h"

namespace loci::cpu {
namespace {

std::string text_of(const PackedLayout& layout) {
  const kernels::PackedMatrix& matrix = layout.matrix;
  return "packed " + onednn::Elements::native(matrix.dtype).text() + " [" +
         std::to_string(matrix.k) + ", " + std::to_string(matrix.n) + "] by " +
         std::to_string(layout.row) + ", " + std::to_string(layout.column) + " in panels of " +
         std::to_string(matrix.width) + " by " + std::to_string(matrix.block);
}

// Ids by what the text says: a new size of a product packs as the one before did, and to write the
// text takes as long as a small product. Thread-safe.
class KnownIds {
 public:
  // Never destroyed, as the table of layouts.
  static KnownIds& instance() {
    static KnownIds& ids = *new KnownIds;
    return ids;
  }

  std::uint32_t get(const sdk::Host& host, const PackedLayout& layout) {
    const kernels::PackedMatrix& matrix = layout.matrix;
    const Key key{matrix.dtype, matrix.k,   matrix.n,     matrix.width,
                  matrix.block, layout.row, layout.column};
    const std::lock_guard lock(mutex_);
    const auto known = ids_.find(key);
    if (known != ids_.end()) return known->second;
    auto& table = LayoutTable<PackedLayout>::instance();
    const std::uint32_t id = table.intern(host, text_of(layout), matrix.bytes(), layout);
    return ids_.emplace(key, id).first->second;
  }

 private:
  using Key = std::array<std::int64_t, 7>;

  std::mutex mutex_;
  std::map<Key, std::uint32_t> ids_;
};

}  // namespace

std::uint32_t intern(const sdk::Host& host, const PackedLayout& layout) {
  return KnownIds::instance().get(host, layout);
}

bool relayout_packed(const sdk::RelayoutCall& call) {
  const auto layout = LayoutTable<PackedLayout>::instance().find(call.target.layout);
  if (!layout) return false;
  kernels::pack(layout->matrix, call.source.data, layout->row, layout->column, call.target.data);
  return true;
}

}  // namespace loci::cpu
