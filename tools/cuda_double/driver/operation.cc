#include "tools/cuda_double/driver/operation.h"

#include <fmt/format.h>

#include <cstring>

#include "tools/cuda_double/driver/conditions.h"
#include "tools/cuda_double/driver/driver.h"
#include "tools/cuda_double/driver/loaded_module.h"
#include "tools/cuda_double/driver/thread_state.h"
#include "tools/cuda_double/ptx/launch.h"

namespace loci::cuda_double {
namespace {

// Host memory that nobody registered is the program's own and is not looked at.
class Side {
 public:
  Side(const Task& task, Driver& driver, bool written)
      : task_(task), driver_(driver), written_(written) {}

  void touch(std::uint64_t address, std::uint64_t bytes) {
    if (!is_managed(address, bytes)) return;
    driver_.memory.check(address, bytes);
    driver_.races.accessed(task_, {address, bytes, written_, false, {}});
  }
  [[nodiscard]] bool is_managed(std::uint64_t address, std::uint64_t bytes) const {
    const auto first = driver_.memory.range_begin();
    return address - first < driver_.memory.range_bytes() || driver_.memory.is_live(address, bytes);
  }

 private:
  const Task& task_;
  Driver& driver_;
  const bool written_;
};

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

void check_written(const CopyOperation& copy, std::uint64_t from, std::size_t bytes,
                   const Task& task, Driver& driver) {
  const auto first = driver.memory.first_not_written(from, bytes);
  if (!first.has_value()) return;
  driver.findings.report(
      "undefined",
      fmt::format("{} reads {} bytes, of which some were never written: {}", task.what,
                  copy.width * copy.height * copy.depth, driver.memory.describe(*first)));
}

void copy_row(const CopyOperation& copy, std::uint64_t from, std::uint64_t to, const Task& task,
              Driver& driver) {
  Side source(task, driver, false);
  Side target(task, driver, true);
  if (copy.staged == nullptr) source.touch(from, copy.width);
  target.touch(to, copy.width);
  const bool from_device = copy.staged == nullptr && source.is_managed(from, copy.width);
  const bool to_device = target.is_managed(to, copy.width);
  std::memmove(pointer(to), pointer(from), copy.width);
  if (from_device && to_device) {
    driver.memory.copy_states(to, from, copy.width);
  } else if (to_device) {
    driver.memory.mark_written(to, copy.width);
  } else if (from_device && driver.settings.checks.undefined) {
    check_written(copy, from, copy.width, task, driver);
  }
}

void run(const CopyOperation& copy, const Task& task, Driver& driver) {
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      copy_row(copy, copy.from + z * copy.from_slice + y * copy.from_pitch,
               copy.to + z * copy.to_slice + y * copy.to_pitch, task, driver);
    }
  }
}

void run(const FillOperation& fill, const Task& task, Driver& driver) {
  Side target(task, driver, true);
  const std::size_t row_bytes = fill.width * fill.element;
  for (std::size_t y = 0; y < fill.height; ++y) {
    const std::uint64_t row = fill.address + y * fill.pitch;
    target.touch(row, row_bytes);
    const std::string missing = missing_access(driver, *task.context, fill);
    if (!missing.empty()) throw DriverError(CUDA_ERROR_ILLEGAL_ADDRESS, missing);
    auto* bytes = static_cast<std::byte*>(pointer(row));
    for (std::size_t x = 0; x < fill.width; ++x) {
      std::memcpy(bytes + x * fill.element, &fill.value, fill.element);
    }
    driver.memory.mark_written(row, row_bytes);
  }
}

class LaunchObserver : public AccessObserver {
 public:
  LaunchObserver(const Task& task, Driver& driver) : task_(task), driver_(driver) {}
  void accessed(const AccessedRange& range) override {
    driver_.races.accessed(
        task_, {range.begin, range.bytes, range.written, range.atomic, std::string(range.source)});
  }

 private:
  const Task& task_;
  Driver& driver_;
};

void run(const KernelOperation& kernel, const Task& task, Driver& driver) {
  const LoadedModule& module = *kernel.function->module;
  const Context& context = module.context;
  require(!module.is_unloaded, CUDA_ERROR_INVALID_HANDLE, "the kernel's module was unloaded");
  LaunchObserver observer(task, driver);
  const auto externals = condition_setters(driver);
  const auto& enabled = driver.settings.checks;
  LaunchConfig config;
  config.grid = kernel.grid;
  config.block = kernel.block;
  config.dynamic_shared_bytes = kernel.dynamic_shared;
  config.parameters = kernel.parameters;
  config.seed = driver.settings.seed == 0 ? 0 : driver.settings.seed + task.epoch.count;
  config.instruction_limit = driver.settings.instructions;
  config.checks = {enabled.addresses, enabled.undefined, enabled.shared_races, enabled.block_races};
  config.workers = driver.settings.workers;
  config.cooperative = kernel.cooperative;
  config.device = context.device.ordinal();
  config.peers = context.peer_devices();
  config.compute_units = static_cast<std::uint32_t>(
      context.device.attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  config.observer = enabled.stream_races ? &observer : nullptr;
  config.externals = &externals;
  config.count = !driver.settings.counters.empty();
  const Counters counted = launch(kernel.function->code, config, driver.memory);
  if (config.count) driver.counters.add(kernel.function->code.name(), counted);
}

void run(const HostOperation& host, const Task&, Driver&) {
  const HostFunctionScope forbids_calls;
  host.function(host.data);
}

template <typename Mark>
void run(const Mark&, const Task&, Driver&) {}

}  // namespace

std::uint64_t CopyOperation::from_bytes() const {
  return (depth - 1) * from_slice + (height - 1) * from_pitch + width;
}

std::uint64_t CopyOperation::to_bytes() const {
  return (depth - 1) * to_slice + (height - 1) * to_pitch + width;
}

std::uint64_t FillOperation::bytes() const { return (height - 1) * pitch + width * element; }

void execute(const Operation& operation, const Task& task, Driver& driver) {
  std::visit([&](const auto& each) { run(each, task, driver); }, operation);
}

std::string missing_access(const Driver& driver, const Context& context,
                           const FillOperation& fill) {
  const int device = context.device.ordinal();
  const MemoryUser user{device, context.peer_devices()};
  if (driver.memory.may_use(fill.address, user, /*writes=*/true)) return "";
  const auto extent = driver.memory.extent(fill.address);
  return fmt::format("fills memory of device {} from device {}, without {}: {}", extent.device,
                     device, needed_access(extent.kind), driver.memory.describe(fill.address));
}

bool has_work(const Operation& operation) {
  return std::holds_alternative<KernelOperation>(operation) ||
         std::holds_alternative<CopyOperation>(operation) ||
         std::holds_alternative<FillOperation>(operation) ||
         std::holds_alternative<HostOperation>(operation);
}

}  // namespace loci::cuda_double
