// A stream that records.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "captured.h"
#include "recorded_loop.h"

namespace loci::cuda_graph {

// Used by one thread at a time. Does not end by itself: finish() or abort() does.
class Recording {
 public:
  // Begins. Work of any other stream and thread goes on as before, the recording thread's too.
  Recording(std::shared_ptr<const Driver> driver, CUstream stream, cuda::StreamRecording& told);

  // What comes next belongs to that op. Throws Error with the op before where that has made the
  // recording invalid.
  void announce(std::string_view op, std::uint64_t item);
  // As loop_begin and loop_end of loci/abi/capture.h. Throws Error; where no loop can be recorded
  // at all, with LOCI_CODE_UNSUPPORTED.
  void begin_loop(ConditionSetter& setter, CUstream body, cuda::StreamRecording& told,
                  CUdeviceptr condition);
  void end_loop();
  // Throws Error with the op that spoilt it. The stream is free in either case.
  [[nodiscard]] std::shared_ptr<const Captured> finish();
  void abort();

 private:
  // An op, and what its work waits for.
  struct Announced {
    Op op;
    std::vector<CUgraphNode> tips;
  };

  // False if the recording is invalid.
  bool read_tips(std::vector<CUgraphNode>& tips) const;
  [[noreturn]] void refuse_loop(const char* which) const;
  // What was launched since is the last op's.
  void take_launches();
  // Leaves the stream free, whatever it gives.
  CUresult end(CUgraph& graph) const;

  std::shared_ptr<const Driver> driver_;
  CUstream stream_;
  cuda::StreamRecording& told_;
  std::vector<Announced> announced_;
  std::vector<std::pair<CUgraphNode, std::size_t>> loops_;  // with the nodes of their bodies
  std::unique_ptr<RecordedLoop> open_loop_;
  bool is_in_loop_ = false;  // one that is open, or has failed
};

}  // namespace loci::cuda_graph
