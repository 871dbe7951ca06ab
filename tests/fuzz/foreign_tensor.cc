#include "tests/fuzz/foreign_tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace loci::fuzz {
namespace {

using dlpack::ManagedTensor;
using dlpack::View;

constexpr std::int64_t kMostBytes = std::int64_t{64} << 10;

// Sums of products of two numbers of 64 bits.
__extension__ typedef __int128 Wide;

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(sizeof value, rest_.size());
    if (count > 0) std::memcpy(&value, rest_.data(), count);
    rest_.remove_prefix(count);
    return value;
  }
  // Returns an array of the size that says how many may be read.
  std::unique_ptr<std::int64_t[]> take_numbers(int count) {
    auto numbers = std::make_unique<std::int64_t[]>(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = take<std::int64_t>();
    return numbers;
  }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Bytes from the first element to the lowest one, and behind the highest one.
struct Range {
  Wide begin = 0;
  Wide end = 0;
};

bool has_elements(const View& view, int rank) {
  return rank == view.rank && (rank == 0 || view.shape != nullptr) &&
         std::all_of(view.shape, view.shape + rank, [](std::int64_t extent) { return extent > 0; });
}

// Nothing if there are more bytes than 63 bits can count.
std::optional<Wide> count_of(const View& view, std::int64_t element) {
  Wide count = 1;
  for (int axis = 0; axis < view.rank; ++axis) {
    count *= view.shape[axis];
    if (count * element > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  }
  return count;
}

Range range_of(const View& view, Wide count, std::int64_t element) {
  Range range{0, element};
  if (view.strides == nullptr) return {0, count * element};
  for (int axis = 0; axis < view.rank; ++axis) {
    // One of several axes that go far is enough.
    const Wide reach = Wide{view.shape[axis] - 1} * view.strides[axis];
    (reach < 0 ? range.begin : range.end) +=
        std::clamp(reach, -(Wide{1} << 64U), Wide{1} << 64U) * element;
  }
  return range;
}

}  // namespace

ForeignTensor::ForeignTensor(std::string_view input) {
  Bytes bytes(input);
  managed_.version = bytes.take<dlpack::Version>();
  managed_.flags = bytes.take<std::uint64_t>();
  View& view = managed_.tensor;
  view.device = bytes.take<dlpack::Device>();
  view.rank = bytes.take<std::int32_t>();
  view.dtype = bytes.take<dlpack::DataType>();
  view.byte_offset = bytes.take<std::uint64_t>();
  choices_ = bytes.take<std::uint8_t>();
  shape_ = bytes.take_numbers(known_rank());
  strides_ = bytes.take_numbers(known_rank());
  view.shape = has(kNullShape) ? nullptr : shape_.get();
  view.strides = has(kNullStrides) ? nullptr : strides_.get();
  managed_.owner = this;
  if (!has(kNullDeleter)) {
    managed_.deleter = [](ManagedTensor* managed) {
      auto* self = static_cast<ForeignTensor*>(managed->owner);
      ++self->deleted_;
      self->bytes_.reset();
    };
  }
  provide_memory(bytes.rest());
  if (has(kNullData)) view.data = nullptr;
}

void ForeignTensor::provide_memory(std::string_view content) {
  View& view = managed_.tensor;
  if (!has_elements(view, known_rank())) return;
  const std::optional<Wide> count = count_of(view, element());
  const Range range = count ? range_of(view, *count, element()) : Range();
  constexpr Wide kAddresses = std::numeric_limits<std::int64_t>::max();
  if (!count || range.begin < -kAddresses || range.end > kAddresses) {
    memory_ = Memory::kImpossible;
    view.data = this;
    return;
  }
  memory_ = range.end - range.begin > kMostBytes ? Memory::kMuch : Memory::kSome;
  if (memory_ == Memory::kMuch) return;
  const std::size_t before = has(kOffByOne) ? 1 : 0;
  const auto size = before + static_cast<std::size_t>(range.end - range.begin);
  bytes_ = std::make_unique<char[]>(size);
  for (std::size_t i = 0; i < size && !content.empty(); ++i) {
    const char byte = content[i % content.size()];
    bytes_[i] = view.dtype.code == dlpack::kBool ? static_cast<char>(byte & 1) : byte;
  }
  first_ = bytes_.get() + before - static_cast<std::ptrdiff_t>(range.begin);
  // The import adds the offset again.
  view.data = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(first_) - view.byte_offset);
}

std::optional<std::string> ForeignTensor::elements() const {
  const std::optional<Wide> count = first_ == nullptr ? Wide{0} : count_of(view(), element());
  if (!count || *count * element() > kMostBytes) return std::nullopt;
  std::string all;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(*count); ++i) {
    all.append(first_ + offset_of(i), static_cast<std::size_t>(element()));
  }
  return all;
}

// In bytes, of the element with that number in dense order.
std::int64_t ForeignTensor::offset_of(std::int64_t index) const {
  if (view().strides == nullptr) return index * element();
  std::int64_t offset = 0;
  for (int axis = view().rank - 1; axis >= 0; --axis) {
    const std::int64_t at = index % view().shape[axis];
    if (at != 0) offset += at * view().strides[axis] * element();
    index /= view().shape[axis];
  }
  return offset;
}

Tensor ForeignTensor::import() {
  return from_dlpack(reinterpret_cast<DLManagedTensorVersioned*>(&managed_), has(kCopies));
}

int ForeignTensor::known_rank() const {
  return std::clamp(int{view().rank}, 0, int{Shape::kMaxRank});
}

std::int64_t ForeignTensor::element() const { return std::max(view().dtype.bits / 8, 1); }

}  // namespace loci::fuzz
