// Keeping callers off the processors of threads that want to help them.
//
// A thread that is ready on a processor where another one runs waits there, though others are idle:
// the system places threads where they wake, and moves them late or never. The caller of a loop
// that shares its processor with a thread of the team would do each loop alone.
#pragma once

#include <cstdint>

namespace loci::core {

// Thread `number` of the team calls these: it looks for loops, on the processor where it runs, or
// it no longer does.
void note_looking(std::uint32_t number) noexcept;
void note_asleep(std::uint32_t number) noexcept;
// In the child of a fork().
void forget_looking() noexcept;

// After each loop of the calling thread. Where nobody helped with some in a row, and one of the
// team's threads, numbered up to `threads`, looks for loops on the processor of the caller, that
// goes to another one that it may run on.
void note_helped() noexcept;
void note_alone(std::uint32_t threads) noexcept;

}  // namespace loci::core
