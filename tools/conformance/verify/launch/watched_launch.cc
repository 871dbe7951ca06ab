#include "tools/conformance/verify/launch/watched_launch.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "tools/conformance/verify/launch/blocking_probe.h"
#include "tools/conformance/verify/launch/launch_recorder.h"
#include "tools/conformance/verify/launch/layout_traps.h"
#include "tools/conformance/verify/process/last_words.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

// A launch that is late because its kernel was compiled in it is not late again.
constexpr int kAttempts = 3;
// Others may use the device too.
constexpr int kTakings = 2;
// Launches on so many take long enough to meet.
constexpr std::uint64_t kLargeBytes = std::uint64_t{48} << 10;

// NULL where nothing keeps the device busy.
BusyWork* busy_work(loci_device* device, loci_stream* stream) {
  Watch& self = watch();
  if (!missing_functions(self.device, nullptr).empty() || self.device.event_create == nullptr ||
      self.device.mem_alloc == nullptr || self.device.copy == nullptr) {
    return nullptr;
  }
  const std::lock_guard lock(self.mutex);
  std::unique_ptr<BusyWork>& busy = self.busy[device];
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20;
  if (busy == nullptr) {
    busy = std::make_unique<BusyWork>(self.device, self.host, device, kChunk, stream);
  }
  return busy->usable() ? busy.get() : nullptr;
}

// NULL where it is known, or tried often enough, that the kernel's launches return early or not.
BusyWork* work_before(const WatchedLaunch& prepared, loci_stream* stream) {
  const Watched& watched = *prepared.watched;
  if (stream == nullptr || watched.returns_early || watched.late >= kAttempts) return nullptr;
  return busy_work(prepared.device, stream);
}

void judge_blocking(Watched& watched, std::optional<bool> returned_early) {
  if (!returned_early) return;
  if (*returned_early) {
    watched.returns_early = true;
  } else if (++watched.late == kAttempts) {
    watch().tell(fmt::format(
        "launch of {} blocks: it returned when the work before it in the stream had ended, in {} "
        "launches of {}",
        watched.name, kAttempts, kAttempts));
  }
}

// Free bytes of the device; 0 where it does not count.
std::uint64_t free_memory(loci_device* device) {
  Watch& self = watch();
  if (self.device.mem_info == nullptr || device == nullptr) return 0;
  std::uint64_t free = 0;
  std::uint64_t total = 0;
  loci_error* error = self.device.mem_info(device, &free, &total);
  if (error == nullptr) return free;
  self.host.error_release(error);
  return 0;
}

// Returns true if kernels reach their arguments as the host does.
bool works_in_host_memory() {
  Watch& self = watch();
  if (self.device.describe == nullptr) return view(self.kernels.device_type) == "cpu";
  loci_device_info info{};
  info.struct_size = sizeof info;
  loci_error* error = self.device.describe(self.plugin, 0, &info);
  if (error != nullptr) self.host.error_release(error);
  return error == nullptr && (info.flags & LOCI_DEVICE_HOST_MEMORY) != 0;
}

// Describes the prepared kernel to the rehearsals.
Rehearsed rehearsed_of(const WatchedLaunch& self) {
  return {.name = self.watched->name,
          .def = *self.def,
          .kernel = self.kernel,
          .counts = self.counts,
          .other = nullptr,
          .other_shape = {},
          .overlaps = nullptr,
          .keep_busy = {}};
}

// A launch on more than is rehearsed in all ways.
void rehearse_aliases_of(const WatchedLaunch& self, const loci_launch& arguments) {
  Watched& watched = *self.watched;
  if (self.def->alias_count == 0) return;
  const std::optional<LaunchPlace> place = place_of_copies(self.device, arguments.stream);
  if (!place || !LaunchCopy::suits(*place, arguments, self.counts, kMostAliasBytes)) return;
  if (watched.left_for_aliases-- <= 0) return;
  note_call(self.call);
  std::vector<loci_alias> tried;
  watch().tell(rehearse_aliases(rehearsed_of(self), *place, arguments, &tried));
  const std::lock_guard lock(watch().mutex);
  for (const loci_alias& alias : tried) {
    watched.aliases_tried.insert(fmt::format("{} in {}", alias.output, alias.input));
  }
}

// Once for what was prepared, before its first launch.
void rehearse_launch(const WatchedLaunch& self, const loci_launch& arguments) {
  if (self.is_rehearsed.exchange(true)) return;
  if (LaunchCopy::bytes_of(arguments, self.counts) > LaunchCopy::kMostBytes) {
    return rehearse_aliases_of(self, arguments);
  }
  const std::optional<LaunchPlace> place = place_of_copies(self.device, arguments.stream);
  if (!place || !LaunchCopy::suits(*place, arguments, self.counts)) return;
  const bool is_large = LaunchCopy::bytes_of(arguments, self.counts) >= kLargeBytes;
  Rehearsals& rehearsals = is_large ? self.watched->large : self.watched->small;
  if (rehearsals.left-- <= 0) return;
  Rehearsed rehearsed = rehearsed_of(self);
  if (self.other != nullptr) {
    rehearsed.other = &self.other->kernel;
    rehearsed.other_shape = self.other->shape;
  }
  rehearsed.overlaps = &rehearsals.overlaps;
  if (BusyWork* busy = busy_work(self.device, arguments.stream); busy != nullptr) {
    rehearsed.keep_busy = [busy](loci_stream* stream) { busy->enqueue(stream); };
  }
  note_call(self.call);
  watch().tell(rehearse_as_set(rehearsed, *place, arguments));
}

}  // namespace

std::optional<LaunchPlace> place_of_copies(loci_device* on, const loci_stream* stream) {
  static const bool kHostMemory = works_in_host_memory();
  const loci_device_api& device = watch().device;
  const bool is_reached =
      device.mem_alloc != nullptr && device.copy != nullptr && stream != nullptr;
  if (!kHostMemory && !is_reached) return {};
  return LaunchPlace{device, watch().host, on, kHostMemory};
}

loci_error* launch_watched(const loci_prepared* prepared, const loci_launch* arguments) {
  const auto& self = *reinterpret_cast<const WatchedLaunch*>(prepared);
  rehearse_launch(self, *arguments);
  if (const auto place = place_of_copies(self.device, arguments->stream); place) {
    soil_outputs(*place, *arguments, self.counts);
  }
  BlockingProbe probe(watch().device, watch().host, self.device,
                      work_before(self, arguments->stream), arguments->stream);
  const std::uint64_t before = free_memory(self.device);
  note_call(self.call);
  exchange_launching(self.watched);
  loci_error* error = self.launch(self.real, arguments);
  exchange_launching(nullptr);
  note_call("");
  const std::uint64_t after = free_memory(self.device);
  if (after < before && ++self.watched->takings == kTakings) {
    watch().tell(fmt::format(
        "launch of {} takes memory of the device, {} bytes; ask for a workspace in prepare",
        self.watched->name, before - after));
  }
  judge_blocking(*self.watched, probe.returned_early());
  return error;
}

}  // namespace loci::verify
