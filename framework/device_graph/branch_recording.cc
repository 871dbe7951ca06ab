#include "framework/device_graph/branch_recording.h"

#include "framework/core/abi/error.h"

namespace loci::device_graph {

BranchRecording::BranchRecording(Capturer& capturer, loci_stream* around, const void* condition)
    : capturer_(capturer), around_(around), body_(capturer) {
  capturer_.device().check(
      capturer_.api().branch_begin(capturer_.handle(), around_, body_.get(), condition),
      "beginning a branch of a graph");
}

void BranchRecording::otherwise() const {
  capturer_.device().check(capturer_.api().branch_else(capturer_.handle(), around_),
                           "beginning the other part of a branch of a graph");
}

void BranchRecording::end() const {
  capturer_.device().check(capturer_.api().branch_end(capturer_.handle(), around_),
                           "ending a branch of a graph");
}

}  // namespace loci::device_graph
