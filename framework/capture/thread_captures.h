// The captures of a thread: its ops and its runs of programs go to them.
#pragma once

#include <memory>
#include <vector>

#include "framework/capture/capture_session.h"
#include "framework/run/run_recorder.h"

namespace loci::capture {

class ThreadCaptures final : public runtime::RunRecorder {
 public:
  static ThreadCaptures& of_this_thread();
  ~ThreadCaptures() override;

  // Ops at the session's place go into `own_lane` below all StreamGuards, which are the user's
  // wish; null where one of these names the lane of the capture.
  void add(const std::shared_ptr<CaptureSession>& session, std::shared_ptr<eager::Lane> own_lane);
  void remove(const CaptureSession* session) noexcept;
  // Those that another thread has ended: until then the thread goes on with their lane, as a stream
  // like others.
  void remove_ended() noexcept;

  [[nodiscard]] bool takes(const device::Device& device) const override;
  [[nodiscard]] bool record(const device::Device& device, std::shared_ptr<const runtime::Plan> plan,
                            const std::shared_ptr<tensor::ScopeImpl>& scope) override;

 private:
  [[nodiscard]] std::shared_ptr<CaptureSession> of(const device::Device& device) const;

  struct Capture {
    std::weak_ptr<CaptureSession> session;
    std::shared_ptr<eager::Lane> own_lane;
  };
  template <class Ends>
  void remove_if(const Ends& ends) noexcept;

  std::vector<Capture> captures_;
};

}  // namespace loci::capture
