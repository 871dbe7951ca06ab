// Rates that readers of a profile derive from it.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>

namespace loci::report {

// Per second. 0 where no time passed.
inline double rate(std::uint64_t amount, std::uint64_t ns) {
  return ns == 0 ? 0.0 : static_cast<double>(amount) * 1e9 / static_cast<double>(ns);
}

// The time in which a node's work was done: that of the devices, each moment counted once, else
// that of the host. 0, which is not known, for work of a queued device that reported none of it:
// the host's time is that of launching it.
std::uint64_t busy_ns(const loci_profile& profile, const loci_profile_node& node);
// Likewise, of a copy: the host's time counts where it waited or where no queued device took part.
std::uint64_t busy_ns(const loci_profile& profile, const loci_profile_copy& copy);

}  // namespace loci::report
