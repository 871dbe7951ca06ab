#include "framework/eager/thread_state.h"

#include "framework/device/device_manager.h"
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"

namespace loci::eager {

device::Device* guarded_device(ThreadState& thread) {
  const std::string& guard = program::current_guard();
  if (guard.empty()) return nullptr;
  // A guard is a place, at which another device may have been opened since.
  if (guard != thread.guard || thread.guard_device->loss().is_lost()) {
    auto& devices = device::DeviceManager::instance();
    thread.guard_device = &devices.get(devices.resolve(program::guarded_place(guard), Place()));
    thread.guard = guard;
  }
  return thread.guard_device;
}

bool is_guarded() {
  const std::string& guard = program::current_guard();
  return !guard.empty() && program::standing_of(guard) == program::Standing::kGuarded;
}

std::shared_ptr<WorkRecorder> recorder_of(const ThreadState& thread) {
  for (const Queue* queue : thread.streams) {
    if (std::shared_ptr<WorkRecorder> recorder = queue->recorder()) return recorder;
  }
  return nullptr;
}

}  // namespace loci::eager
