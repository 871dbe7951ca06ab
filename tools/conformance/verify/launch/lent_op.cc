#include "tools/conformance/verify/launch/lent_op.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>

namespace loci::verify {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kReserved = std::size_t{1} << 30;

std::byte* map(void* where, std::size_t bytes, int protection, int flags) {
  void* memory =
      ::mmap(where, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

// A range of addresses that is used from its begin to its end and over again.
struct Range {
  std::byte* begin = map(nullptr, kReserved, PROT_NONE, 0);
  std::mutex mutex;
  std::size_t next = 0;

  std::byte* take(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    if (bytes > kReserved - next) next = 0;
    std::byte* taken = begin + next;
    next += bytes;
    return map(taken, bytes, PROT_READ | PROT_WRITE, MAP_FIXED);
  }
};

std::atomic<std::byte*> range_begin{nullptr};

Range& range() {
  static Range& the_range = *new Range;
  range_begin = the_range.begin;
  return the_range;
}

// Puts copies one behind the other; without memory it only counts.
class Copier {
 public:
  explicit Copier(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* copy(const T* items, std::uint64_t count) {
    if (items == nullptr || count == 0) return nullptr;
    at_ = (at_ + alignof(T) - 1) / alignof(T) * alignof(T);
    T* target = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + at_);
    if (target != nullptr) std::memcpy(target, items, count * sizeof(T));
    at_ += count * sizeof(T);
    return target;
  }
  loci_str copy(loci_str text) { return {copy(text.data, text.size), text.size}; }

  const loci_op_desc* copy(const loci_op_desc& op) {
    loci_op_desc own = op;
    own.op = copy(op.op);
    own.input_slots = copy(op.input_slots, op.input_slot_count + 1U);
    own.output_slots = copy(op.output_slots, op.output_slot_count + 1U);
    own.inputs = copy_arguments(op.inputs, op.input_slots[op.input_slot_count]);
    own.outputs = copy_arguments(op.outputs, op.output_slots[op.output_slot_count]);
    own.attrs = copy_attributes(op.attrs, op.attr_count);
    return copy(&own, 1);
  }
  [[nodiscard]] std::size_t bytes() const { return at_; }

 private:
  const loci_arg* copy_arguments(const loci_arg* from, std::uint64_t count) {
    loci_arg* own = copy(from, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t* dims =
          copy(from[i].dims, static_cast<std::uint64_t>(std::max(from[i].rank, 0)));
      // A scalar has nothing to copy, and NULL would say that its extents are unknown.
      if (own != nullptr && from[i].rank > 0) own[i].dims = dims;
    }
    return own;
  }

  const loci_attr* copy_attributes(const loci_attr* from, std::uint64_t count) {
    loci_attr* own = copy(from, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const loci_str name = copy(from[i].name);
      const loci_str text = copy(from[i].text);
      const void* items = copy_items(from[i]);
      if (own == nullptr) continue;
      own[i].name = name;
      own[i].text = text;
      own[i].items = items;
    }
    return own;
  }

  const void* copy_items(const loci_attr& attr) {
    switch (attr.kind) {
      case LOCI_ATTR_INTS:
        return copy(static_cast<const std::int64_t*>(attr.items), attr.item_count);
      case LOCI_ATTR_FLOATS: return copy(static_cast<const double*>(attr.items), attr.item_count);
      case LOCI_ATTR_STRINGS: break;
      default: return nullptr;
    }
    const auto* from = static_cast<const loci_str*>(attr.items);
    loci_str* own = copy(from, attr.item_count);
    for (std::uint64_t i = 0; i < attr.item_count; ++i) {
      const loci_str text = copy(from[i]);
      if (own != nullptr) own[i] = text;
    }
    return own;
  }

  std::byte* memory_;
  std::size_t at_ = 0;
};

}  // namespace

LentOp::LentOp(const loci_op_desc& op) {
  Copier counter(nullptr);
  counter.copy(op);
  bytes_ = (counter.bytes() + kPage - 1) / kPage * kPage;
  pages_ = range().take(bytes_);
  op_ = Copier(pages_).copy(op);
}

LentOp::~LentOp() {
  // Mapped anew and not merely protected, so that the kernel joins it with its neighbours.
  ::mmap(pages_, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool is_lent(const void* address) noexcept {
  const std::byte* begin = range_begin;
  const auto* at = static_cast<const std::byte*>(address);
  return begin != nullptr && at >= begin && at < begin + kReserved;
}

}  // namespace loci::verify
