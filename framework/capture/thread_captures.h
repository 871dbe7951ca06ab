// The captures of a thread: its ops and its runs of programs go to them.
#pragma once

#include <memory>
#include <vector>

#include "framework/capture/capture_session.h"
#include "framework/eager/task_watcher.h"
#include "framework/execution/run_recorder.h"

namespace loci::capture {

class ThreadCaptures final : public execution::RunRecorder, public eager::TaskWatcher {
 public:
  static ThreadCaptures& of_this_thread();
  ~ThreadCaptures() override;

  // Ops at the session's place go into `own_queue` below all StreamGuards, which are the user's
  // wish; null where one of these names the queue of the capture.
  void add(const std::shared_ptr<CaptureSession>& session, std::shared_ptr<eager::Queue> own_queue);
  void remove(const CaptureSession* session) noexcept;
  // Those that another thread has ended: until then the thread goes on with their queue, as a
  // stream like others.
  void remove_ended() noexcept;

  // True if another watcher than this one looks at the thread's tasks.
  [[nodiscard]] bool is_watched_by_other() const;

  void note_task(const eager::Task& task, const eager::Queue& queue) override;
  [[nodiscard]] bool takes(const device::Device& device) const override;
  [[nodiscard]] bool record(const device::Device& device,
                            std::shared_ptr<const execution::Plan> plan,
                            const std::shared_ptr<tensor::ScopeImpl>& scope) override;
  void look_on(const execution::Plan& plan, device::Device& device, const Feed& feed,
               const std::vector<Fetch>& fetch, const std::function<void()>& run) override;

 private:
  [[nodiscard]] std::shared_ptr<CaptureSession> of(const device::Device& device) const;

  struct Capture {
    std::weak_ptr<CaptureSession> session;
    std::shared_ptr<eager::Queue> own_queue;
  };
  template <class Ends>
  void remove_if(const Ends& ends) noexcept;

  [[nodiscard]] std::vector<std::shared_ptr<CaptureSession>> open() const;
  void watch();
  void stop_watching() noexcept;

  std::vector<Capture> captures_;
  bool is_watching_ = false;  // while there are any
};

}  // namespace loci::capture
