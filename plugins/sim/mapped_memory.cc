#include "plugins/sim/mapped_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <loci/plugin/error.hpp>

namespace loci::sim {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

[[noreturn]] void fail(const char* what, std::uint64_t bytes) {
  throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY,
                   fmt::format("[sim] {} of {} bytes failed: {}; lower the setting memory", what,
                               bytes, std::strerror(errno)));
}

std::byte* map(const File& file, std::uint64_t bytes, int protection) {
  void* mapped =
      mmap(nullptr, bytes, protection, MAP_SHARED | MAP_NORESERVE, file.descriptor(), /*offset=*/0);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::byte*>(mapped);
}

}  // namespace

MappedMemory::MappedMemory(std::uint64_t bytes) : bytes_(bytes) {
  // The mappings keep the file alive.
  const File file(memfd_create("loci-sim", MFD_CLOEXEC));
  if (file.descriptor() < 0 || ftruncate(file.descriptor(), static_cast<off_t>(bytes)) != 0) {
    fail("making a memory file", bytes);
  }
  public_ = map(file, bytes, PROT_NONE);
  if (public_ == nullptr) fail("mapping the public addresses", bytes);
  private_ = map(file, bytes, PROT_READ | PROT_WRITE);
  if (private_ == nullptr) {
    munmap(public_, bytes);
    fail("mapping the private addresses", bytes);
  }
}

MappedMemory::~MappedMemory() {
  munmap(private_, bytes_);
  munmap(public_, bytes_);
}

}  // namespace loci::sim
