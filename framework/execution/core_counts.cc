#include "framework/execution/core_counts.h"

#include <fmt/format.h>

namespace loci::execution {

std::string cores_text(std::uint64_t launches, std::uint64_t pieces, const CoreCounts::Told& told) {
  std::string text = fmt::format("threads share {} launches in {} pieces: {} runs, {} without that",
                                 launches, pieces, told.forked_runs, told.plain_runs);
  if (told.plain_ns > 0) {
    text += fmt::format("; {:.1f} us instead of {:.1f}", static_cast<double>(told.forked_ns) / 1000,
                        static_cast<double>(told.plain_ns) / 1000);
  }
  return text;
}

}  // namespace loci::execution
