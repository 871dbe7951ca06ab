#include "tests/support/test_host.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace loci::testing {
namespace {

constexpr std::uint32_t kThreads = 3;

// One table serves the process, as a plugin's own do: an id means the same to all hosts.
class Layouts {
 public:
  static Layouts& instance() {
    static Layouts layouts;
    return layouts;
  }
  std::uint32_t intern(const std::string& text, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(layouts_.begin(), layouts_.end(),
                                    [&](const auto& layout) { return layout.first == text; });
    const auto id = static_cast<std::uint32_t>(found - layouts_.begin()) + 1;
    if (found == layouts_.end()) layouts_.emplace_back(text, bytes);
    return id;
  }
  std::uint64_t bytes(std::uint32_t id) {
    const std::lock_guard lock(mutex_);
    return layouts_.at(id - 1).second;
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<std::string, std::uint64_t>> layouts_;  // texts and bytes; the first is 1
};

}  // namespace

loci_str text_of(const std::string& text) { return {text.data(), text.size()}; }

struct TestHost::State {
  struct ErrorObject {
    State* owner;
    loci_code code;
    std::string message;
    ErrorObject* cause;
  };
  static ErrorObject* object(loci_error* error) { return reinterpret_cast<ErrorObject*>(error); }
  static const ErrorObject* object(const loci_error* error) {
    return reinterpret_cast<const ErrorObject*>(error);
  }
  static State& of(loci_host* host) { return *reinterpret_cast<State*>(host); }

  static void release(loci_error* error) {
    for (ErrorObject* next = object(error); next != nullptr;) {
      ErrorObject* current = next;
      next = current->cause;
      --current->owner->errors;
      delete current;
    }
  }

  static void parallel_for(loci_host* host, std::int64_t begin, std::int64_t end,
                           std::int64_t grain, loci_range_fn body, void* context) {
    ++of(host).loops;
    const std::int64_t items = end - begin;
    const std::int64_t ranges = std::clamp<std::int64_t>(items / std::max<std::int64_t>(grain, 1),
                                                         1, std::int64_t{kThreads});
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < ranges; ++i) {
      threads.emplace_back(body, context, begin + items * i / ranges,
                           begin + items * (i + 1) / ranges, static_cast<std::uint32_t>(i));
    }
    for (std::thread& thread : threads) thread.join();
  }

  void fill() {
    api.struct_size = sizeof api;
    api.host = reinterpret_cast<loci_host*>(this);
    api.log_enabled = [](loci_host*, std::int32_t) { return std::int32_t{0}; };
    api.log = [](loci_host*, std::int32_t, loci_str, const char*, std::int32_t) {};
    api.error_make = [](loci_host* host, loci_code code, loci_str message, loci_error* cause) {
      ++of(host).errors;
      auto* error =
          new ErrorObject{&of(host), code, std::string(message.data, message.size), object(cause)};
      return reinterpret_cast<loci_error*>(error);
    };
    api.error_code = [](const loci_error* error) { return object(error)->code; };
    api.error_message = [](const loci_error* error) { return text_of(object(error)->message); };
    api.error_cause = [](const loci_error* error) {
      return reinterpret_cast<const loci_error*>(object(error)->cause);
    };
    api.error_release = &release;
    api.memory_alloc = [](loci_host*, std::uint64_t bytes, std::uint64_t alignment) {
      return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    api.memory_free = [](loci_host*, void* pointer) { std::free(pointer); };
    api.parallel_for = &parallel_for;
    api.parallel_width = [](loci_host*) { return kThreads; };
    api.now_ns = [](loci_host*) {
      const auto now = std::chrono::steady_clock::now().time_since_epoch();
      return static_cast<std::uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    };
    api.config_get = [](loci_host* host, loci_str key) {
      const auto& values = of(host).configuration;
      const auto found = values.find(std::string(key.data, key.size));
      return found == values.end() ? loci_str{} : text_of(found->second);
    };
    api.layout_intern = [](loci_host*, loci_str text, std::uint64_t bytes) {
      return Layouts::instance().intern({text.data, text.size}, bytes);
    };
    api.get_interface = [](loci_host*, loci_str, std::uint32_t) -> const void* { return nullptr; };
  }

  loci_host_api api{};
  std::map<std::string, std::string> configuration;
  std::atomic<int> errors{0};
  std::atomic<int> loops{0};
};

TestHost::TestHost(std::map<std::string, std::string> configuration)
    : state_(std::make_unique<State>()) {
  state_->configuration = std::move(configuration);
  state_->fill();
}
TestHost::~TestHost() = default;

const loci_host_api& TestHost::api() const { return state_->api; }
int TestHost::live_errors() const { return state_->errors; }
int TestHost::parallel_loops() const { return state_->loops; }
std::uint64_t TestHost::layout_bytes(std::uint32_t id) { return Layouts::instance().bytes(id); }

void TestHost::check(loci_error* error) const {
  if (error == nullptr) return;
  const PluginError thrown(State::object(error)->code, State::object(error)->message);
  State::release(error);
  throw thrown;
}

}  // namespace loci::testing
