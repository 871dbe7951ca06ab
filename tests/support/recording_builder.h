// Recordings of a profiler made by hand.
//
//   Recording recording = RecordingBuilder()
//                             .op("mul", "mul_0", us(0), us(100))
//                             .phase("compute", us(10), us(90))
//                             .kernel("gemm", us(50), us(130))
//                             .build();
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "framework/profiler/recording.h"

namespace loci::test_support {

// Nanoseconds.
constexpr std::uint64_t us(double count) { return static_cast<std::uint64_t>(count * 1e3 + 0.5); }
constexpr std::uint64_t ms(double count) { return static_cast<std::uint64_t>(count * 1e6 + 0.5); }

// The subject of a copy: a variable, its way and its reason.
struct CopyOf {
  std::string variable;
  std::string source = "cpu";
  std::string target = "sim:0";
  std::uint64_t bytes = 4;
  std::string reason = "prepare_data";
  std::string producer = {};
  std::string consumer = {};
};

// Times are in nanoseconds since the session began. A span comes before those within it; of equal
// ones the later is the inner one.
class RecordingBuilder {
 public:
  using Ns = std::uint64_t;

  RecordingBuilder();

  // The spans that follow are of the thread of that name, which begins with its first mention. What
  // comes before any is of "main". The first thread is the main one.
  RecordingBuilder& thread(const std::string& name);

  RecordingBuilder& span(const profiler::Label& label, Ns begin, Ns end);
  RecordingBuilder& op(const std::string& type, const std::string& instance, Ns begin, Ns end);
  RecordingBuilder& gradient(const std::string& type, const std::string& instance, Ns begin,
                             Ns end);
  RecordingBuilder& phase(const std::string& name, Ns begin, Ns end);
  RecordingBuilder& framework(const std::string& name, Ns begin, Ns end);
  RecordingBuilder& run(const std::string& name, Ns begin, Ns end);
  RecordingBuilder& user(const std::string& name, Ns begin, Ns end, const std::string& info = {});
  RecordingBuilder& wait(const std::string& place, Ns begin, Ns end);
  RecordingBuilder& call(const std::string& name, Ns begin, Ns end);
  RecordingBuilder& copy(const CopyOf& of, Ns begin, Ns end);
  RecordingBuilder& waited_copy(const CopyOf& of, Ns begin, Ns end);

  // These change the last span.
  RecordingBuilder& flags(std::uint16_t flags);
  RecordingBuilder& correlation(std::uint64_t id);

  // The device work that follows is of the device at that place, which is added with its first
  // mention, and of its stream 0. What comes before any is of "sim:0", an accelerator.
  RecordingBuilder& device(const profiler::DeviceFacts& facts);
  RecordingBuilder& stream(std::uint32_t number);

  // Launched by the last span, which gets a correlation id if it has none.
  RecordingBuilder& kernel(const std::string& name, Ns begin, Ns end);
  RecordingBuilder& device_copy(std::uint32_t direction, std::uint64_t bytes, Ns begin, Ns end);
  RecordingBuilder& device_fill(std::uint64_t bytes, Ns begin, Ns end);
  // These change the last device work.
  RecordingBuilder& geometry(const loci_launch_geometry& geometry);
  RecordingBuilder& launched_by(std::uint64_t correlation);
  RecordingBuilder& replayed(std::uint32_t graph, std::uint64_t replay);
  RecordingBuilder& collective(std::uint64_t bytes, std::uint64_t algorithm_bytes);

  // An allocation by the current thread, and its release.
  RecordingBuilder& allocate(Ns at, std::uint64_t address, std::uint64_t bytes,
                             const std::string& name, const std::string& place = "cpu");
  RecordingBuilder& release(Ns at, std::uint64_t address);

  // Numbered from 0.
  RecordingBuilder& step(Ns begin, Ns end);
  RecordingBuilder& drop(const std::string& kind, std::uint64_t count);
  RecordingBuilder& note(const std::string& text);

  // Everything else: level, what the session knows of itself.
  [[nodiscard]] profiler::Recording& recording() { return recording_; }
  // A session that says no wall_ns ends with the last time that was mentioned.
  [[nodiscard]] profiler::Recording build() const;

 private:
  profiler::Thread& current_thread();
  profiler::Span& last_span();
  profiler::LabelId intern(const profiler::Label& label);
  std::uint32_t intern(const std::string& text);
  std::uint16_t depth_of(Ns begin, Ns end);
  RecordingBuilder& work(std::uint32_t kind, std::uint32_t direction, const std::string& name,
                         std::uint64_t bytes, Ns begin, Ns end);
  void mention(Ns time);

  profiler::Recording recording_;
  std::size_t thread_ = 0;
  std::uint32_t device_ = 0;
  std::uint32_t stream_ = 0;
  std::uint64_t next_correlation_ = 1;
  Ns last_time_ = 0;
  std::map<std::string, std::uint32_t> texts_;
  std::map<std::uint64_t, std::size_t> allocations_;  // address -> index of the memory events
};

}  // namespace loci::test_support
