// Recording what a thread does. With recording off a scope costs a load and a branch; without the
// profiler (LOCI_WITH_PROFILER) nothing.
#pragma once

#include <cstdint>

#include "framework/profiler/enabled.h"
#include "framework/profiler/recording.h"

namespace loci::profiler {

namespace detail {
void open_scope(std::uint32_t word, LabelId label, std::uint64_t correlation) noexcept;
// Changes the label of the innermost scope of this thread.
void relabel_scope(LabelId label, std::uint64_t correlation) noexcept;
// Adds LOCI_SPAN_FAILED while an exception is on its way. Without `keep` the scope leaves nothing,
// and what was within it stands where it stood.
void close_scope(std::uint32_t word, std::uint16_t flags, bool keep = true) noexcept;
}  // namespace detail

// From its construction to its end. On one thread; scopes end in reverse order.
class Scope {
 public:
  explicit Scope(LabelId label, std::uint64_t correlation = 0, Level level = Level::kOp) noexcept {
    if constexpr (!kIsBuiltIn) return;
    const std::uint32_t word = enabled_word();
    if ((word & kLevelMask) >= static_cast<std::uint32_t>(level)) [[unlikely]] {
      word_ = word;
      detail::open_scope(word, label, correlation);
    }
  }
  ~Scope() { end(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  void end() noexcept {
    if constexpr (!kIsBuiltIn) return;
    if (word_ != 0) [[unlikely]]
      detail::close_scope(word_, flags_);
    word_ = 0;
  }
  // Ends it as if it had never been there.
  void drop() noexcept {
    if constexpr (!kIsBuiltIn) return;
    if (word_ != 0) detail::close_scope(word_, 0, /*keep=*/false);
    word_ = 0;
  }
  // While it is the innermost one: what it turns out to be.
  void relabel(LabelId label, std::uint64_t correlation) noexcept {
    if constexpr (!kIsBuiltIn) return;
    if (word_ != 0) detail::relabel_scope(label, correlation);
  }
  // LOCI_SPAN_* of what the scope leaves.
  void add_flags(std::uint16_t flags) noexcept { flags_ |= flags; }
  [[nodiscard]] bool is_recorded() const noexcept { return word_ != 0; }

 private:
  std::uint32_t word_ = 0;
  std::uint16_t flags_ = 0;
};

// Scopes that begin and end one after the other. On one thread; what is open at its end is closed.
class OpenScopes {
 public:
  OpenScopes() noexcept : word_(enabled_word()) {}
  ~OpenScopes() { close(); }
  OpenScopes(const OpenScopes&) = delete;
  OpenScopes& operator=(const OpenScopes&) = delete;

  void push(LabelId label, std::uint64_t correlation) noexcept {
    ++depth_;
    detail::open_scope(word_, label, correlation);
  }
  void pop() noexcept {
    --depth_;
    detail::close_scope(word_, 0);
  }
  // The innermost one, which nothing lies in by now: what it turns out to be.
  void relabel(LabelId label, std::uint64_t correlation) noexcept {
    detail::relabel_scope(label, correlation);
  }
  void close() noexcept {
    while (depth_ > 0) pop();
  }
  // For what is recorded now: closes what is open from before, of another period.
  void renew() noexcept {
    const std::uint32_t word = enabled_word();
    if (word != word_) close();
    word_ = word;
  }
  [[nodiscard]] bool is_empty() const noexcept { return depth_ == 0; }

 private:
  std::uint32_t word_;
  std::uint32_t depth_ = 0;
};

// An allocation or release, at the level kDetail. `name` and `place` are interned (they outlive the
// process's use of the profiler).
void record_memory(const char* name, const char* place, const void* address, std::uint64_t bytes,
                   bool is_free) noexcept;

}  // namespace loci::profiler
