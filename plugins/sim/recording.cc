#include "plugins/sim/recording.h"

#include <fmt/format.h>

namespace loci::sim {

void Recording::add(std::unique_ptr<Work> work, const std::vector<Access>& accesses) {
  const bool is_named = work->facts().kind == LOCI_DEVICE_WORK_KERNEL && !op_.empty();
  std::string name = is_named ? op_ : work->name();
  nodes_.push_back(std::make_shared<const GraphNode>(
      GraphNode{std::move(work), accesses, std::move(name), item_, order_.add()}));
}

void Recording::refuse(std::string_view what) {
  const std::string message = fmt::format(
      "[sim] {} while the stream records a graph; do it before the recording or after it", what);
  if (reason_.empty()) reason_ = message;
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, message);
}

GraphNodes Recording::finish() {
  if (is_valid()) return std::move(nodes_);
  throw sdk::Error(
      LOCI_CODE_FAILED,
      fmt::format("[sim] the recording is invalid since this was refused: {}", reason_));
}

}  // namespace loci::sim
