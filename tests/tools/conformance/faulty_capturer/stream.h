// A stream that runs its work or records it, right but for the plugin's fault.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "node.h"
#include "tests/tools/conformance/faulty_plugin/task_queue.h"

namespace loci::faulty {

class CapturingDevice;
class CapturingEvent;

class CapturingStream {
 public:
  explicit CapturingStream(CapturingDevice& device);
  ~CapturingStream();
  CapturingStream(const CapturingStream&) = delete;
  CapturingStream& operator=(const CapturingStream&) = delete;

  // These are functions of the ABI.
  bool query();
  void synchronize();
  void wait(CapturingEvent& event);

  void add(Node node);
  // Not recorded.
  void run(std::function<void()> task) { queue_->add(std::move(task)); }
  [[nodiscard]] Mark mark() { return queue_->mark(); }
  // Throws, and the recording is invalid, if the stream records; not where `fault` is the plugin's.
  void require_plain(std::string_view what, std::string_view fault);

  void begin();
  void annotate(std::string_view op, std::uint64_t item);
  // Recorded work runs in its order, which is right whatever it waits for.
  void depend(const std::vector<std::uint64_t>& items);
  Nodes end();
  void abort();
  [[nodiscard]] std::uint32_t status();
  // Begins loops and branches, while this one records: what comes is `body`'s.
  void begin_control(bool is_loop, CapturingStream& body, const void* condition);
  void begin_other();
  void end_control(bool is_loop);
  [[nodiscard]] bool is_recorded_here();  // by this thread

 private:
  struct Recording {
    std::thread::id thread = std::this_thread::get_id();
    Nodes nodes = {};
    std::string op = {};
    std::uint64_t item = 0;
    std::set<std::uint64_t> items = {};     // before that
    std::string reason = {};                // why it is invalid
    std::shared_ptr<Control> control = {};  // that is open
    CapturingStream* body = nullptr;        // of that
    bool is_body = false;                   // itself one
    bool comes_first = false;               // what is next, with the fault fork_comes_first
  };

  void record(Node node);
  [[nodiscard]] Recording& open_control(bool is_loop);
  [[noreturn]] void refuse(std::string_view what);

  CapturingDevice& device_;
  std::mutex mutex_;
  std::unique_ptr<Recording> recording_;
  Nodes left_;  // of an abort, with the fault abort_keeps_nodes
  std::unique_ptr<StreamQueue> queue_;
};

}  // namespace loci::faulty
