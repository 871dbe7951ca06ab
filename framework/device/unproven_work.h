// Work that a device has been given and has not confirmed yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/device/failure.h"

namespace loci::device {

// A device tells of a failure once, to whoever asks first, and not always what has failed. So
// whoever has given it work is told: what the failure may be about, and what may have used that,
// counts as failed, and nobody takes another's bad value for right. Entered in its device by
// Device::enter_work(). The functions are called under a lock of the device, from any thread; they
// ask the device nothing.
class UnprovenWork {
 public:
  virtual ~UnprovenWork() = default;

  // Returns true if the launch, copy or fill of that correlation, which is not 0, is its own.
  [[nodiscard]] virtual bool has(std::uint64_t correlation) const = 0;
  // Returns true if it may have used results of `other` before that was proven.
  [[nodiscard]] virtual bool may_use(const UnprovenWork& other) const = 0;
  // For the error: its work of that correlation, or, for 0, what of it is in question; empty if
  // nothing is.
  [[nodiscard]] virtual std::string describe(std::uint64_t correlation) const = 0;
  // The device said nothing after the work up to there had ended, in the owner's own count.
  virtual void confirm(std::uint64_t up_to) noexcept = 0;
  // Its work of that correlation and what came after it has failed, or, for 0, all that is in
  // question.
  virtual void fail(const std::shared_ptr<Failure>& failure,
                    std::uint64_t correlation) noexcept = 0;
};

}  // namespace loci::device
