#include "tools/cuda_double/driver/hearing.h"

#include <atomic>
#include <ctime>

#include "tools/cuda_double/driver/driver.h"
#include "tools/cuda_double/driver/loaded_module.h"
#include "tools/cuda_double/driver/memory.h"

namespace loci::cuda_double {
namespace {

std::atomic<const ActivityListener*> current_listener{nullptr};
std::atomic<std::uint32_t> last_correlation{0};
thread_local std::uint32_t correlation_of_call = 0;

WorkPlace seen_from_outside(Place place) {
  switch (place) {
    case Place::kDevice: return WorkPlace::kDevice;
    case Place::kPinned: return WorkPlace::kPinned;
    default: return WorkPlace::kPageable;
  }
}

int device_of(Driver& driver, std::uint64_t address, int otherwise) {
  const auto found = driver.memory.find(address);
  return found.has_value() && !found->is_host() ? found->device : otherwise;
}

void copy_extents(std::uint32_t (&extents)[3], const Dim3& from) {
  extents[0] = from.x;
  extents[1] = from.y;
  extents[2] = from.z;
}

bool describe(WorkActivity& work, const KernelOperation& kernel, Driver&) {
  work.kind = WorkKind::kKernel;
  work.name = kernel.function->code.name().c_str();
  copy_extents(work.grid, kernel.grid);
  copy_extents(work.block, kernel.block);
  work.registers =
      static_cast<std::uint32_t>(kernel.function->attribute(CU_FUNC_ATTRIBUTE_NUM_REGS));
  work.static_shared = static_cast<std::uint32_t>(kernel.function->shared_bytes(0));
  work.dynamic_shared = kernel.dynamic_shared;
  return true;
}

bool describe(WorkActivity& work, const CopyOperation& copy, Driver& driver) {
  work.kind = WorkKind::kCopy;
  work.bytes = copy.width * copy.height * copy.depth;
  work.to = seen_from_outside(place_of(driver, copy.to));
  work.to_device = device_of(driver, copy.to, work.device);
  work.from_device = work.device;
  if (copy.staged != nullptr) return true;
  work.from = seen_from_outside(place_of(driver, copy.from));
  work.from_device = device_of(driver, copy.from, work.device);
  return true;
}

bool describe(WorkActivity& work, const FillOperation& fill, Driver& driver) {
  work.kind = WorkKind::kFill;
  work.bytes = fill.width * fill.element * fill.height;
  work.value = fill.value;
  work.to = seen_from_outside(place_of(driver, fill.address));
  return true;
}

template <typename Other>
bool describe(WorkActivity&, const Other&, Driver&) {
  return false;
}

}  // namespace

HeardCall::HeardCall(const char* name)
    : listener_(current_listener.load(std::memory_order_acquire)) {
  correlation_of_call = 0;
  if (listener_ == nullptr) return;
  correlation_of_call = ++last_correlation;
  call_.name = name;
  call_.correlation = correlation_of_call;
  call_.begin_ns = loci_cuda_double_time_ns();
}

CUresult HeardCall::ended(CUresult result) {
  if (listener_ == nullptr) return result;
  call_.end_ns = loci_cuda_double_time_ns();
  call_.result = result;
  listener_->call(call_);
  return result;
}

std::optional<WorkActivity> heard_work(Driver& driver, const Operation& operation,
                                       const Stream& stream, std::uint64_t node) {
  if (correlation_of_call == 0) return std::nullopt;
  WorkActivity work;
  work.correlation = correlation_of_call;
  work.device = stream.context.device.ordinal();
  work.context = stream.context.id;
  work.stream = stream.id;
  work.node = node;
  const bool is_told =
      std::visit([&](const auto& each) { return describe(work, each, driver); }, operation);
  return is_told ? std::optional(work) : std::nullopt;
}

void execute_heard(const Operation& operation, const Task& task, Driver& driver,
                   const std::optional<WorkActivity>& work) {
  const auto* listener = current_listener.load(std::memory_order_acquire);
  if (listener == nullptr || !work.has_value()) return execute(operation, task, driver);
  WorkActivity done = *work;
  done.begin_ns = loci_cuda_double_time_ns();
  execute(operation, task, driver);
  done.end_ns = loci_cuda_double_time_ns();
  listener->work(done);
}

}  // namespace loci::cuda_double

extern "C" void loci_cuda_double_listen(const loci::cuda_double::ActivityListener* listener) {
  loci::cuda_double::current_listener.store(listener, std::memory_order_release);
}

extern "C" std::uint64_t loci_cuda_double_time_ns() {
  constexpr std::uint64_t kNsOfSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsOfSecond +
         static_cast<std::uint64_t>(now.tv_nsec);
}

extern "C" int loci_cuda_double_planned_code(const char* function) {
  auto& driver = loci::cuda_double::Driver::get();
  const std::lock_guard lock(driver.mutex);
  try {
    driver.count_call(function);
    return 0;
  } catch (const loci::cuda_double::DriverError& planned) {
    return static_cast<int>(planned.code());
  }
}

extern "C" unsigned loci_cuda_double_cupti_drop() {
  return loci::cuda_double::Driver::get().settings.cupti_drop;
}
