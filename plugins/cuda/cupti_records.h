// From CUPTI's records to the host's.
#pragma once

#include <cstdint>
#include <loci/plugin/profile_source.hpp>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "clock_fit.h"
#include "cupti_library.h"
#include "cupti_overhead.h"
#include "occupancy.h"

namespace loci::cuda {

// The calls of the driver that give a device work.
const std::vector<CUpti_CallbackId>& enqueuing_calls();

// One whose work is recorded.
struct RecordedDevice {
  std::uint32_t ordinal;  // by which the driver, and CUPTI, count
  MultiprocessorLimits limits;
};

// Records of one session. Used by one thread at a time.
class CuptiRecords {
 public:
  // So much work waits at most, for its id or for the rest of its graph's; then the oldest is
  // handed over without an operator.
  static constexpr std::size_t kMostWaiting = 1 << 16;

  // The devices in their order; work of others is left out, and so are calls unless they are
  // wanted.
  CuptiRecords(const CuptiLibrary& cupti, std::vector<RecordedDevice> devices, bool wants_calls);

  // Takes a copy.
  void add(const CUpti_Activity& record);
  // Those whose correlation id has come; at the end of a recording `all`, the others without one.
  void hand_over(const sdk::ProfileSink& sink, const ClockFit& clock, bool all);
  [[nodiscard]] const CuptiOverhead& overhead() const { return overhead_; }

 private:
  // With times of CUPTI, and its correlation id.
  struct Work {
    loci_device_record record;
    std::uint32_t call;
    std::uint64_t node;  // of a graph; 0: none
  };
  struct Call {
    loci_call_record record;
    std::uint32_t call;
    bool enqueues;
  };

  void add_kernel(const CUpti_ActivityKernel9& kernel);
  void add_call(const CUpti_ActivityAPI& call);
  template <class Copy>
  void add_copy(const Copy& copy);
  void add_fill(const CUpti_ActivityMemset4& fill);
  template <class Record>
  void add_work(const Record& from, loci_device_record& record, std::string_view name);
  // devices_.size() for one that is not among them.
  [[nodiscard]] std::uint32_t index_of(std::uint32_t ordinal) const;
  [[nodiscard]] std::string_view kept(std::string_view name);
  void hand_over_graphs(std::vector<loci_device_record>* known, bool all);
  using Replays = std::map<std::uint64_t, std::vector<Work>>;
  // Gives the next one.
  Replays::iterator hand_over_replay(Replays::iterator replay,
                                     std::vector<loci_device_record>* known);
  // Puts work that has waited long enough before what has just come, and says how much it is.
  std::size_t take_waiting(bool all);
  // 0: not known yet.
  [[nodiscard]] std::uint64_t correlation_of(std::uint32_t call) const;
  void hand_over_work(const sdk::ProfileSink& sink, const ClockFit& clock, bool all);
  void hand_over_calls(const sdk::ProfileSink& sink, const ClockFit& clock);

  const CuptiLibrary& cupti_;
  const std::vector<RecordedDevice> devices_;
  const bool wants_calls_;
  // The host's ids by CUPTI's, of this recording and of the one before, whose work may be late.
  std::unordered_map<std::uint32_t, std::uint64_t> ids_;
  std::unordered_map<std::uint32_t, std::uint64_t> earlier_ids_;
  std::vector<Work> work_;     // that has just come
  std::vector<Work> waiting_;  // whose correlation id has not come
  Replays replays_;            // by id of the launch, which counts up
  std::size_t in_replays_ = 0;
  std::vector<Call> calls_;
  std::unordered_set<std::string> names_;
  std::uint64_t without_times_ = 0;
  CuptiOverhead overhead_;
};

}  // namespace loci::cuda
