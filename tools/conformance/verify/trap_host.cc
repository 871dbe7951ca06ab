#include "tools/conformance/verify/trap_host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>

#include "framework/core/abi/error_object.h"
#include "tools/conformance/verify/subject.h"

extern char** environ;

namespace loci::verify {
namespace {

constexpr std::uint32_t kWidth = 2;

std::string config_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
            : '_';
  }
  return name;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Errors belong to no host, so neither does their number.
std::atomic<std::int64_t> live_errors{0};

}  // namespace

// The table's `host` points to this.
struct TrapHost::State {
  loci_host_api api{};
  std::string library_path;
  std::string prefix;                          // "CPU_"
  std::map<std::string, std::string> options;  // keys in lower case
  mutable std::mutex mutex;
  std::map<void*, std::uint64_t> allocations;
  std::uint64_t bytes = 0;
  std::atomic<std::int64_t> until_failure{0};
  std::set<std::string> kept;
  std::map<std::string, std::uint32_t> layouts;

  static State& of(loci_host* host) { return *reinterpret_cast<State*>(host); }

  loci_str value_of(std::string_view key) {
    const auto found = options.find(lower(std::string(key)));
    if (found != options.end()) return to_abi(found->second);
    const std::string plugin = prefix.substr(0, prefix.size() - 1);
    const std::string name = "LOCI_" + (key.empty() ? plugin : prefix + config_name(key));
    const char* value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0') return {nullptr, 0};
    const std::lock_guard lock(mutex);
    return to_abi(*kept.insert(value).first);
  }

  bool fails_now() {
    std::int64_t left = until_failure;
    while (left > 0) {
      if (until_failure.compare_exchange_weak(left, left - 1)) return left == 1;
    }
    return false;
  }
};

// The functions of the table. None lets an exception pass: what calls them may be C.
struct HostFunctions {
  using State = TrapHost::State;

  static std::int32_t log_enabled(loci_host*, std::int32_t level) noexcept {
    return level >= LOCI_LOG_WARN ? 1 : 0;
  }
  static void log(loci_host*, std::int32_t level, loci_str message, const char* file,
                  std::int32_t line) noexcept {
    if (level < LOCI_LOG_WARN) return;
    fmt::print(stderr, "[plugin] {} ({}:{})\n", view(message), file == nullptr ? "?" : file, line);
  }

  static loci_error* error_make(loci_host*, loci_code code, loci_str message,
                                loci_error* cause) noexcept {
    ++live_errors;
    return new loci_error{code, std::string(view(message)), cause};
  }
  static loci_code error_code(const loci_error* error) noexcept { return error->code; }
  static loci_str error_message(const loci_error* error) noexcept { return to_abi(error->message); }
  static const loci_error* error_cause(const loci_error* error) noexcept { return error->cause; }
  static void error_release(loci_error* error) noexcept {
    while (error != nullptr) {
      loci_error* cause = error->cause;
      --live_errors;
      delete error;
      error = cause;
    }
  }

  static void* memory_alloc(loci_host* host, std::uint64_t bytes,
                            std::uint64_t alignment) noexcept {
    State& state = State::of(host);
    alignment = std::max<std::uint64_t>(alignment, alignof(std::max_align_t));
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() - alignment;
    if (state.fails_now() || !std::has_single_bit(alignment) || bytes > limit) return nullptr;
    const std::uint64_t rounded =
        (std::max<std::uint64_t>(bytes, 1) + alignment - 1) & ~(alignment - 1);
    void* pointer = std::aligned_alloc(alignment, rounded);
    if (pointer == nullptr) return nullptr;
    const std::lock_guard lock(state.mutex);
    state.allocations.emplace(pointer, bytes);
    state.bytes += bytes;
    return pointer;
  }
  static void memory_free(loci_host* host, void* pointer) noexcept {
    if (pointer == nullptr) return;
    State& state = State::of(host);
    {
      const std::lock_guard lock(state.mutex);
      const auto found = state.allocations.find(pointer);
      if (found == state.allocations.end()) {
        fmt::print(stderr, "memory_free got a pointer that memory_alloc did not give\n");
        std::abort();
      }
      state.bytes -= found->second;
      state.allocations.erase(found);
    }
    std::free(pointer);
  }

