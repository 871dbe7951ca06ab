#include "tools/cuda_double/driver/memory.h"

#include <fmt/format.h>

#include "tools/cuda_double/driver/pool.h"

namespace loci::cuda_double {
namespace {

using Origin = MemoryBlock::Origin;

std::uint64_t to_address(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

void release_block(Driver& driver, const MemoryBlock& block, const std::string& by) {
  driver.races.forget(block.base, block.bytes);
  switch (block.origin) {
    case Origin::kRegistered: driver.memory.unregister_host(block.base, by); break;
    case Origin::kPool: block.pool->release(block.base, block.bytes, nullptr); break;
    case Origin::kGraph: block.graph_memory->set_live(false); return;  // the graph keeps it
    default: driver.memory.free(block.base, by); break;
  }
  if (block.device != nullptr) block.device->give_back(block.taken);
  driver.blocks.remove(block.base);
}

MemoryBlock& freeable(Driver& driver, std::uint64_t address, const char* why) {
  MemoryBlock* block = driver.blocks.at(address);
  require(block != nullptr, why);
  return *block;
}

MemoryBlock& host_block_at(Call& call, const void* data, Origin origin, const char* why) {
  MemoryBlock* block = call.driver.blocks.at(to_address(data));
  require(block != nullptr && block->origin == origin, why);
  return *block;
}

constexpr unsigned kHostFlags =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
constexpr unsigned kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                                    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;

void add_block(Driver& driver, MemoryBlock block) { driver.blocks.add(std::move(block)); }

}  // namespace

CUdeviceptr allocate_memory(Call& call, std::uint64_t bytes) {
  require(bytes != 0, "0 bytes");
  Driver& driver = call.driver;
  Device& device = call.context().device;
  driver.count_allocation();
  device.take(bytes);
  try {
    const auto base =
        driver.memory.allocate(bytes, MemoryKind::kDevice, device.ordinal(), call.text());
    add_block(driver, {.base = base,
                       .bytes = bytes,
                       .origin = Origin::kPlain,
                       .context = &call.context(),
                       .device = &device,
                       .taken = bytes});
    return base;
  } catch (...) {
    device.give_back(bytes);
    throw;
  }
}

void free_memory(Call& call, CUdeviceptr address) {
  if (address == 0) return;
  const MemoryBlock block = freeable(call.driver, address, "no memory begins there");
  require(block.origin == Origin::kPlain || block.origin == Origin::kPool ||
              (block.origin == Origin::kGraph && block.graph_memory->is_live()),
          "it is no memory of a device");
  call.driver.wait_for_all(call.lock, *block.context);
  release_block(call.driver, block, call.text());
}

void* allocate_pinned(Call& call, std::uint64_t bytes, unsigned flags) {
  require((flags & ~kHostFlags) == 0, "unknown flags");
  Driver& driver = call.driver;
  const auto base = driver.memory.allocate(bytes, MemoryKind::kPinned,
                                           call.context().device.ordinal(), call.text());
  add_block(driver, {.base = base,
                     .bytes = bytes,
                     .origin = Origin::kPinned,
                     .context = &call.context(),
                     .flags = flags | CU_MEMHOSTALLOC_DEVICEMAP});
  return reinterpret_cast<void*>(base);
}

void free_pinned(Call& call, void* data) {
  if (data == nullptr) return;
  const MemoryBlock block =
      host_block_at(call, data, Origin::kPinned, "no pinned memory begins there");
  call.driver.wait_for_all(call.lock, *block.context);
  release_block(call.driver, block, call.text());
}

void register_pages(Call& call, void* data, std::uint64_t bytes, unsigned flags) {
  require(data != nullptr && bytes != 0, "no memory");
  require((flags & ~kRegisterFlags) == 0, "unknown flags");
  Driver& driver = call.driver;
  const auto overlapped = driver.memory.find(to_address(data));
  require(!overlapped.has_value() || overlapped->freed || overlapped->kind != MemoryKind::kPinned,
          "it is pinned memory");
  try {
    driver.memory.register_host(to_address(data), bytes, call.context().device.ordinal(),
                                call.text());
  } catch (const MemoryError& error) {
    throw DriverError(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, error.what());
  }
  add_block(driver,
            {.base = to_address(data),
             .bytes = bytes,
             .origin = Origin::kRegistered,
             .context = &call.context(),
             .flags = (flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP});
}

void unregister_pages(Call& call, void* data) {
  Driver& driver = call.driver;
  const MemoryBlock* around = driver.blocks.around(to_address(data));
  require(around != nullptr, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "it is not registered");
  const MemoryBlock block =
      host_block_at(call, data, Origin::kRegistered, "no registered memory begins there");
  driver.wait_for_all(call.lock, *block.context);
  release_block(driver, block, call.text());
}

const MemoryBlock& host_block(Call& call, const void* data) {
  const MemoryBlock* block = call.driver.blocks.around(to_address(data));
  require(block != nullptr &&
              (block->origin == Origin::kPinned || block->origin == Origin::kRegistered),
          "it is no pinned memory");
  return *block;
}

CUdeviceptr allocate_async(Call& call, std::uint64_t bytes, CUstream handle,
                           const std::shared_ptr<Pool>& pool) {
  const auto stream = call.work_stream(handle);
  Driver& driver = call.driver;
  if (bytes == 0) return 0;
  Device& device = pool->device;
  if (stream->capture != nullptr) {
    auto memory = std::make_shared<GraphMemory>(device, bytes, pool->access(), call.text());
    add_block(driver, {.base = memory->address,
                       .bytes = bytes,
                       .origin = Origin::kGraph,
                       .context = &stream->context,
                       .graph_memory = memory.get()});
    capture_operation(*stream, AllocationOperation{memory}, call.text());
    return memory->address;
  }
  if (spoil_captures(driver)) {
    throw DriverError(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "a stream is captured");
  }
  driver.count_allocation();
  const auto base = pool->allocate(bytes, *stream, call.text());
  auto task = std::make_shared<Task>();
  task->what = call.text();
  task->afterwards = [&driver, pool, base, bytes, mark = task.get()] {
    Pool::begin_use(base, bytes);
    driver.races.accessed(*mark, {base, bytes, true, false, {}});
  };
  driver.submit(*stream, task);
  add_block(driver, {.base = base,
                     .bytes = bytes,
                     .origin = Origin::kPool,
                     .context = &stream->context,
                     .pool = pool});
  return base;
}

void free_async(Call& call, CUdeviceptr address, CUstream handle) {
  const auto stream = call.stream(handle);
  Driver& driver = call.driver;
  if (address == 0) return;
  const MemoryBlock block = freeable(driver, address, "no memory begins there");
  if (stream->capture != nullptr) {
    require(block.origin == Origin::kGraph && !block.graph_memory->freed_by_graph,
            "it is not memory of this graph");
    block.graph_memory->freed_by_graph = true;
    capture_operation(*stream, ReleaseOperation{block.graph_memory->shared_from_this()},
                      call.text());
    return;
  }
  check_capture_allows_work(*stream);
  require(block.origin == Origin::kPlain || block.origin == Origin::kPool ||
              (block.origin == Origin::kGraph && block.graph_memory->is_live()),
          "it is no memory of a device");
  auto task = std::make_shared<Task>();
  task->what = call.text();
  task->afterwards = [&driver, block, mark = task.get()] {
    driver.races.accessed(*mark, {block.base, block.bytes, true, false, {}});
    if (block.origin == Origin::kPlain) {
      driver.races.forget(block.base, block.bytes);
      driver.memory.free(block.base, mark->what);
      block.device->give_back(block.taken);
    }
  };
  driver.submit(*stream, task);
  if (block.origin == Origin::kGraph) {
    block.graph_memory->set_live(false);
    return;
  }
  driver.blocks.remove(block.base);
  if (block.origin == Origin::kPool) block.pool->release(block.base, block.bytes, task);
}

Allocation address_range(Call& call, CUdeviceptr address) {
  const auto found = call.driver.memory.find(address);
  require(found.has_value() && !found->freed, CUDA_ERROR_NOT_FOUND, "no memory has that address");
  Allocation range = *found;
  if (const MemoryBlock* block = call.driver.blocks.around(address)) range.bytes = block->bytes;
  return range;
}

void free_all_of(Call& call, Context& context) {
  Driver& driver = call.driver;
  for (const MemoryBlock& block : driver.blocks.of(context)) {
    if (driver.settings.checks.leaks) {
      driver.findings.report(
          "leak", fmt::format("the context ends with {}", driver.memory.describe(block.base)));
    }
    release_block(driver, block, call.text());
  }
}

Place place_of(Driver& driver, std::uint64_t address) {
  const auto extent = driver.memory.extent(address);
  if (extent.end == 0) return Place::kPageable;
  const bool host = extent.kind == MemoryKind::kPinned || extent.kind == MemoryKind::kRegistered;
  return host ? Place::kPinned : Place::kDevice;
}

}  // namespace loci::cuda_double
