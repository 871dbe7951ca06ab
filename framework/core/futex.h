// Waiting in the kernel for a word to change: without a mutex, so that it works after fork() and
// needs no destructor.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace loci::core {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Returns once woken, at once if the word is not `seen` any more, and now and then for no reason.
inline void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

// Wakes at most so many of those who wait.
inline void futex_wake(const std::atomic<std::uint32_t>& word, int most) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

}  // namespace loci::core
