// Which part of something that is divided by threads is the calling one's.
#pragma once

#include <cstddef>

#include "framework/core/log.h"

namespace loci::core {

inline constexpr std::size_t kShards = 8;

namespace detail {
// A constant at first, so that reading it asks for no guard.
inline constinit thread_local std::size_t shard = kShards;
}  // namespace detail

// In [0, kShards). Threads that begin one after the other have different ones.
inline std::size_t thread_shard() noexcept {
  if (detail::shard == kShards) [[unlikely]]
    detail::shard = thread_number() % kShards;
  return detail::shard;
}

}  // namespace loci::core
