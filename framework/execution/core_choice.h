// The choice whether a captured plan's launches run in tracks or one after the other.
#pragma once

#include <cstdint>
#include <vector>

namespace loci::execution {

// Chooses by measuring: first both ways take turns, and tracks are kept where they win. Then they
// go on as long as what they have won lately pays for what they lose, for example beside processes
// that take the processor from a thread that is waited for; else runs are plain ones, the longer
// the more was lost, and each time for longer where nothing was won, until both take turns again.
// Used by one run at a time.
class CoreChoice {
 public:
  enum class Way : std::uint8_t { kPlain, kForked };

  // How the next run goes.
  [[nodiscard]] Way next() const noexcept;
  // True while note() wants to know what the next run takes.
  [[nodiscard]] bool is_measured() const noexcept { return state_ != State::kResting; }
  // After it, a run for which next() was asked.
  void note(std::uint64_t ns);

  // Medians of the latest turns; 0 before.
  [[nodiscard]] std::uint64_t plain_ns() const noexcept { return plain_ns_; }
  [[nodiscard]] std::uint64_t forked_ns() const noexcept { return forked_ns_; }
  [[nodiscard]] bool is_forked() const noexcept { return state_ == State::kForked; }

 private:
  enum class State : std::uint8_t { kTurns, kForked, kResting };

  void note_turn(std::uint64_t ns);
  void judge();
  void take_turns();
  // For so many runs, and more where more was lost.
  void rest(std::uint64_t least, std::int64_t lost_ns);
  void note_forked(std::uint64_t ns);

  State state_ = State::kTurns;
  std::vector<std::uint64_t> turns_;  // a plain one, a forked one, ...
  std::uint64_t plain_ns_ = 0;
  std::uint64_t forked_ns_ = 0;
  std::int64_t won_ns_ = 0;  // lately, of kForked
  std::uint64_t runs_ = 0;   // until the state ends
  std::uint64_t rest_ = 0;   // how long the next rest is
  std::uint64_t stay_ = 0;   // how long tracks go on before both take turns again
};

}  // namespace loci::execution
