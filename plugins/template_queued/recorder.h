// The tasks that a stream records instead of running them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "graphs.h"

namespace sample_plugin {

struct Task {
  TaskKind kind;
  std::string name;
  std::uint64_t item;
  std::function<void()> work;
};
using Tasks = std::vector<Task>;

// Records for one stream. From any thread; the rules are those of loci/abi/capture.h. Throws
// loci::sdk::Error.
class Recorder {
 public:
  void begin();
  void annotate(std::string_view op, std::uint64_t item);
  [[nodiscard]] Tasks end();
  void abort();
  [[nodiscard]] std::uint32_t status() const;  // LOCI_CAPTURE_*

  // Takes the work if the stream records; else false, and it is to be enqueued.
  bool take(TaskKind kind, std::function<void()>& work);
  // Refuses `what`, such as "it is waited for", while the stream records; the recording is invalid
  // from then on.
  void require_plain(const char* what);
  // Refuses `what` where the calling thread is the one that records.
  void require_other_thread(const char* what);

 private:
  struct Recording {
    std::thread::id thread = std::this_thread::get_id();
    Tasks tasks = {};
    std::string op = {};
    std::uint64_t item = 0;
    std::string refusal = {};  // why it is invalid
  };
  [[noreturn]] void refuse(const char* what);
  void require_recording() const;

  mutable std::mutex mutex_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace sample_plugin
