#include "framework/device_graph/loop_recording.h"

#include "framework/core/abi/error.h"

namespace loci::device_graph {

LoopRecording::LoopRecording(Capturer& capturer, const void* condition)
    : capturer_(capturer), stream_(capturer.loop_stream()) {
  capturer_.device().check(
      capturer_.api().loop_begin(capturer_.handle(), capturer_.stream(), stream_, condition),
      "beginning a loop of a graph");
}

void LoopRecording::end() const {
  capturer_.device().check(capturer_.api().loop_end(capturer_.handle(), capturer_.stream()),
                           "ending a loop of a graph");
}

}  // namespace loci::device_graph
