// The devices' work, for profiles, as CUPTI tells it: "loci.profile.source".
#pragma once

#include <cstdint>
#include <loci/plugin/host.hpp>
#include <loci/plugin/profile_source.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clock_fit.h"
#include "cupti_records.h"
#include "event_times.h"

namespace loci::cuda {

class Plugin;

// CUPTI has one client in a process, so that one source of it records at a time. Where CUPTI is
// not, or refuses, events tell the times, and the sink gets a note that says it.
class ProfileSource {
 public:
  ProfileSource(Plugin& plugin, const sdk::Host& host) : plugin_(plugin), host_(host) {}
  ProfileSource(const ProfileSource&) = delete;
  ProfileSource& operator=(const ProfileSource&) = delete;

  // See loci/abi/profile_source.h.
  void start(std::uint32_t flags, const sdk::ProfileSink& sink);
  void flush();
  void stop();
  // The range of tools that profile the process from outside: of each device that is open.
  void external_range_begin();
  void external_range_end();

  [[nodiscard]] const EventSession& event_session() const { return event_session_; }

 private:
  struct Moment {
    std::uint64_t cupti;
    std::uint64_t host;
  };

  static void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size,
                                   std::size_t* most_records);
  static void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                   std::size_t size, std::size_t used);
  void take_records(std::uint8_t* buffer, std::size_t used);

  // Empty, or why not and how it can be had.
  [[nodiscard]] std::string start_cupti(bool with_calls, const sdk::ProfileSink& sink);
  void stop_cupti();
  void note_bodies();
  void start_events(bool with_calls, const sdk::ProfileSink& sink, const std::string& why);
  void stop_events();
  template <class Visit>
  void for_each_device(Visit&& visit);
  // Empty, or what was refused and how it can be had.
  [[nodiscard]] std::string enable(bool with_calls);
  void disable();
  [[nodiscard]] std::optional<Moment> now() const;
  [[nodiscard]] std::uint64_t take_dropped() const;
  void hand_over(bool all);

  Plugin& plugin_;
  const sdk::Host& host_;
  const CuptiLibrary* cupti_ = nullptr;  // while it records
  EventSession event_session_;
  std::vector<CUpti_ActivityKind> enabled_;
  // From here on guarded by the lock of the process's recording.
  sdk::ProfileSink sink_;
  std::optional<CuptiRecords> records_;
  ClockFit clock_;
};

}  // namespace loci::cuda
