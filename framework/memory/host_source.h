// Segments of host memory, from the operating system.
#pragma once

#include <atomic>

#include "framework/memory/memory_source.h"

namespace loci::memory {

class HostSource final : public MemorySource {
 public:
  // Holds at most `limit` bytes; 0: no limit.
  explicit HostSource(std::uint64_t limit) : limit_(limit) {}

  void* acquire(std::uint64_t bytes, loci_stream* stream) override;
  void release(void* pointer, std::uint64_t bytes) noexcept override;
  void order(loci_stream*, loci_stream*) override {}
  void synchronize() override {}
  [[nodiscard]] std::string place() const override { return "cpu"; }
  [[nodiscard]] std::uint64_t free_bytes() const noexcept override;
  [[nodiscard]] std::uint64_t alignment() const noexcept override { return 64; }
  [[nodiscard]] std::uint64_t chunk() const noexcept override { return 4096; }
  [[nodiscard]] bool is_host() const noexcept override { return true; }

 private:
  void claim(std::uint64_t bytes);

  std::uint64_t limit_;
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace loci::memory
