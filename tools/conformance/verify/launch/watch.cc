#include "tools/conformance/verify/launch/watch.h"

#include <fmt/format.h>

#include <utility>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {
namespace {

thread_local const Watched* current_launch = nullptr;

}  // namespace

Watch& watch() {
  static Watch& the_watch = *new Watch;
  return the_watch;
}

Watched& watched_of(const loci_kernel_def* def) {
  Watch& self = watch();
  const std::lock_guard lock(self.mutex);
  Watched& watched = self.watched[def];
  if (watched.name.empty()) watched.name = fmt::format("{} ({})", view(def->op), view(def->name));
  return watched;
}

const Watched* launching() { return current_launch; }

const Watched* exchange_launching(const Watched* launch) {
  return std::exchange(current_launch, launch);
}

}  // namespace loci::verify
