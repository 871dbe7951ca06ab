// The recording of a session, before anything is computed from it: the collector gives it, a file
// holds it, and tests make it by hand. See loci/abi/profile.h for the words.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loci::profiler {

using LabelId = std::uint32_t;

struct Label {
  std::uint32_t kind = LOCI_SPAN_FRAMEWORK;
  std::string name;
  std::string instance = {};
  std::string place = {};
  std::string kernel = {};
  std::string detail = {};
  std::uint64_t flops = 0;
  std::uint64_t bytes = 0;
  std::string variable = {};
  std::string producer = {};
  std::string consumer = {};
  std::string reason = {};
  std::string source = {};
  std::string target = {};

  friend bool operator==(const Label&, const Label&) = default;
};

// Times are in nanoseconds since the session began.
struct Span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t correlation = 0;
  LabelId label = 0;
  std::uint16_t depth = 0;  // tells apart spans of equal times: the outer one has the smaller depth
  std::uint16_t flags = 0;  // LOCI_SPAN_*
};

struct Thread {
  std::uint64_t os_id = 0;
  std::string name;
  std::vector<Span> spans;  // nested or apart, in any order
};

struct DeviceSpan {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t correlation = 0;
  std::uint64_t bytes = 0;
  std::uint32_t name = 0;  // index of Recording::texts
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint32_t direction = LOCI_COPY_UNKNOWN;
  std::uint32_t device = 0;           // index of Recording::devices
  std::uint32_t stream = 0;           // number within the device, in order of its first work
  std::uint32_t graph = 0;            // a captured graph; 0: none
  std::uint64_t replay = 0;           // of that graph, from 1
  std::uint64_t algorithm_bytes = 0;  // that a collective's algorithm sends
  loci_launch_geometry geometry{};
};

// See loci_profile_memory_level.
struct MemoryLevel {
  std::uint64_t call_bytes = 0;
  double bytes = 0;

  friend bool operator==(const MemoryLevel&, const MemoryLevel&) = default;
};

struct DeviceFacts {
  std::string place;
  std::string name = {};
  std::string driver = {};
  bool is_accelerator = false;
  double measured_flops = 0;  // per second; 0: not known, as the others
  double measured_bytes = 0;
  double described_flops = 0;
  double described_bytes = 0;
  std::uint64_t total_memory = 0;
  std::vector<MemoryLevel> levels = {};  // smallest first
  bool is_queued = false;
};

struct MemoryEvent {
  std::uint64_t at_ns = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint32_t name = 0;   // index of Recording::texts
  std::uint32_t place = 0;  // index of Recording::texts
  std::uint32_t thread = LOCI_PROFILE_NONE;
  bool is_free = false;
};

struct StepMark {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t number = 0;
};

struct Drop {
  std::string kind;
  std::uint64_t count = 0;
};

struct Quality {
  std::vector<Drop> drops;
  std::uint64_t clock_error_ns = 0;
  std::string clock = "monotonic";
  std::uint64_t own_cost_ns = 0;
  std::uint64_t drain_cost_ns = 0;
  std::vector<std::string> notes;
};

struct Recording {
  std::uint32_t level = LOCI_PROFILE_LEVEL_DETAIL;
  std::uint32_t main_thread = 0;
  std::uint64_t wall_ns = 0;
  std::uint64_t started_at_unix_ns = 0;
  std::uint64_t process_id = 0;
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::string program;
  std::string version;
  std::string build;
  std::string machine;

  std::vector<Label> labels;
  std::vector<std::string> texts;
  std::vector<Thread> threads;  // in order of their first span
  std::vector<DeviceFacts> devices;
  std::vector<DeviceSpan> device_spans;    // in any order
  std::vector<MemoryEvent> memory_events;  // in any order
  std::vector<StepMark> steps;             // that the application marked, by time
  Quality quality;
};

}  // namespace loci::profiler
