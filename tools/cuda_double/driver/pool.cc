#include "tools/cuda_double/driver/pool.h"

#include <algorithm>

#include "tools/cuda_double/driver/driver.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kGranule = 512;
constexpr std::uint64_t kReserve = std::uint64_t{32} << 20;

std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

Pool::Pool(Device& owner, std::uint64_t most) : device(owner), most_(most) {
  device.pools.push_back(this);
}

Pool::~Pool() {
  std::erase(device.pools, this);
  for (const Unused& unused : unused_) drop(unused);
  device.give_back(reserved_);
}

std::vector<Pool::Unused>::iterator Pool::find_reusable(std::uint64_t bytes, Stream& stream) {
  Clock known;
  for (const auto& task : stream.dependencies()) {
    if (task != nullptr) known.join(task->clock);
  }
  const auto ordered = [&](const Unused& unused) {
    if (unused.freed == nullptr || (unused.freed->done && opportunistic_ != 0)) return true;
    if (unused.freed->epoch.actor == stream.actor) return true;
    return follow_events_ != 0 && known.covers(unused.freed->epoch);
  };
  return std::find_if(unused_.begin(), unused_.end(), [&](const Unused& unused) {
    return unused.bytes == bytes && ordered(unused);
  });
}

std::uint64_t Pool::allocate(std::uint64_t bytes, Stream& stream, const std::string& made_by) {
  Driver& driver = Driver::get();
  require(bytes <= device.total(), CUDA_ERROR_OUT_OF_MEMORY, "the device has not that much");
  const std::uint64_t rounded = round_up(bytes, kGranule);
  std::uint64_t address = 0;
  const auto reusable = find_reusable(rounded, stream);
  if (reusable != unused_.end()) {
    address = reusable->address;
    unused_.erase(reusable);
  } else {
    reserve(rounded);
    address = driver.memory.allocate(rounded, MemoryKind::kPooled, device.ordinal(), made_by);
    driver.memory.set_access(address, access_);
    held_ += rounded;
  }
  used_ += bytes;
  used_high_ = std::max(used_high_, used_);
  return address;
}

void Pool::begin_use(std::uint64_t address, std::uint64_t bytes) {
  DeviceMemory& memory = Driver::get().memory;
  memory.mark(address, round_up(bytes, kGranule), ByteState::kUnwritten);
  memory.resize(address, bytes);  // what the rounding adds is nobody's
}

void Pool::release(std::uint64_t address, std::uint64_t bytes, const TaskPtr& freed) {
  used_ -= bytes;
  unused_.push_back({address, round_up(bytes, kGranule), freed});
}

void Pool::reserve(std::uint64_t bytes) {
  if (held_ + bytes <= reserved_) return;
  const std::uint64_t wanted = round_up(held_ + bytes, kReserve);
  require(most_ == 0 || wanted <= most_, CUDA_ERROR_OUT_OF_MEMORY, "the pool's limit is reached");
  if (wanted - reserved_ > device.free()) trim(0);
  const bool fits = round_up(held_ + bytes, kReserve) - reserved_ <= device.free();
  set_reserved(fits ? round_up(held_ + bytes, kReserve) : held_ + bytes);
}

void Pool::set_reserved(std::uint64_t bytes) {
  if (bytes > reserved_) {
    device.take(bytes - reserved_);
  } else {
    device.give_back(reserved_ - bytes);
  }
  reserved_ = bytes;
  reserved_high_ = std::max(reserved_high_, reserved_);
}

void Pool::drop(const Unused& unused) {
  Driver& driver = Driver::get();
  driver.races.forget(unused.address, unused.bytes);
  driver.memory.free(unused.address, "the pool's trim");
}

void Pool::trim(std::uint64_t keep) {
  const auto is_done = [](const Unused& unused) {
    return unused.freed == nullptr || unused.freed->done;
  };
  while (reserved_ > keep) {
    const auto found = std::find_if(unused_.begin(), unused_.end(), is_done);
    if (found == unused_.end()) break;
    drop(*found);
    held_ -= found->bytes;
    unused_.erase(found);
    const std::uint64_t needed = round_up(held_, kReserve);
    if (needed < reserved_) set_reserved(std::max(needed, std::min(keep, reserved_)));
  }
}

void Pool::set_access(const PoolAccess& access) {
  access_ = access;
  Driver& driver = Driver::get();
  for (const std::uint64_t base : driver.blocks.of(*this)) driver.memory.set_access(base, access_);
  for (const Unused& unused : unused_) driver.memory.set_access(unused.address, access_);
}

void Pool::set(CUmemPool_attribute which, const void* value) {
  const auto number = [&] { return *static_cast<const cuuint64_t*>(value); };
  const auto flag = [&] { return *static_cast<const int*>(value); };
  require(value != nullptr, "there is no value");
  switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: follow_events_ = flag(); break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: opportunistic_ = flag(); break;
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: internal_dependencies_ = flag(); break;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: threshold = number(); break;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      require(number() == 0, "a high mark can be set to 0 only");
      reserved_high_ = reserved_;
      break;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      require(number() == 0, "a high mark can be set to 0 only");
      used_high_ = used_;
      break;
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "the attribute can not be set");
  }
}

void Pool::get(CUmemPool_attribute which, void* value) const {
  require(value != nullptr, "there is no place for the value");
  const auto number = [&](std::uint64_t answer) { *static_cast<cuuint64_t*>(value) = answer; };
  const auto flag = [&](int answer) { *static_cast<int*>(value) = answer; };
  switch (which) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES: return flag(follow_events_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC: return flag(opportunistic_);
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES: return flag(internal_dependencies_);
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD: return number(threshold);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT: return number(reserved_);
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH: return number(reserved_high_);
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT: return number(used_);
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: return number(used_high_);
    default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such attribute");
  }
}

std::shared_ptr<Pool> make_default_pool(Device& device) {
  auto pool = std::make_shared<Pool>(device, 0);
  Driver::get().registry.add(pool);
  return pool;
}

void release_unused(Device& device) {
  for (Pool* pool : device.pools) pool->trim(pool->threshold);
}

}  // namespace loci::cuda_double
