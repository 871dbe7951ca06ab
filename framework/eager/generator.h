// Random numbers of ops on tensors.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <memory>

#include "framework/core/context.h"
#include "framework/device/device.h"

namespace loci::eager {

// One state for the context, as a program has one: the seed, and run 0. The k-th random op since
// seed() gets offset k, as the k-th random operator of a program does, so that it draws the same
// numbers as a program's first run. Thread-safe; threads that draw at the same time share the
// count.
class Generator {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kRandomState;
  static Generator& instance() { return core::in_context<Generator>(); }
  Generator();
  ~Generator();

  void seed(std::uint64_t seed);
  // The random numbers of the ops to come begin here.
  struct Position {
    std::uint64_t seed = 0;
    std::int64_t offset = 0;
  };
  [[nodiscard]] Position position() const;
  void move_to(const Position& position);
  // The state in the memory of the device.
  Tensor state_at(device::Device& device, const void* site);
  std::int64_t next_offset() { return take(1).offset; }
  // Where that many ops to come begin, which others draw.
  Position take(std::int64_t count);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Where so many random ops of the thread begin that somebody else is to draw at that device, with
// offsets from 0: as a state of three elements, from which they draw what the thread would draw
// now.
[[nodiscard]] Tensor take_draws(device::Device& device, std::int64_t count, const void* site);

// Gives a call of a random op its state and offset, where it lacks them.
class Draw {
 public:
  Draw(OpCall<Tensor>& call, device::Device* guard);
};

}  // namespace loci::eager
