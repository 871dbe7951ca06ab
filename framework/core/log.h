// Logging, one logger per module.
//
// Levels come from LOCI_LOG or --log: "operator=trace,transfer=debug", or "debug" for all. A line
// has level, time in microseconds since start, thread, logger and source line, on stderr. All
// functions may be called from any thread.
#pragma once

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace loci::core {

enum class Module : std::uint8_t {
  kPlugin,
  kDevice,
  kMemory,
  kTransfer,
  kOperator,
  kProgram,
  kPass,
  kExecutor,
  kEager,
  kCapture,
  kProfiler,
  kParallel,
  kIo,
  kCount,
};

// The numbers equal LOCI_LOG_* of the C ABI.
enum class Level : std::uint8_t { kTrace, kDebug, kInfo, kWarn, kError, kOff };

namespace detail {
struct ModuleLevel {
  std::atomic<Level> value{Level::kWarn};
};
extern std::array<ModuleLevel, static_cast<std::size_t>(Module::kCount)> levels;
}  // namespace detail

// One relaxed load: cheap enough to test before work that only a log line needs.
inline bool log_enabled(Module module, Level level) noexcept {
  return level >=
         detail::levels[static_cast<std::size_t>(module)].value.load(std::memory_order_relaxed);
}

// Sets levels from a spec; throws Error(kInvalidArgument) that names the entry it cannot read and
// lists what there is. Nothing changes then.
void set_log_levels(std::string_view spec);
// Throws as that does, and sets nothing.
void check_log_levels(std::string_view spec);

// Returns the names that specs use, in the order of the enumerations.
[[nodiscard]] std::vector<std::string> log_level_names();
[[nodiscard]] std::vector<std::string> log_module_names();

// Returns the number of the calling thread, from 0; lines of the log show it: "t3".
[[nodiscard]] std::uint32_t thread_number() noexcept;

// Writes one line if the level is enabled.
void write_log(Module module, Level level, std::string_view message, const char* file, int line);

// A format string, checked at compile time, with the place of the call.
template <class... Args>
struct LocatedFormat {
  template <class String>
  consteval LocatedFormat(const String& text,  // NOLINT(google-explicit-constructor)
                          const char* file_name = __builtin_FILE(),
                          int line_number = __builtin_LINE())
      : format(text), file(file_name), line(line_number) {}

  fmt::format_string<Args...> format;
  const char* file;
  int line;
};

// A line for which there is no memory is left out.
template <class... Args>
void log(Module module, Level level, LocatedFormat<std::type_identity_t<Args>...> located,
         Args&&... args) {
  if (!log_enabled(module, level)) return;
  try {
    write_log(module, level, fmt::format(located.format, std::forward<Args>(args)...), located.file,
              located.line);
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace loci::core
