// A context: its streams, its error, and what was captured in it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tools/cuda_double/driver/device.h"
#include "tools/cuda_double/driver/stream.h"

namespace loci::cuda_double {

class Context : public Object {
 public:
  static constexpr const char* kKind = "context";

  // Without a life: begin() gives it one.
  Context(Device& owner, bool primary);
  [[nodiscard]] const char* kind() const override { return kKind; }

  void begin(unsigned context_flags);
  // Ends its objects. The caller has waited for its work.
  void end();
  [[nodiscard]] bool is_alive() const { return alive_; }

  [[nodiscard]] Stream& legacy() { return *legacy_; }
  [[nodiscard]] Stream& of_this_thread();
  // The streams that the program made and has not destroyed.
  [[nodiscard]] const std::set<Stream*>& streams() const { return streams_; }
  void add(const std::shared_ptr<Stream>& stream);
  // The stream is gone; its work goes on.
  void forget(Stream& stream);
  // The ends of all work that is not known to be done.
  [[nodiscard]] std::vector<TaskPtr> ends();
  // Returns the ends of such work of streams that wait for the legacy stream.
  [[nodiscard]] std::vector<TaskPtr> blocking_ends();

  // The first error that came: the device is of no use from then on.
  void fail(CUresult code, const std::string& text);
  [[nodiscard]] CUresult error() const { return device.error; }
  [[nodiscard]] const std::string& error_text() const { return device.error_text; }
  // Throws DriverError with it.
  void require_no_error() const;

  Device& device;
  const bool is_primary;
  const std::uint64_t id;
  unsigned flags = 0;
  unsigned retained = 0;  // of a primary one
  std::map<CUlimit, std::size_t> limits;
  std::set<Capture*> captures;  // that are underway

  // Whose memory kernels of this one may reach. False where that changes nothing.
  [[nodiscard]] bool add_peer(Context& peer);
  [[nodiscard]] bool remove_peer(Context& peer);
  // Their devices, a bit each. From any thread, without the driver's mutex.
  [[nodiscard]] std::uint64_t peer_devices() const { return peer_devices_; }

 private:
  struct Tail {
    TaskPtr task;
    bool blocking;
  };
  void drop_done_tails();
  void count_peer_devices();

  bool alive_ = false;
  std::shared_ptr<Stream> legacy_;
  std::map<std::thread::id, std::shared_ptr<Stream>> per_thread_;
  std::set<Stream*> streams_;
  std::vector<Tail> tails_;  // of destroyed streams
  std::set<Context*> peers_;
  std::atomic<std::uint64_t> peer_devices_ = 0;
  std::uint64_t taken_ = 0;  // bytes of the device, for itself
};

}  // namespace loci::cuda_double
