// Streams into which bodies of loops and branches are recorded.
#pragma once

#include "framework/device_graph/capturer.h"

namespace loci::device_graph {

// For as long as it lives. What is begun later ends earlier. For who records the capturer's stream.
class BodyStream {
 public:
  explicit BodyStream(Capturer& capturer) : capturer_(capturer), stream_(capturer.open_body()) {}
  ~BodyStream() { capturer_.close_body(); }
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;

  [[nodiscard]] loci_stream* get() const { return stream_; }

 private:
  Capturer& capturer_;
  loci_stream* stream_;
};

}  // namespace loci::device_graph
