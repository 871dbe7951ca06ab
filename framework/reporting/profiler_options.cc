#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <loci/profiler.hpp>
#include <string>
#include <string_view>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace {

using Words = std::initializer_list<std::string_view>;

// "op-detail" is how the runner spells OpDetail.
bool matches(std::string_view text, std::string_view name) {
  std::string plain(text);
  std::erase(plain, '-');
  return std::equal(plain.begin(), plain.end(), name.begin(), name.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

// The word that it is, as it is spelled here.
std::string parse(const char* what, const std::string& text, Words words) {
  std::string names;
  for (const std::string_view word : words) {
    if (matches(text, word)) return std::string(word);
    if (!names.empty()) names += ", ";
    names += word;
  }
  core::raise(ErrorCode::kInvalidArgument, "[profiler] {} is no {}; there are {}",
              core::quote(text), what, names);
}

}  // namespace

ProfilerOptions& ProfilerOptions::state(const std::string& text) {
  values_.state = parse("state", text, {"CPU", "GPU", "All"});
  return *this;
}

ProfilerOptions& ProfilerOptions::tracer_option(const std::string& text) {
  values_.tracer_option = parse("tracer option", text, {"Default", "OpDetail", "AllOpDetail"});
  values_.details = values_.tracer_option != "Default";
  return *this;
}

ProfilerOptions& ProfilerOptions::sorted_key(const std::string& text) {
  values_.sorted_key =
      parse("sorted key", text, {"default", "calls", "total", "max", "min", "ave"});
  return *this;
}

ProfilerOptions& ProfilerOptions::profile_path(const std::string& path) {
  values_.profile_path = path;
  return *this;
}

ProfilerOptions& ProfilerOptions::reporter(const std::string& text) {
  values_.reporters.push_back(text);
  return *this;
}

ProfilerOptions& ProfilerOptions::no_reporter() {
  values_.reporters.clear();
  values_.default_reporter = false;
  return *this;
}

ProfilerOptions& ProfilerOptions::schedule(const ProfilerSchedule& schedule) {
  if (schedule.record == 0 &&
      (schedule.skip != 0 || schedule.warmup != 0 || schedule.repeat != 0)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[profiler] a schedule that records 0 steps; give record a number");
  }
  values_.schedule = schedule;
  return *this;
}

ProfilerOptions& ProfilerOptions::keep_last(std::chrono::nanoseconds time) {
  if (time.count() < 0) {
    core::raise(ErrorCode::kInvalidArgument, "[profiler] keep_last takes a time of 0 or more");
  }
  values_.keep_last = time;
  return *this;
}

ProfilerOptions& ProfilerOptions::memory_limit(std::uint64_t bytes) {
  values_.memory_bytes = bytes;
  return *this;
}

ProfilerOptions& ProfilerOptions::rank(std::uint32_t rank, std::uint32_t world_size) {
  if (rank >= world_size) {
    core::raise(ErrorCode::kInvalidArgument,
                "[profiler] rank {} of {} processes; ranks go from 0 to one less than there are",
                rank, world_size);
  }
  values_.rank = rank;
  values_.world_size = world_size;
  return *this;
}

ProfilerOptions& ProfilerOptions::quality(bool shown) {
  values_.quality = shown;
  return *this;
}

}  // namespace v0
}  // namespace loci
