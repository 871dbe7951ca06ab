// That a device is lost, and by what.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/place.hpp>
#include <mutex>
#include <string>

namespace loci::device {

// Thread-safe. What a device was lost by first counts, for good: reopening makes another Device.
class Loss {
 public:
  enum class Kind : std::uint8_t {
    kNone,
    kTold,  // its plugin says so: it can still be given back what it gave
    kHung,  // its work does not end: it is not touched any more, and what it may use stays
  };

  [[nodiscard]] bool is_lost() const noexcept {
    return kind_.load(std::memory_order_relaxed) != Kind::kNone;
  }
  [[nodiscard]] bool is_hung() const noexcept {
    return kind_.load(std::memory_order_relaxed) == Kind::kHung;
  }
  // One line; empty unless it is lost.
  [[nodiscard]] std::string by() const;
  // Returns true if it was the first.
  bool set(Kind kind, const std::string& by) noexcept;
  // Throws the Error(kDeviceLost) that whoever asks for the device gets.
  [[noreturn]] void refuse(const Place& place) const;

 private:
  std::atomic<Kind> kind_{Kind::kNone};
  mutable std::mutex mutex_;
  std::string by_;
};

}  // namespace loci::device
