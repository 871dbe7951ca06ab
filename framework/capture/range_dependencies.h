// Which launches of a list need which others to have ended, by the memory that they use.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "framework/planning/dependencies.h"

namespace loci::capture {

// Whoever reads a byte comes after who wrote it last, and whoever writes one after that one and all
// who have read it since: whatever tensors it belongs to. Launches are told in their order.
class RangeDependencies {
 public:
  explicit RangeDependencies(std::size_t launches) : found_(launches) {}

  // Launch `now` reads or writes addresses [begin, end).
  void read(std::uint32_t now, std::uint64_t begin, std::uint64_t end);
  void write(std::uint32_t now, std::uint64_t begin, std::uint64_t end);

  // Once, by launch; those of each in ascending order, every one once.
  [[nodiscard]] planning::Dependencies take();

 private:
  static constexpr std::int64_t kNone = -1;
  // Bytes that have been used alike.
  struct Piece {
    std::uint64_t end = 0;
    std::int64_t writer = kNone;   // the latest
    std::int64_t readers = kNone;  // since: the latest of them, in readers_
  };
  // Pieces that were one share those that came before.
  struct Reader {
    std::uint32_t launch = 0;
    std::int64_t earlier = kNone;
  };
  using Pieces = std::map<std::uint64_t, Piece>;  // by where they begin

  void split(std::uint64_t at);
  // Pieces that are [begin, end), the first of them.
  Pieces::iterator cover(std::uint64_t begin, std::uint64_t end);
  void need(std::uint32_t now, std::int64_t on);

  planning::Dependencies found_;
  Pieces pieces_;
  std::vector<Reader> readers_;
};

}  // namespace loci::capture
