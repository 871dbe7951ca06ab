#include <loci/abi/profile.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <loci/profiler.hpp>
#include <string_view>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci {
inline namespace v0 {
namespace {

struct Choice {
  std::string_view name;
  std::uint32_t value;
};

constexpr std::array kStates = {Choice{"CPU", LOCI_PROFILE_STATE_CPU},
                                Choice{"GPU", LOCI_PROFILE_STATE_GPU},
                                Choice{"All", LOCI_PROFILE_STATE_ALL}};
constexpr std::array kTracerOptions = {Choice{"Default", LOCI_PROFILE_TRACER_DEFAULT},
                                       Choice{"OpDetail", LOCI_PROFILE_TRACER_OP_DETAIL},
                                       Choice{"AllOpDetail", LOCI_PROFILE_TRACER_ALL_OP_DETAIL}};
constexpr std::array kSortedKeys = {
    Choice{"default", LOCI_PROFILE_KEY_DEFAULT}, Choice{"calls", LOCI_PROFILE_KEY_CALLS},
    Choice{"total", LOCI_PROFILE_KEY_TOTAL},     Choice{"max", LOCI_PROFILE_KEY_MAX},
    Choice{"min", LOCI_PROFILE_KEY_MIN},         Choice{"ave", LOCI_PROFILE_KEY_AVE}};

// "op-detail" is how the runner spells OpDetail.
bool matches(std::string_view text, std::string_view name) {
  std::string plain(text);
  std::erase(plain, '-');
  return std::equal(plain.begin(), plain.end(), name.begin(), name.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

template <std::size_t N>
std::uint32_t parse(const char* what, const std::string& text,
                    const std::array<Choice, N>& choices) {
  std::string names;
  for (const Choice& choice : choices) {
    if (matches(text, choice.name)) return choice.value;
    if (!names.empty()) names += ", ";
    names += choice.name;
  }
  core::raise(ErrorCode::kInvalidArgument, "[profiler] {} is no {}; there are {}",
              core::quote(text), what, names);
}

}  // namespace

// What ProfilerOptions::Values begins with.
static_assert(LOCI_PROFILE_STATE_ALL == 2 && LOCI_PROFILE_TRACER_DEFAULT == 0 &&
              LOCI_PROFILE_KEY_DEFAULT == 0);

ProfilerOptions& ProfilerOptions::state(const std::string& text) {
  values_.state = parse("state", text, kStates);
  return *this;
}

ProfilerOptions& ProfilerOptions::tracer_option(const std::string& text) {
  values_.tracer_option = parse("tracer option", text, kTracerOptions);
  return *this;
}

ProfilerOptions& ProfilerOptions::sorted_key(const std::string& text) {
  values_.sorted_key = parse("sorted key", text, kSortedKeys);
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

ProfilerOptions& ProfilerOptions::quality(bool shown) {
  values_.quality = shown;
  return *this;
}

}  // namespace v0
}  // namespace loci
