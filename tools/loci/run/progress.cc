#include "tools/loci/run/progress.h"

#include <fmt/format.h>

namespace loci::runner {

void Progress::step() {
  ++done_;
  if (status_.is_due()) status_.show(fmt::format("run {} of {}", done_, total_));
}

}  // namespace loci::runner
