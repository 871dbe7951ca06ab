// Memory with lasting addresses for what each run binds anew, around graphs of the device's whose
// addresses its capturer cannot exchange.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "framework/execution/plan.h"
#include "framework/memory/allocator.h"

namespace loci::execution {

class Frame;

// Memory for the values of a range of instructions of one device. The frame outlives it.
class StagedValues {
 public:
  // Stages those values that runs bind to addresses of their own, and that instructions [first,
  // last) use on their device. Throws Error(kOutOfMemory).
  StagedValues(const Plan& plan, std::size_t first, std::size_t last);

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] bool has(ValueId value) const;

  // While it lives the frame's values lie here.
  class Binding {
   public:
    Binding(const StagedValues& staged, Frame& frame);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    const StagedValues& staged_;
    Frame& frame_;
    std::vector<void*> bound_;
  };

  // Around a launch, in its stream: from where the run has them, and back what is written. Throws
  // Error.
  void bring(const Frame& frame) const;
  void take_back(const Frame& frame) const;

 private:
  struct Staged {
    ValueId value = -1;
    bool is_read = false;
    bool is_written = false;
    memory::Buffer memory;
  };
  void copy(const Staged& staged, const void* from, void* to) const;

  const Plan& plan_;
  std::vector<Staged> staged_;
  std::uint64_t bytes_ = 0;
};

}  // namespace loci::execution
