// One copy, from its enqueuing until the host has waited for it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/device/device.h"
#include "framework/device/unproven_work.h"

namespace loci::transfer {

// A copy that the caller waits for. Another thread may be told first that it has failed.
class AwaitedCopy final : public device::UnprovenWork {
 public:
  // With a peer: from there to the device.
  AwaitedCopy(device::Device& device, std::uint64_t correlation,
              const device::Device* peer = nullptr)
      : device_(device), correlation_(correlation), peer_(peer) {
    device_.enter_work(*this);
  }
  ~AwaitedCopy() override { device_.leave_work(*this); }
  AwaitedCopy(const AwaitedCopy&) = delete;
  AwaitedCopy& operator=(const AwaitedCopy&) = delete;

  void wait(loci_stream* stream) {
    device_.synchronize_stream(stream, this);
    if (failure_ != nullptr)
      throw failure_->error;  // nobody changes it any more: it was asked about
  }

  [[nodiscard]] bool has(std::uint64_t correlation) const override {
    return correlation == correlation_;
  }
  // The results that it reads were proven before.
  [[nodiscard]] bool may_use(const UnprovenWork& /*other*/) const override { return false; }
  [[nodiscard]] std::string describe(std::uint64_t /*correlation*/) const override {
    if (!is_in_question_) return {};
    const std::string place = device_.place().to_string();
    if (peer_ == nullptr) return "a copy at " + place;
    return "a copy from " + peer_->place().to_string() + " to " + place;
  }
  void confirm(std::uint64_t /*up_to*/) noexcept override { is_in_question_ = false; }
  void fail(const std::shared_ptr<device::Failure>& failure,
            std::uint64_t /*correlation*/) noexcept override {
    if (!is_in_question_) return;
    is_in_question_ = false;
    failure_ = failure;
  }

 private:
  device::Device& device_;
  const std::uint64_t correlation_;
  const device::Device* peer_;
  bool is_in_question_ = true;  // this and the next under the device's lock
  std::shared_ptr<device::Failure> failure_;
};

}  // namespace loci::transfer
