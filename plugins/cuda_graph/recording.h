// A stream that records.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "captured.h"
#include "recorded_control.h"

namespace loci::cuda_graph {

// Used by one thread at a time. Does not end by itself: finish() or abort() does.
class Recording {
 public:
  // Begins. Work of any other stream and thread goes on as before, the recording thread's too.
  Recording(std::shared_ptr<const Driver> driver, CUstream stream, cuda::StreamRecording& told);

  // Work that comes next belongs to that op. Throws Error with the op before where that has made
  // the recording invalid.
  void announce(std::string_view op, std::uint64_t item);
  // The op that was announced waits for those items alone. Throws Error, with nothing changed, for
  // one that was not announced before it.
  void depend(const std::uint64_t* items, std::uint64_t count);
  // Works as loop_begin and the like of loci/abi/capture.h; `around` is the stream, or the body of
  // what is open. Throws Error; where nothing of it can be recorded, with LOCI_CODE_UNSUPPORTED.
  void begin(RecordedControl::Kind kind, ConditionSetter& setter, CUstream around, CUstream body,
             cuda::StreamRecording& told, CUdeviceptr condition);
  void begin_other(CUstream around);
  // Returns its body's stream, which is free.
  CUstream end(RecordedControl::Kind kind, CUstream around);
  // Throws Error with the op that spoilt it. The stream is free in either case.
  [[nodiscard]] std::shared_ptr<const Captured> finish();
  void abort();

 private:
  // An op, and what the work of the one before it has left to be waited for.
  struct Announced {
    Op op;
    std::vector<CUgraphNode> tips;
  };

  // Finds an item among those announced before the latest.
  [[nodiscard]] std::size_t find_announced(std::uint64_t item) const;
  // Returns the nodes that the work behind those of an announced op waits for.
  [[nodiscard]] const std::vector<CUgraphNode>& tips_behind(std::size_t announced) const {
    return announced_[announced + 1].tips;
  }
  // False if the recording is invalid.
  bool read_tips(std::vector<CUgraphNode>& tips) const;
  // Returns the one that is open, and was begun last. Throws Error where that is another one.
  RecordedControl& innermost(RecordedControl::Kind kind, CUstream around) const;
  [[nodiscard]] bool records(CUstream stream) const;
  [[noreturn]] void refuse(const char* what) const;
  // The innermost first.
  void close_all();
  // Takes what was launched since as the last op's.
  void take_launches();
  // Leaves the stream free, whatever it gives.
  CUresult end_stream(CUgraph& graph) const;

  std::shared_ptr<const Driver> driver_;
  CUstream stream_;
  cuda::StreamRecording& told_;
  std::vector<Announced> announced_;
  std::vector<ConditionalNode> conditionals_;           // of the stream's own graph
  std::vector<std::unique_ptr<RecordedControl>> open_;  // each in the one before
  bool is_broken_ = false;                              // a loop or a branch has failed
};

}  // namespace loci::cuda_graph
