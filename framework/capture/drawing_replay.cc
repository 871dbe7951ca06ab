#include "framework/capture/drawing_replay.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace loci::capture {
namespace {

// Seed, run, and what is added to the ops' offsets, in stream order: replays before it may not have
// begun yet.
void set_state(device::Device& device, const Tensor& state,
               const std::array<std::uint64_t, 3>& values, loci_stream* stream,
               std::uint64_t correlation) {
  auto* data = static_cast<std::uint64_t*>(state.impl()->data());
  if (device.uses_host_memory()) {
    std::memcpy(data, values.data(), sizeof(values));
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    device.check(device.api().fill(device.handle(), data + i, sizeof(values[i]), &values[i],
                                   sizeof(values[i]), stream, correlation++),
                 "setting the random state of a graph");
  }
}

}  // namespace

void DrawingReplay::run(eager::Queue& queue, loci_stream* stream, std::uint64_t correlation) {
  set_state(graph_->device, graph_->random_state,
            {position_.seed, 0, static_cast<std::uint64_t>(position_.offset)}, stream,
            correlation + graph_->correlations());
  graph_->run(queue, stream, correlation);
}

}  // namespace loci::capture
