#include "tools/cuda_double/driver/driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/kernel_error.h"
#include "tools/cuda_double/driver/pool.h"
#include "tools/cuda_double/driver/visible_devices.h"

namespace loci::cuda_double {
namespace {

constexpr std::uint64_t kHostRange = std::uint64_t{64} << 30;  // addresses of pinned memory

DeviceMemory::Options memory_options(const Settings& settings) {
  DeviceMemory::Options options;
  options.reserved_bytes =
      settings.memory * static_cast<std::uint64_t>(settings.devices) * 2 + kHostRange;
  options.quarantine_bytes = settings.quarantine_bytes;
  options.quarantine_allocations = settings.quarantine_allocations;
  options.track_writes = settings.checks.undefined;
  return options;
}

// Where the settings are wrong the driver stands with none, and cuInit() says what is wrong.
Settings read_settings(std::string& error) {
  const char* text = std::getenv("LOCI_CUDA_DOUBLE");
  try {
    return parse_settings(text == nullptr ? "" : text);
  } catch (const SettingsError& wrong) {
    error = wrong.what();
    return parse_settings("");
  }
}

// "cuMemAlloc" for "cuMemAlloc_v2".
std::string_view without_version(std::string_view name) {
  const auto mark = name.rfind("_v");
  return mark == std::string_view::npos ? name : name.substr(0, mark);
}

}  // namespace

Driver& Driver::get() {
  static Driver* const driver = [] {
    std::string error;
    Settings chosen = read_settings(error);
    return new Driver(std::move(chosen), error);
  }();
  return *driver;
}

Driver::Driver(Settings chosen, std::string error)
    : settings_error(std::move(error)),
      settings(std::move(chosen)),
      findings(settings.abort_on_finding),
      memory(memory_options(settings)),
      registry(settings.checks.handles ? &findings : nullptr),
      races(settings.checks.stream_races, findings, memory),
      scheduler_(
          mutex, settings.seed, settings.latency_us,
          [](const Task& task) {
            return task.context != nullptr && task.context->error() != CUDA_SUCCESS;
          },
          [this](Task& task) { task_failed(task); }) {}

void Driver::initialise() {
  if (!settings_error.empty()) {
    fmt::print(stderr, "[cuda double] {}\n", settings_error);
    throw DriverError(CUDA_ERROR_INVALID_VALUE, settings_error);
  }
  if (process_ == 0) {
    const std::vector<int> visible =
        visible_devices(settings.devices, std::getenv("CUDA_VISIBLE_DEVICES"));
    require(!visible.empty(), CUDA_ERROR_NO_DEVICE, "CUDA_VISIBLE_DEVICES hides all devices");
    process_ = getpid();
    if (!settings.counters.empty()) std::atexit([] { get().write_counters(); });
    for (const int number : visible) {
      const int ordinal = device_count();
      devices_.push_back(std::make_unique<Device>(ordinal, number, settings));
      Device& device = *devices_.back();
      device.primary = std::make_shared<Context>(device, true);
      registry.add(device.primary);
      device.default_pool = device.current_pool = make_default_pool(device);
    }
  }
  require(process_ == getpid(), CUDA_ERROR_NOT_INITIALIZED, "the process was forked");
}

// Not those of a forked child, which has none of its own.
void Driver::write_counters() const {
  if (process_ == getpid()) counters.write(settings.counters);
}

bool Driver::is_initialised() const { return process_ != 0 && process_ == getpid(); }

Device& Driver::device(int ordinal) {
  require(ordinal >= 0 && ordinal < device_count(), CUDA_ERROR_INVALID_DEVICE,
          "there is no such device");
  return *devices_[static_cast<std::size_t>(ordinal)];
}

void Driver::count_call(const char* function) {
  call_ = function;
  const auto count = ++calls_[function];
  if (++call_count_ == failing_call_) {
    failed_function_ = function;
    throw DriverError(static_cast<CUresult>(failing_code_), "planned by the program");
  }
  for (const auto& planned : settings.failures) {
    if (planned.call == count &&
        (planned.function == function || planned.function == without_version(function))) {
      throw DriverError(static_cast<CUresult>(planned.code), "planned by LOCI_CUDA_DOUBLE");
    }
  }
}

void Driver::plan_failure(std::uint64_t n, int code) {
  failing_call_ = n == 0 ? 0 : call_count_ + n;
  failing_code_ = code;
  failed_function_ = nullptr;
}

std::string Driver::call_name() const {
  const auto found = calls_.find(call_);
  return fmt::format("{} #{}", call_, found == calls_.end() ? 0 : found->second);
}

void Driver::count_allocation() {
  if (++allocations_ == settings.fail_alloc) {
    throw DriverError(CUDA_ERROR_OUT_OF_MEMORY, "planned by LOCI_CUDA_DOUBLE");
  }
}

TaskPtr Driver::submit(Stream& stream, const TaskPtr& task) {
  task->context = &stream.context;
  submit(task, stream.actor, stream.dependencies());
  stream.last = task;
  return task;
}

void Driver::submit(const TaskPtr& task, Actor actor, const std::vector<TaskPtr>& dependencies) {
  Clock known;
  for (const auto& dependency : dependencies) {
    if (dependency != nullptr) known.join(dependency->clock);
  }
  submit_knowing(task, actor, dependencies, known);
}

void Driver::submit_knowing(const TaskPtr& task, Actor actor,
                            const std::vector<TaskPtr>& dependencies, const Clock& known) {
  task->clock = known;
  task->clock.join(host_clock_);
  task->epoch = actors.next(actor);
  task->clock.advance(task->epoch);
  scheduler_.submit(task, dependencies);
}

TaskPtr Driver::submit_kernel(Stream& stream, const TaskPtr& task, bool overlaps) {
  const bool is_behind_kernel = stream.last != nullptr && stream.last_kernel.end == stream.last;
  std::size_t row = 0;
  if (overlaps && is_behind_kernel) {
    submit_beside_kernel(stream, task);
    row = stream.last_kernel.row + 1;
  } else {
    submit(stream, task);
  }
  stream.last_kernel = {stream.last, task->clock.without(task->epoch), row};
  return task;
}

// An actor of its own, so that it does not count as behind the stream's work; a mark puts what
// comes next behind both.
void Driver::submit_beside_kernel(Stream& stream, const TaskPtr& task) {
  const std::size_t row = stream.last_kernel.row;
  if (stream.overlap_actors.size() == row) stream.overlap_actors.push_back(actors.take());
  const auto dependencies = stream.dependencies();
  Clock known = stream.last_kernel.before;
  for (const auto& dependency : dependencies) {
    const bool is_known = dependency != nullptr && dependency != stream.last;
    if (is_known) known.join(dependency->clock);
  }
  task->context = &stream.context;
  submit_knowing(task, stream.overlap_actors[row], dependencies, known);
  auto both = std::make_shared<Task>();
  both->what = task->what;
  both->context = &stream.context;
  submit(both, stream.actor, {stream.last, task});
  stream.last = both;
}

TaskPtr Driver::mark_beside_kernel(const Stream& stream) {
  auto mark = std::make_shared<Task>();
  mark->what = "the event of a launch";
  mark->context = &stream.context;
  mark->clock = stream.last_kernel.before;
  mark->clock.join(host_clock_);
  scheduler_.submit(mark, {stream.last});
  return mark;
}

void Driver::seen_by_host(const TaskPtr& task) {
  if (task != nullptr && task->done) host_clock_.join(task->clock);
}

void Driver::wait(std::unique_lock<std::mutex>& lock, const TaskPtr& task) {
  if (task == nullptr) return;
  scheduler_.wait(lock, task);
  if (task->context != nullptr) task->context->require_no_error();
  seen_by_host(task);
}

void Driver::wait_for_all(std::unique_lock<std::mutex>& lock, Context& context) {
  for (const auto& task : context.ends()) {
    scheduler_.wait(lock, task);
    seen_by_host(task);
  }
  context.require_no_error();
}

void Driver::task_failed(Task& task) {
  const KernelError error = current_kernel_error(task.what);
  findings.report("error", error.text);
  if (task.context != nullptr) task.context->fail(error.code, error.text);
}

}  // namespace loci::cuda_double
