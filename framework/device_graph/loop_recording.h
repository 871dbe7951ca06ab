// A loop of a stream that records.
#pragma once

#include "framework/device_graph/body_stream.h"

namespace loci::device_graph {

// The device repeats what goes into its stream until end(), as long as the byte at `condition`,
// memory of the device, is not 0. For who records the capturer's stream, within an item that has
// been announced; without end(), the recording fails. `around` is that stream, or the one of a loop
// or a branch that this is in.
class LoopRecording {
 public:
  // Throws Error, with kUnsupported where the capturer cannot record any.
  LoopRecording(Capturer& capturer, loci_stream* around, const void* condition);

  [[nodiscard]] loci_stream* stream() const { return body_.get(); }
  void end() const;

 private:
  Capturer& capturer_;
  loci_stream* around_;
  BodyStream body_;
};

}  // namespace loci::device_graph
