// A branch of a stream that records.
#pragma once

#include "framework/device_graph/body_stream.h"

namespace loci::device_graph {

// The device runs what goes into its stream until otherwise() if the byte at `condition`, memory of
// the device, is not 0, and what goes there from then until end() if it is 0. LoopRecording's other
// rules hold here too; without otherwise(), too, the recording fails.
class BranchRecording {
 public:
  // Throws Error, with kUnsupported where the capturer cannot record any.
  BranchRecording(Capturer& capturer, loci_stream* around, const void* condition);

  [[nodiscard]] loci_stream* stream() const { return body_.get(); }
  void otherwise() const;
  void end() const;

 private:
  Capturer& capturer_;
  loci_stream* around_;
  BodyStream body_;
};

}  // namespace loci::device_graph
