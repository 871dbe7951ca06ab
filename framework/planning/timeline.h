// Which instructions of a plan have ended when another one begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::planning {

// Counts by track how many of its instructions have ended. A track that is missing counts as 0.
using Clock = std::vector<std::uint32_t>;

// Makes `clock` know what `other` does.
void join(Clock* clock, const Clock& other);

// Happens-before by vector clocks. A track is the host's thread or a stream: its instructions run
// one after the other, and what else an instruction comes after is in its clock.
class Timeline {
 public:
  // One track, in which instructions run as they are numbered.
  static Timeline sequential() { return {}; }
  // Each instruction is then placed once; those of a track in their order.
  static Timeline concurrent(std::size_t instructions);

  // `known` is what has ended when the instruction begins. Returns what is known when it has ended.
  Clock place(std::size_t instruction, std::size_t track, Clock known);

  [[nodiscard]] bool is_sequential() const { return moments_.empty(); }
  [[nodiscard]] std::size_t track(std::size_t instruction) const {
    return moments_.empty() ? 0 : moments_[instruction].track;
  }
  // Within its track, from 1.
  [[nodiscard]] std::uint32_t time(std::size_t instruction) const {
    return moments_.empty() ? static_cast<std::uint32_t>(instruction) + 1
                            : moments_[instruction].time;
  }
  // How many instructions of the track have ended when this one begins.
  [[nodiscard]] std::uint32_t known(std::size_t instruction, std::size_t track) const {
    if (moments_.empty()) return static_cast<std::uint32_t>(instruction);
    const Clock& clock = moments_[instruction].known;
    return track < clock.size() ? clock[track] : 0;
  }
  [[nodiscard]] bool precedes(std::size_t first, std::size_t second) const {
    return known(second, track(first)) >= time(first);
  }

 private:
  struct Moment {
    std::size_t track = 0;
    std::uint32_t time = 0;
    Clock known;
  };
  std::vector<Moment> moments_;         // by instruction; none if they are sequential
  std::vector<std::uint32_t> lengths_;  // by track
};

}  // namespace loci::planning
