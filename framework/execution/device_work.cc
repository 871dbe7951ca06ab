#include "framework/execution/device_work.h"

#include <mutex>
#include <optional>

#include "framework/execution/operator_log.h"

namespace loci::execution {

void DeviceWork::begin() noexcept {
  const std::lock_guard lock(lock_);
  is_in_question_ = true;
  launch_count_ = 0;
  failure_.reset();
}

void DeviceWork::set_launches(std::uint64_t first, std::uint64_t count) noexcept {
  const std::lock_guard lock(lock_);
  if (!is_in_question_) return;
  first_launch_ = first;
  launch_count_ = count;
}

bool DeviceWork::has(std::uint64_t correlation) const {
  const std::lock_guard lock(lock_);
  return correlation - first_launch_ < launch_count_;
}

void DeviceWork::finish() {
  device_.synchronize_stream(device_.default_stream(), this);
  if (const std::shared_ptr<device::Failure> failed = failure()) throw failed->error;
}

std::shared_ptr<device::Failure> DeviceWork::failure() const {
  const std::lock_guard lock(lock_);
  return failure_;
}

std::string DeviceWork::describe(std::uint64_t correlation) const {
  std::optional<std::uint64_t> instruction;
  {
    const std::lock_guard lock(lock_);
    if (!is_in_question_ && correlation == 0) return {};
    const std::uint64_t index = correlation - first_launch_;
    if (plan_ != nullptr && correlation != 0 && index < launch_count_) instruction = index;
  }
  std::string text = "a program's run at " + device_.place().to_string();
  if (instruction) text += ": " + describe_instruction(*plan_, *instruction);
  return text;
}

void DeviceWork::confirm(std::uint64_t /*up_to*/) noexcept {
  const std::lock_guard lock(lock_);
  is_in_question_ = false;
}

void DeviceWork::fail(const std::shared_ptr<device::Failure>& failure,
                      std::uint64_t /*correlation*/) noexcept {
  const std::lock_guard lock(lock_);
  if (!is_in_question_) return;
  is_in_question_ = false;
  failure_ = failure;
}

}  // namespace loci::execution