  static void parallel_for(loci_host*, std::int64_t begin, std::int64_t end, std::int64_t grain,
                           loci_range_fn body, void* context) noexcept {
    if (begin >= end) return;
    const std::int64_t middle = begin + (end - begin) / 2;
    if (middle - begin < std::max<std::int64_t>(grain, 1)) return body(context, begin, end, 0);
    std::thread other([&] { body(context, middle, end, 1); });
    body(context, begin, middle, 0);
    other.join();
  }
  static std::uint32_t parallel_width(loci_host*) noexcept { return kWidth; }

  static std::uint64_t now_ns(loci_host*) noexcept {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  static loci_str config_get(loci_host* host, loci_str key) noexcept {
    return State::of(host).value_of(view(key));
  }

  static std::uint32_t layout_intern(loci_host* host, loci_str text, std::uint64_t bytes) noexcept {
    State& state = State::of(host);
    const std::lock_guard lock(state.mutex);
    const auto next = static_cast<std::uint32_t>(state.layouts.size() + 1);
    return state.layouts.emplace(fmt::format("{}/{}", bytes, view(text)), next).first->second;
  }

  static const void* get_interface(loci_host*, loci_str, std::uint32_t) noexcept { return nullptr; }

  static loci_str library_path(loci_host* host) noexcept {
    const std::string& path = State::of(host).library_path;
    return {path.data(), path.size()};
  }

  static loci_host_api table(State* state) {
    return {.struct_size = sizeof(loci_host_api),
            .minor = LOCI_ABI_MINOR,
            .host = reinterpret_cast<loci_host*>(state),
            .log_enabled = log_enabled,
            .log = log,
            .error_make = error_make,
            .error_code = error_code,
            .error_message = error_message,
            .error_cause = error_cause,
            .error_release = error_release,
            .memory_alloc = memory_alloc,
            .memory_free = memory_free,
            .parallel_for = parallel_for,
            .parallel_width = parallel_width,
            .now_ns = now_ns,
            .config_get = config_get,
            .layout_intern = layout_intern,
            .get_interface = get_interface,
            .library_path = library_path};
  }
};

std::string code_name(loci_code code) {
  static constexpr std::array kNames{
      "success",       "INVALID_ARGUMENT", "NOT_FOUND",  "UNAVAILABLE",  "UNSUPPORTED",
      "OUT_OF_MEMORY", "DATA_LOSS",        "FAILED",     "INCOMPATIBLE", "PERMISSION_DENIED",
      "POLICY",        "INTERNAL",         "DEVICE_LOST"};
  const bool known = code > 0 && static_cast<std::size_t>(code) < kNames.size();
  return known ? kNames.at(static_cast<std::size_t>(code)) : fmt::format("code {}", code);
}

TrapHost::TrapHost(const std::string& plugin_id, std::map<std::string, std::string> options,
                   std::string library_path)
    : state_(std::make_unique<State>()) {
  state_->library_path = std::move(library_path);
  state_->api = HostFunctions::table(state_.get());
  state_->prefix = config_name(plugin_id.substr(plugin_id.rfind('.') + 1)) + "_";
  state_->options = std::move(options);
  const std::string variables = "LOCI_" + state_->prefix;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (text.rfind(variables, 0) != 0 || equals == std::string_view::npos) continue;
    if (equals + 1 == text.size()) continue;  // empty: as if it were not set
    const std::string key(text.substr(variables.size(), equals - variables.size()));
    state_->options.emplace(lower(key), text.substr(equals + 1));
  }
}

TrapHost::~TrapHost() = default;

const loci_host_api& TrapHost::api() const { return state_->api; }

std::vector<loci_kv> TrapHost::options() const {
  std::vector<loci_kv> entries;
  for (const auto& [key, value] : state_->options) entries.push_back({to_abi(key), to_abi(value)});
  return entries;
}

Holdings TrapHost::holdings() const {
  const std::lock_guard lock(state_->mutex);
  return {static_cast<std::int64_t>(state_->allocations.size()),
          static_cast<std::int64_t>(state_->bytes), live_errors};
}

void TrapHost::fail_allocation(std::int64_t n) { state_->until_failure = n; }

bool TrapHost::failure_pending() const { return state_->until_failure > 0; }

void TrapHost::check(loci_error* error) {
  if (error == nullptr) return;
  std::string message = error->message;
  for (const loci_error* cause = error->cause; cause != nullptr; cause = cause->cause) {
    message += "; caused by: " + cause->message;
  }
  const loci_code code = error->code;
  HostFunctions::error_release(error);
  throw PluginError(code, message);
}

}  // namespace loci::verify
