#include "framework/device_graph/loop_recording.h"

#include "framework/core/abi/error.h"

namespace loci::device_graph {

LoopRecording::LoopRecording(Capturer& capturer, loci_stream* around, const void* condition)
    : capturer_(capturer), around_(around), body_(capturer) {
  capturer_.device().check(
      capturer_.api().loop_begin(capturer_.handle(), around_, body_.get(), condition),
      "beginning a loop of a graph");
}

void LoopRecording::end() const {
  capturer_.device().check(capturer_.api().loop_end(capturer_.handle(), around_),
                           "ending a loop of a graph");
}

}  // namespace loci::device_graph
