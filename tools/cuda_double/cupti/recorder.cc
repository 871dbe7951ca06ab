#include "tools/cuda_double/cupti/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/cuda_double/cupti/call_numbers.h"
#include "tools/cuda_double/cupti/external_ids.h"
#include "tools/cuda_double/cupti/records.h"

namespace loci::cupti_double {
namespace {

// CUPTI's default is the lower half of what pthread_self() gives.
std::uint32_t this_thread(bool by_system) {
  return static_cast<std::uint32_t>(by_system ? static_cast<std::uint64_t>(syscall(SYS_gettid))
                                              : static_cast<std::uint64_t>(pthread_self()));
}

template <typename Record>
void add(Buffers& buffers, const Record& record) {
  static_assert(sizeof record % ACTIVITY_RECORD_ALIGNMENT == 0);
  buffers.add(&record, sizeof record);
}

}  // namespace

Recorder& Recorder::get() {
  static auto& recorder = *new Recorder;
  return recorder;
}

Recorder::Recorder() : buffers(loci_cuda_double_cupti_drop()) {
  static constexpr cuda_double::ActivityListener kListener{
      [](const cuda_double::CallActivity& call) { get().called(call); },
      [](const cuda_double::WorkActivity& work) { get().worked(work); }};
  loci_cuda_double_listen(&kListener);
}

bool Recorder::has_kind(CUpti_ActivityKind kind) { return record_bytes(kind) != 0; }

void Recorder::enable(CUpti_ActivityKind kind, bool enabled) {
  kinds_[kind] = enabled;
  if (kind == CUPTI_ACTIVITY_KIND_OVERHEAD) buffers.tell_overhead(enabled);
  if (kind != CUPTI_ACTIVITY_KIND_DRIVER) return;
  for (auto& call : calls_) call = enabled;
}

bool Recorder::enable_call(std::uint32_t number, bool enabled) {
  if (number == 0 || number >= calls_.size()) return false;
  calls_[number] = enabled;
  return true;
}

void Recorder::called(const cuda_double::CallActivity& call) {
  const std::uint32_t number = number_of_call(call.name);
  if (number == 0 || !calls_[number] || !is_enabled(CUPTI_ACTIVITY_KIND_DRIVER)) return;
  if (is_enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) add_external_ids(call.correlation);
  CUpti_ActivityAPI record{};
  record.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  record.cbid = number;
  record.start = call.begin_ns;
  record.end = call.end_ns;
  record.processId = static_cast<std::uint32_t>(getpid());
  record.threadId = this_thread(by_system_);
  record.correlationId = call.correlation;
  record.returnValue = static_cast<std::uint32_t>(call.result);
  add(buffers, record);
}

void Recorder::add_external_ids(std::uint32_t correlation) {
  for (std::size_t kind = 0; kind < external_ids().size(); ++kind) {
    const auto& ids = external_ids()[kind];
    if (ids.empty()) continue;
    CUpti_ActivityExternalCorrelation record{};
    record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
    record.externalId = ids.back();
    record.correlationId = correlation;
    add(buffers, record);
  }
}

void Recorder::worked(const cuda_double::WorkActivity& work) {
  switch (work.kind) {
    case cuda_double::WorkKind::kKernel:
      if (is_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) add(buffers, kernel_record(work));
      break;
    case cuda_double::WorkKind::kCopy:
      if (is_between_devices(work)) {
        if (is_enabled(CUPTI_ACTIVITY_KIND_MEMCPY2)) add(buffers, peer_copy_record(work));
      } else if (is_enabled(CUPTI_ACTIVITY_KIND_MEMCPY)) {
        add(buffers, copy_record(work));
      }
      break;
    case cuda_double::WorkKind::kFill:
      if (is_enabled(CUPTI_ACTIVITY_KIND_MEMSET)) add(buffers, fill_record(work));
      break;
  }
}

}  // namespace loci::cupti_double
