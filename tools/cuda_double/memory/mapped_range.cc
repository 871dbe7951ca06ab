#include "tools/cuda_double/memory/mapped_range.h"

#include <sys/mman.h>

#include <new>

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

MappedRange::MappedRange(std::uint64_t bytes) : bytes_(bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(data);
}

MappedRange::~MappedRange() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void MappedRange::release(std::uint64_t offset, std::uint64_t bytes) noexcept {
  const std::uint64_t begin = (offset + kPage - 1) / kPage * kPage;
  const std::uint64_t end = (offset + bytes) / kPage * kPage;
  if (begin < end) madvise(data_ + begin, end - begin, MADV_DONTNEED);
}

}  // namespace loci::cuda_double
