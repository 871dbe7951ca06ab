// topk and sort. A line belongs to one thread; its elements become keys that do not hang on their
// dtype.
#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/line_selection.h"
#include "plugins/kernels/order_keys.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 2000;  // of one element
constexpr std::int64_t kTogether = 16;       // neighbouring lines, which share lines of the cache

// It says which lines there are, and how much is chosen of each.
struct Chosen {
  sdk::AxisSplit split;
  std::int64_t count;
  bool is_largest;
  bool is_sorted;
};

template <class T, class Key>
class TopK {
 public:
  TopK(const sdk::Host& host, const Chosen& chosen)
      : host_(&host),
        chosen_(chosen),
        selection_(chosen.split.count, chosen.count, 8 * static_cast<int>(sizeof(T)),
                   chosen.is_sorted),
        width_(std::min(chosen.split.inner, kTogether)),
        strips_((chosen.split.inner + kTogether - 1) / kTogether),
        shares_(std::min<std::int64_t>(chosen.split.outer * strips_,
                                       4 * std::max<std::int64_t>(host.parallel_width(), 1))) {}

  [[nodiscard]] std::uint64_t workspace() const {
    return static_cast<std::uint64_t>(shares_) * share_bytes();
  }

  void launch(const Launch& launch) const {
    if (chosen_.count == 0) return;
    const std::int64_t items = chosen_.split.outer * strips_;
    const std::int64_t each = (items + shares_ - 1) / shares_;
    const std::int64_t grain = grain_for(kPicoseconds * each * width_ * chosen_.split.count);
    host_->parallel_for(0, shares_, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t share = begin; share < end; ++share) {
        const std::int64_t first = share * each;
        for (std::int64_t item = first; item < std::min(first + each, items); ++item) {
          run(launch, item, launch.workspace<char>() + share * share_bytes());
        }
      }
    });
  }

 private:
  using Entry = KeyEntry<Key>;

  [[nodiscard]] std::uint64_t key_bytes() const {
    constexpr std::uint64_t kAlignment = 64;
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(width_ * chosen_.split.count) * sizeof(Key);
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  [[nodiscard]] std::uint64_t share_bytes() const {
    const std::uint64_t entries = static_cast<std::uint64_t>(selection_.scratch()) * sizeof(Entry);
    return key_bytes() + (entries + 63) / 64 * 64;
  }

  // Neighbouring lines.
  void run(const Launch& launch, std::int64_t item, char* scratch) const {
    const sdk::AxisSplit& split = chosen_.split;
    const std::int64_t row = item / strips_;
    const std::int64_t column = item % strips_ * kTogether;
    const std::int64_t width = std::min(kTogether, split.inner - column);
    const T* x = launch.input<T>(0) + row * split.count * split.inner + column;
    const std::int64_t to = row * chosen_.count * split.inner + column;
    auto* keys = reinterpret_cast<Key*>(scratch);
    auto* entries = reinterpret_cast<Entry*>(scratch + key_bytes());
    run_widest([&](auto) LOCI_INLINE { make_keys(x, keys, width); });
    for (std::int64_t c = 0; c < width; ++c) {
      const Entry* best = selection_.choose(keys + c * split.count, entries);
      write(best, x + c, launch.output<T>(0) + to + c, launch.output<std::int64_t>(1) + to + c);
    }
  }

  LOCI_INLINE void make_keys(const T* x, Key* keys, std::int64_t width) const {
    const std::int64_t count = chosen_.split.count;
    const std::int64_t inner = chosen_.split.inner;
    const auto flipped = static_cast<order_bits_t<T>>(chosen_.is_largest ? ~0ULL : 0);
    const auto key = [=](T value) LOCI_INLINE {
      return static_cast<Key>(static_cast<order_bits_t<T>>(order_bits(value) ^ flipped));
    };
    if (inner == 1) {
#pragma omp simd
      for (std::int64_t i = 0; i < count; ++i) keys[i] = key(x[i]);
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t c = 0; c < width; ++c) keys[c * count + i] = key(x[i * inner + c]);
    }
  }

  void write(const Entry* best, const T* x, T* values, std::int64_t* indices) const {
    const std::int64_t inner = chosen_.split.inner;
    for (std::int64_t i = 0; i < chosen_.count; ++i) {
      const auto index = static_cast<std::int64_t>(best[i].index);
      values[i * inner] = x[index * inner];
      indices[i * inner] = index;
    }
  }

  const sdk::Host* host_;
  Chosen chosen_;
  LineSelection<Key> selection_;
  std::int64_t width_;
  std::int64_t strips_;
  std::int64_t shares_;
};

template <class T, class Key>
void emplace(Prepare& prepare, const Chosen& chosen) {
  const TopK<T, Key> kernel(prepare.host(), chosen);
  prepare.set_workspace(kernel.workspace());
  prepare.emplace<TopK<T, Key>>(kernel);
}

void prepare_chosen(Prepare& prepare, const Chosen& chosen) {
  constexpr std::int64_t kMostOfShortKeys = std::int64_t{1} << 32;
  sdk::visit_numbers(prepare.op().input(0).dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) < 8) {
      if (chosen.split.count <= kMostOfShortKeys) {
        return emplace<T, std::uint32_t>(prepare, chosen);
      }
    }
    emplace<T, std::uint64_t>(prepare, chosen);
  });
}

class TopKKernel final : public sdk::Kernel {
 public:
  explicit TopKKernel(const OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        k_(op.attributes().integer("k")),
        is_largest_(op.attributes().boolean("largest")),
        is_sorted_(op.attributes().boolean("sorted")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    prepare_chosen(prepare, {split, k_, is_largest_, is_sorted_});
  }

 private:
  std::int64_t axis_;
  std::int64_t k_;
  bool is_largest_;
  bool is_sorted_;
};

class SortKernel final : public sdk::Kernel {
 public:
  explicit SortKernel(const OpDesc& op)
      : axis_(op.attributes().integer("axis")),
        is_descending_(op.attributes().boolean("descending")) {}

  void prepare(Prepare& prepare) const override {
    const sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    prepare_chosen(prepare, {split, split.count, is_descending_, true});
  }

 private:
  std::int64_t axis_;
  bool is_descending_;
};

void add(KernelDefs& kernels, std::string_view op, sdk::CreateFn create) {
  kernels.push_back({.op = op, .name = kPortable, .dtypes = sdk::kNumberBits, .create = create});
}

}  // namespace

void add_topk(KernelDefs& kernels) {
  add(kernels, "topk", sdk::make_kernel<TopKKernel>);
  add(kernels, "sort", sdk::make_kernel<SortKernel>);
}

}  // namespace loci::kernels
