// A loop or a branch of a stream that records, while its body is recorded in another stream.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "captured.h"
#include "condition_setter.h"

namespace loci::cuda_graph {

// Work of `around` from now on waits for it. Without finish(), the body's stream is free at its end
// all the same, and the graph cannot be instantiated.
//
// A branch is a conditional node with two bodies, which drivers have from 12.8 on; before, it is
// two of them with opposite conditions.
class RecordedControl {
 public:
  enum class Kind : std::uint8_t { kLoop, kBranch };

  // Throws Error, with LOCI_CODE_UNSUPPORTED where none can be recorded.
  RecordedControl(std::shared_ptr<const Driver> driver, ConditionSetter& setter, Kind kind,
                  CUstream around, CUstream body, cuda::StreamRecording& told, CUdeviceptr byte);
  ~RecordedControl();
  RecordedControl(const RecordedControl&) = delete;
  RecordedControl& operator=(const RecordedControl&) = delete;

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] CUstream around() const { return around_; }
  [[nodiscard]] CUstream body() const { return body_; }
  // The first part of a branch is complete, and the other one comes.
  void begin_other();
  // Returns true if the last part is recorded now.
  [[nodiscard]] bool is_last() const { return part_ + 1 == bodies_.size(); }
  // That is complete. Throws Error.
  void finish();
  // The part that is recorded now consists of another loop or branch, which is complete.
  void add_inner(const RecordedControl& inner);
  // The conditional nodes, once it is complete.
  [[nodiscard]] const std::vector<ConditionalNode>& nodes() const { return nodes_; }

 private:
  [[nodiscard]] CUgraphConditionalHandle make_condition(bool is_opposite);
  void add_node(CUgraphConditionalHandle condition, unsigned bodies);
  void begin_part();
  void end_part();
  CUresult end(CUgraph& graph);

  std::shared_ptr<const Driver> driver_;
  ConditionSetter& setter_;
  const Kind kind_;
  CUstream around_;
  CUstream body_;
  cuda::StreamRecording& told_;
  const CUdeviceptr byte_;
  CUgraphConditionalHandle condition_ = 0;  // the first
  std::vector<ConditionalNode> nodes_;
  std::vector<CUgraph> bodies_;      // by part; the nodes own them
  std::vector<std::size_t> counts_;  // of the nodes in each, those within what is in it too
  std::size_t part_ = 0;
  bool is_open_ = false;  // the body's stream records
};

}  // namespace loci::cuda_graph
