// A loop of a stream that records.
#pragma once

#include "framework/device_graph/capturer.h"

namespace loci::device_graph {

// What goes into its stream until end() is done again and again by the device, as long as the byte
// at `condition`, memory of the device, is not 0. For who records the capturer's stream, within an
// item that has been announced; without end(), the recording fails.
class LoopRecording {
 public:
  // Throws Error, with kUnsupported where the capturer cannot record any.
  LoopRecording(Capturer& capturer, const void* condition);

  [[nodiscard]] loci_stream* stream() const { return stream_; }
  void end() const;

 private:
  Capturer& capturer_;
  loci_stream* stream_;
};

}  // namespace loci::device_graph
