// A function's calls with inputs of one form: plain ones at first, then replays of a graph.
#pragma once

#include <cstdint>
#include <loci/captured_function.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/capture/graph_impl.h"
#include "framework/capture/input_form.h"
#include "framework/capture/told_reasons.h"
#include "framework/tracing/row_buckets.h"

namespace loci::capture {

inline constexpr program::BucketUser kBucketUser{"captured function", "CaptureOptions"};

// A function's capture for one form of inputs. Used by one thread at a time.
class CapturedStep {
 public:
  // The options outlive it, and so does what was told of forms, where there were others before.
  CapturedStep(CallForm form, const CaptureOptions& options, ToldReasons* told = nullptr);
  ~CapturedStep() { GraphImpl::end_with_handle(std::move(graph_)); }
  CapturedStep(const CapturedStep&) = delete;
  CapturedStep& operator=(const CapturedStep&) = delete;

  [[nodiscard]] const CallForm& form() const { return form_; }
  [[nodiscard]] CaptureState state() const { return state_; }
  // True if the next call captures.
  [[nodiscard]] bool is_warm() const {
    return state_ == CaptureState::kWarmingUp && warm_calls_ >= options_.warm_up;
  }

  // Calls the function with the inputs, or in buckets with copies that are filled up. The first
  // call decides whether these may be, unless the user says so: it gets the inputs as they are, and
  // then the function is looked at.
  std::vector<Tensor> call_plainly(const TensorFunction& fn, const std::vector<Tensor>& inputs);
  // Captures a call into that memory. False if it cannot be captured: it is plain from then on.
  [[nodiscard]] bool capture(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                             const std::shared_ptr<GraphMemory>& memory);
  // The results for these inputs. False, and nothing has been done, if the graph is not what was
  // captured any more, or changes one of them.
  [[nodiscard]] bool replay(const std::vector<Tensor>& inputs, const void* site,
                            std::vector<Tensor>* results);
  // It is plain from now on. The reason is logged, once for each form and `kind` of reason, which
  // is the reason itself where it says nothing else.
  void give_up(const std::string& reason, std::string_view kind = {});
  // The graph ends; it is warm, and captured again at the next call.
  void drop_graph();

  // The bytes of its copies of inputs, and its own; its graph's memory is the pool's.
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t peak_bytes() const { return report_.peak_bytes; }
  // The bytes that it and its graph will take at least, by its last plain call.
  [[nodiscard]] std::uint64_t needed_bytes() const;
  [[nodiscard]] CapturedForm report() const;

 private:
  [[nodiscard]] bool is_bucket() const {
    return !options_.buckets.empty() && !form_.inputs.empty();
  }
  [[nodiscard]] std::int64_t rows() const { return form_.inputs[0].shape[0]; }
  // In a bucket, for want of a word of the user's.
  [[nodiscard]] bool awaits_proof() const { return is_bucket() && !rows_are_independent_; }
  void prove_rows(const TensorFunction& fn);
  std::vector<Tensor> warm_up(const TensorFunction& fn, const std::vector<Tensor>& inputs);
  void make_copies();
  void fill_copies(const std::vector<Tensor>& inputs, const void* site);
  // Cuts results to the rows that were given.
  std::vector<Tensor> cut(const std::vector<Tensor>& results, std::int64_t rows) const;
  // Why what has been captured cannot stand for the function; empty if it can.
  [[nodiscard]] std::string objection(const std::vector<Tensor>& inputs) const;
  void count_capture();

  const CallForm form_;
  const CaptureOptions& options_;
  ToldReasons* const told_;
  CaptureState state_ = CaptureState::kWarmingUp;
  bool rows_are_independent_;  // said or proven
  int warm_calls_ = 0;
  std::vector<Tensor> copies_;    // of inputs, which the graph reads
  std::int64_t filled_rows_ = 0;  // of the copies, that are not zeros
  std::unique_ptr<GraphImpl> graph_;
  std::vector<Tensor> results_;  // the graph's
  CapturedForm report_;
};

}  // namespace loci::capture
