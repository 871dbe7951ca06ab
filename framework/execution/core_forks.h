// Which launches of a plan threads of the team do beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace loci::execution {

// A segment begins once that many segments of that track have ended.
struct CoreNeed {
  std::uint32_t track = 0;
  std::uint32_t segments = 0;
};

// Launches of one track, none of which but the first waits for another track, and none of which but
// the last is waited for by one.
struct CoreSegment {
  std::uint32_t first = 0;  // of CoreForks::order: [first, last)
  std::uint32_t last = 0;
  std::uint32_t first_need = 0;  // of CoreForks::needs: [first_need, last_need)
  std::uint32_t last_need = 0;
  std::uint32_t script = 0;  // of Plan::core_scripts()
};

// Instructions [first, last). All before it have ended when it begins.
struct CoreRegion {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  // The segments of a track run one after the other. Without tracks, all instructions do, and may
  // have the whole team.
  std::vector<std::vector<CoreSegment>> tracks;
  std::uint32_t script = 0;  // as of segments, where there are no tracks
};

// All of it in the order of the instructions: what a segment needs has lower ones.
struct CoreForks {
  std::vector<CoreRegion> regions;
  std::vector<std::uint32_t> order;  // instructions, by segment
  std::vector<CoreNeed> needs;
  std::size_t tracks = 0;  // of the region with most
  std::size_t segments = 0;
  std::size_t launches = 0;     // in segments
  std::uint64_t plain_ns = 0;   // one after the other, as measured
  std::uint64_t forked_ns = 0;  // in tracks, as estimated
};

// LOCI_CORE_FORKS says whether captured runs have tracks at all: not (0), where measuring says that
// they pay (1, which is usual), or wherever they are possible (2, for tests).
enum class CoreForksPolicy : std::uint8_t { kOff, kMeasured, kAlways };
CoreForksPolicy core_forks_policy();

}  // namespace loci::execution
