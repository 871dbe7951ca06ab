#include "framework/core/thread_team.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "framework/core/environment.h"
#include "framework/core/processors.h"
#include "framework/core/raise.h"
#include "framework/core/team_workers.h"

namespace loci::core {
namespace {

// The first number of OMP_NUM_THREADS, which may be a list; 0 if it has none.
std::uint32_t openmp_threads() noexcept {
  const char* const value = std::getenv("OMP_NUM_THREADS");
  if (value == nullptr) return 0;
  std::string_view text(value);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint32_t threads = 0;
  std::from_chars(text.data(), text.data() + text.size(), threads);
  return std::min(threads, kMostThreads);
}

std::uint32_t usual_width() noexcept {
  const std::uint32_t asked = openmp_threads();
  return asked != 0 ? asked : std::min(usable_processors(), kMostThreads);
}

}  // namespace

std::uint32_t detail::first_width() noexcept {
  try {
    const auto given = configured_number("THREADS");
    std::uint32_t none = 0;
    width.compare_exchange_strong(none, given ? static_cast<std::uint32_t>(*given) : usual_width(),
                                  std::memory_order_relaxed);
    return width.load(std::memory_order_relaxed);
  } catch (...) {
    return usual_width();  // until it is corrected, of which the calls that may throw tell
  }
}

void set_process_width(std::uint32_t threads) {
  if (threads < 1 || threads > kMostThreads) {
    raise(ErrorCode::kInvalidArgument, "[threads] {} is not in [1, {}]", threads, kMostThreads);
  }
  detail::width.store(threads, std::memory_order_relaxed);
}

std::uint32_t parallel_width() noexcept { return is_in_loop() ? 1 : process_width(); }

void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, RangeBody body,
                  void* context) {
  const std::int64_t items = end - begin;
  if (items <= 0) return;
  const std::int64_t most = items / std::max<std::int64_t>(grain, 1);
  const std::uint32_t width = most <= 1 ? 1 : std::min(parallel_width(), TeamLoop::kMostMembers);
  if (width == 1) {
    body(context, begin, end, 0);
    return;
  }
  const auto members = static_cast<std::uint32_t>(std::min<std::int64_t>(most, width));
  run_on_team({begin, end, grain, body, context}, members);
}

}  // namespace loci::core
