#include "framework/execution/frame_memory.h"

namespace loci::execution {
namespace {

class CommonMemory final : public FrameMemory {
 public:
  memory::Buffer allocate(Space space, std::uint64_t bytes, const char* name) override {
    if (space == nullptr) return memory::host_allocator().allocate(bytes, nullptr, name);
    return memory::device_allocator(*space).allocate(bytes, space->default_stream(), name);
  }
};

}  // namespace

FrameMemory& common_memory() {
  static CommonMemory& memory = *new CommonMemory;
  return memory;
}

}  // namespace loci::execution
