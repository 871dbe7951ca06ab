// Finds tasks that touch the same memory with nothing to order them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "plugins/sim/vector_clock.h"

namespace loci::sim {

// Bytes [first, last) that a task reads, or writes too.
struct Access {
  std::uintptr_t first;
  std::uintptr_t last;
  bool writes;
};

// Happens-before by vector clocks, of what was enqueued and in which order, so that a race is found
// whether or not the two tasks met. A task comes after those of its stream before it, after what an
// event that its stream waits for was recorded behind, and after all that the host had waited for
// when it enqueued the task. The host counts as one: its threads are taken to synchronise by means
// that a device does not see. One for all devices of the plugin; any thread may call.
class RaceChecker {
 public:
  // Streams are numbered here.
  std::size_t add_stream();

  // A task enters a stream, or the host does something at once. Throws Error(LOCI_CODE_FAILED),
  // naming both tasks and their addresses, if one of its accesses races; then it has not entered.
  void enter(std::size_t stream, const std::string& task, const std::vector<Access>& accesses);
  void enter_host(const std::string& task, const std::vector<Access>& accesses);

  // Returns what has happened when all work now in the stream has ended.
  [[nodiscard]] VectorClock now(std::size_t stream) const;
  void stream_waits(std::size_t stream, const VectorClock& for_what);
  void host_saw(const VectorClock& what);

  // The memory is given back, and whoever gets it next is a stranger.
  void forget(std::uintptr_t first, std::uintptr_t last);

 private:
  // A task, as far as the checker remembers it.
  struct Stamp {
    std::size_t stream;
    std::uint64_t time;
    Access access;
    std::shared_ptr<const std::string> task;
  };
  // Bytes with one history: the last write, and the reads since, one for each stream.
  struct Cell {
    std::uintptr_t last;
    std::shared_ptr<const Stamp> write;
    std::vector<std::shared_ptr<const Stamp>> reads;
  };
  using Cells = std::map<std::uintptr_t, Cell>;  // by first address

  void check(const VectorClock& clock, const std::string& task, const Access& access) const;
  void check_stamp(const VectorClock& clock, const std::string& task, const Access& access,
                   const Stamp& earlier) const;
  void keep(const std::shared_ptr<const Stamp>& stamp);
  static void add(Cell& cell, const std::shared_ptr<const Stamp>& stamp);
  void split(std::uintptr_t at);
  [[nodiscard]] Cells::const_iterator first_cell(std::uintptr_t address) const;

  mutable std::mutex mutex_;
  std::vector<VectorClock> clocks_;  // by stream
  VectorClock host_;
  Cells cells_;
};

}  // namespace loci::sim
