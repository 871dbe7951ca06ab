#include "tests/out_of_memory/failing_new.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace loci::oom {
namespace {

enum class Mode { kOff, kNote, kFailAtStack, kFailAtNumber };

// Without the frames of operator new itself. Fewer would take different places for one; more make a
// recursion as many places as it is deep.
constexpr int kDepth = 14;
constexpr int kOwnFrames = 3;

std::atomic<Mode> mode{Mode::kOff};
std::atomic<std::uint64_t> count{0};
std::uint64_t target = 0;
Journal* journal = nullptr;
std::mutex noting;
// backtrace() and the journal's text must not come here again.
thread_local bool is_inside = false;

struct Inside {
  Inside() { is_inside = true; }
  ~Inside() { is_inside = false; }
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t hash_of(const char* text) {
  std::uint64_t hash = 0;
  for (; *text != '\0'; ++text) hash = mix(hash, static_cast<unsigned char>(*text));
  return hash;
}

constexpr int kMostFrames = 64;

struct Frames {
  void* pointers[kMostFrames];
  int count;
};

[[gnu::noinline]] Frames frames_here() {
  Frames frames{};
  frames.count = ::backtrace(frames.pointers, kMostFrames);
  return frames;
}

// A static initialiser of a library that is being loaded: nothing but the process's end comes of an
// exception there, whoever loads it.
bool is_of_initialiser(const Frames& frames) {
  for (int i = kOwnFrames; i < frames.count; ++i) {
    dl_find_object object{};
    if (::_dl_find_object(frames.pointers[i], &object) != 0) continue;
    if (std::strstr(object.dlfo_link_map->l_name, "/ld-linux") != nullptr) return true;
  }
  return false;
}

Stack stack_of(const Frames& frames) {
  Stack stack = 1;
  for (int i = kOwnFrames; i < std::min(frames.count, kOwnFrames + kDepth); ++i) {
    dl_find_object object{};
    if (::_dl_find_object(frames.pointers[i], &object) != 0) continue;
    const auto offset = reinterpret_cast<std::uintptr_t>(frames.pointers[i]) -
                        reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    stack = mix(mix(stack, hash_of(object.dlfo_link_map->l_name)), offset);
  }
  return stack == 0 ? 1 : stack;
}

void write_frames(const Frames& frames) {
  std::size_t used = 0;
  for (int i = kOwnFrames; i < std::min(frames.count, kOwnFrames + kDepth); ++i) {
    Dl_info info{};
    if (::dladdr(frames.pointers[i], &info) == 0) continue;
    const char* name = info.dli_sname == nullptr ? "?" : info.dli_sname;
    const auto offset = reinterpret_cast<std::uintptr_t>(frames.pointers[i]) -
                        reinterpret_cast<std::uintptr_t>(info.dli_fbase);
    const int written =
        std::snprintf(journal->text + used, Journal::kMostText - used, "    %s+0x%zx %s\n",
                      info.dli_fname, static_cast<std::size_t>(offset), name);
    used += written < 0 ? 0 : static_cast<std::size_t>(written);
    if (used >= Journal::kMostText) return;
  }
}

void note(const Frames& frames, std::uint64_t number) {
  const Stack stack = stack_of(frames);
  const std::lock_guard lock(noting);
  journal->allocations = number;
  // From the end: a loop allocates at the same place again and again.
  for (std::uint64_t i = journal->stack_count; i > 0; --i) {
    if (journal->stacks[i - 1] == stack) return;
  }
  if (journal->stack_count < Journal::kMostStacks) journal->stacks[journal->stack_count++] = stack;
}

// Returns true if the allocation has to fail.
bool comes_due() {
  const Mode now = mode.load(std::memory_order_acquire);
  if (now == Mode::kOff || is_inside) return false;
  const Inside inside;
  const std::uint64_t number = count.fetch_add(1) + 1;
  if (now == Mode::kFailAtNumber && number != target) return false;
  const Frames frames = frames_here();
  if (is_of_initialiser(frames)) return false;
  if (now == Mode::kNote) {
    note(frames, number);
    return false;
  }
  if (now == Mode::kFailAtStack && stack_of(frames) != target) return false;
  if (mode.exchange(Mode::kOff) == Mode::kOff) return false;
  journal->has_failed = true;
  write_frames(frames);
  return true;
}

void begin(Journal* shared, Mode next, std::uint64_t what) {
  journal = shared;
  target = what;
  count = 0;
  {
    const Inside inside;  // the first backtrace() loads a library
    (void)frames_here();
  }
  mode.store(next, std::memory_order_release);
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (comes_due()) return nullptr;
  if (bytes == 0) bytes = 1;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(bytes);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  void* pointer = allocate(bytes, alignment);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

}  // namespace

void note_allocations(Journal* journal) { begin(journal, Mode::kNote, 0); }
void fail_at_stack(Journal* journal, Stack stack) { begin(journal, Mode::kFailAtStack, stack); }
void fail_at_number(Journal* journal, std::uint64_t number) {
  begin(journal, Mode::kFailAtNumber, number);
}
void let_allocate() { mode.store(Mode::kOff, std::memory_order_release); }

}  // namespace loci::oom

using loci::oom::allocate;
using loci::oom::allocate_or_throw;

constexpr std::size_t kPlain = alignof(std::max_align_t);

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, kPlain); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes, kPlain); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kPlain);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate(bytes, kPlain);
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete[](void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::size_t, std::align_val_t) noexcept {
  std::free(pointer);
}
