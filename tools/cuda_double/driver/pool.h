// Pools of stream-ordered memory.
//
// A pool takes memory from its device by pieces of 32 MiB and keeps what was freed, up to its
// threshold, until something waits for the device.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "tools/cuda_double/driver/object.h"
#include "tools/cuda_double/driver/task.h"
#include "tools/cuda_double/memory/allocation.h"

namespace loci::cuda_double {

class Call;
class Device;
class Stream;

class Pool : public Object {
 public:
  static constexpr const char* kKind = "memory pool";

  Pool(Device& owner, std::uint64_t most);
  ~Pool() override;
  [[nodiscard]] const char* kind() const override { return kKind; }

  // The address of memory that the stream may use from now on. Throws DriverError (out of memory).
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, Stream& stream,
                                       const std::string& made_by);
  // The stream has come to the allocation: work that used the memory before is done.
  static void begin_use(std::uint64_t address, std::uint64_t bytes);
  // The memory may be used again when `freed` is done, or behind it.
  void release(std::uint64_t address, std::uint64_t bytes, const TaskPtr& freed);
  // Gives unused memory back to the device until no more than this is kept.
  void trim(std::uint64_t keep);

  void set(CUmemPool_attribute which, const void* value);
  void get(CUmemPool_attribute which, void* value) const;

  // Other devices have this access to the pool's memory: all that it has and will have.
  void set_access(const PoolAccess& access);
  [[nodiscard]] const PoolAccess& access() const { return access_; }

  Device& device;
  std::uint64_t threshold = 0;

 private:
  struct Unused {
    std::uint64_t address;
    std::uint64_t bytes;  // rounded
    TaskPtr freed;
  };
  [[nodiscard]] std::vector<Unused>::iterator find_reusable(std::uint64_t bytes, Stream& stream);
  void reserve(std::uint64_t bytes);
  void set_reserved(std::uint64_t bytes);
  void drop(const Unused& unused);

  const std::uint64_t most_;
  PoolAccess access_;
  int follow_events_ = 1;
  int opportunistic_ = 1;
  int internal_dependencies_ = 1;
  std::uint64_t held_ = 0;  // rounded bytes of blocks, used and unused
  std::uint64_t used_ = 0;
  std::uint64_t used_high_ = 0;
  std::uint64_t reserved_ = 0;
  std::uint64_t reserved_high_ = 0;
  std::vector<Unused> unused_;
};

[[nodiscard]] std::shared_ptr<Pool> make_default_pool(Device& device);
// Something has waited: pools keep no more than their threshold.
void release_unused(Device& device);

}  // namespace loci::cuda_double
