// One capture under way.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "framework/capture/captured_graph.h"
#include "framework/capture/graph_queues.h"
#include "framework/capture/graph_temporaries.h"
#include "framework/capture/work_beside.h"
#include "framework/device/capture_rules.h"
#include "framework/eager/queue.h"
#include "framework/eager/work_recorder.h"
#include "framework/execution/frame_memory.h"
#include "framework/execution/run_recorder.h"

namespace loci::capture {

// Takes what its queues are given. Thread-safe; by other threads than its own it is used only in
// the mode relaxed.
class CaptureSession final : public std::enable_shared_from_this<CaptureSession>,
                             public eager::WorkRecorder,
                             public device::ActiveCapture {
 public:
  CaptureSession(std::uint64_t number, std::shared_ptr<eager::Queue> origin,
                 device::CaptureMode mode, std::shared_ptr<GraphMemory> memory);
  ~CaptureSession() override;
  // The origin's work is recorded from now on.
  void open();

  // Gives the captured graph. Throws what the capture has failed with, or Error(kInvalidArgument)
  // for queues that were not joined, and kUnsupported for what would split a graph that may not be.
  // Queues are free from then on, in either case.
  std::shared_ptr<CapturedGraph> finish(GraphSplitting splitting = GraphSplitting::kAllowed);
  // Until finish() or abandon().
  [[nodiscard]] bool is_open() const noexcept { return is_open_.load(std::memory_order_acquire); }
  // Gives it up.
  void abandon() noexcept;
  [[nodiscard]] const std::shared_ptr<eager::Queue>& origin() const { return queues_.queue(0); }

  // Captures a run of a program. False if a variable of the scope has another type than in the
  // plan.
  [[nodiscard]] bool record_run(std::shared_ptr<const execution::Plan> plan,
                                const std::shared_ptr<tensor::ScopeImpl>& scope);

  // Before a queue that is none of the graph's gets it from the thread of the capture. Throws
  // Error(kInvalidArgument), and the capture has failed, for what replays would lack.
  void check_beside(const eager::Task& task, const eager::Queue& queue);
  // Likewise for a run of a program at another place.
  [[noreturn]] void refuse_run(const device::Device& device);

  memory::Buffer allocate(device::Device* space, std::uint64_t bytes, const eager::Queue& queue,
                          const char* name) override;
  [[nodiscard]] std::shared_ptr<void> pool(device::Device* space) override;
  void record(eager::Task& task, eager::Queue& queue) override;
  Tensor random_state() override;
  void note_gradient(const std::shared_ptr<tensor::TensorImpl>& tensor, bool is_read) override;
  [[nodiscard]] bool has_earlier_gradient(const tensor::TensorImpl& tensor) const override;
  std::int64_t next_draw() override;
  std::uint64_t mark(const eager::Queue& queue) override;
  void wait_for(const eager::Queue& waiting, const eager::Queue& of, std::uint64_t mark) override;
  void join(const std::shared_ptr<eager::Queue>& queue) override;
  [[noreturn]] void refuse_wait(const char* action) override;
  [[nodiscard]] std::uint64_t number() const override { return graph_->number; }

  [[nodiscard]] std::string name() const override;
  void invalidate(const Error& reason) override;
  [[nodiscard]] std::shared_ptr<ActiveCapture> shared() override { return weak_from_this().lock(); }
  void note_read(const std::shared_ptr<const void>& storage, std::string_view read,
                 bool decides) override;

 private:
  // The memory of frames, which are made while the lock is held.
  class MemoryOfRuns;
  // A storage that has been made since the capture began, or changed.
  struct Written {
    std::weak_ptr<tensor::Storage> storage;
    std::uint32_t item = 0;
    bool is_made = false;
  };

  memory::Buffer allocate_noted(device::Device* space, std::uint64_t bytes, loci_stream* stream,
                                const char* name);
  template <class Record>
  void guarded(const Record& record);
  [[noreturn]] void fail_with(const Error& error);
  void require_open() const;
  void require_thread() const;
  [[nodiscard]] bool has_failed() const;
  std::size_t record_launch(eager::Task& task, const eager::Queue& queue);
  std::size_t record_copy(eager::Task& task);
  void note_input(const tensor::TensorImpl& tensor, OutsideTensors::Access access,
                  const std::string& op, std::size_t item);
  void note_run(ProgramRun& run, std::size_t item);
  void note_temporaries(const eager::Task& task, const void* workspace, std::size_t item);
  void pin(const std::shared_ptr<tensor::Storage>& storage);
  void note_output(const std::shared_ptr<tensor::TensorImpl>& tensor, const std::string& op,
                   std::size_t item);
  void require_memory(const tensor::TensorImpl& tensor) const;
  void require_elements(const tensor::TensorImpl& tensor, const std::string& op) const;
  [[nodiscard]] const Written* written(const tensor::Storage& storage) const;
  void release_queues() noexcept;
  [[nodiscard]] std::vector<std::string> unjoined() const;
  void keep_outputs();
  void drop() noexcept;
  void drop_outputs() noexcept;

  device::Device& device_;
  mutable std::mutex mutex_;
  mutable std::mutex failure_mutex_;  // a leaf: waits within what is recorded fail the capture, too
  std::shared_ptr<CapturedGraph> graph_;
  GraphQueues queues_;
  std::optional<Error> failure_;
  std::optional<GraphMemory::OpenCapture> open_;  // until the graph has been sealed or given up
  std::atomic<bool> is_open_{true};
  std::atomic<std::thread::id> recording_{};  // the thread that records, whose reads are the core's
  WorkBeside beside_;
  std::vector<Extent> extents_;                // of all memory that it was given
  std::unordered_set<const void*> addresses_;  // where those begin
  std::unordered_map<const tensor::Storage*, Written> written_;
  std::optional<GraphTemporaries> temporaries_;  // where threads may share replays
  std::shared_ptr<device::Failure> not_computed_;
};

}  // namespace loci::capture
