// Notes what a process under test is doing, for when it dies: kept in memory that outlives it.
#pragma once

#include <string>
#include <string_view>

namespace loci::verify {

// Before the processes that share it are started. Without it the others do nothing.
void share_last_words();
// In a process whose children are to share it with none but this one.
void share_last_words_anew();

// The function of the plugin that is being called, "mem_alloc" or "launch of relu"; and a sentence
// on how it died, of a handler of signals. Both are cut off where they are too long, and neither
// allocates.
void note_call(std::string_view call) noexcept;
// The device that calls are about from now on, "device 1"; empty: that under test, which needs no
// name.
void note_device(std::string_view device) noexcept;
void note_death(std::string_view sentence) noexcept;

// The notes made since the last call of take_last_words().
struct LastWords {
  std::string call;
  std::string device;
  std::string death;
};
LastWords take_last_words();

}  // namespace loci::verify
