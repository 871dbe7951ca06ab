// The host table, from C++.
#pragma once

#include <loci/abi/host.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <loci/plugin/error.hpp>
#include <memory>
#include <string_view>
#include <type_traits>

namespace loci::sdk {

namespace detail {

// The first exception of a loop, which ends up with the thread that started the loop.
class LoopFailure {
 public:
  // Called while the exception is handled.
  void keep() noexcept {
    if (!failed_.exchange(true)) error_ = std::current_exception();
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::atomic<bool> failed_{false};
  std::exception_ptr error_;
};

// A loop body for the C table.
template <class Body>
class LoopBody {
 public:
  LoopBody(Body& body, LoopFailure& failure) : body_(body), failure_(failure) {}

  static void run(void* context, std::int64_t begin, std::int64_t end,
                  std::uint32_t worker) noexcept {
    auto& self = *static_cast<LoopBody*>(context);
    try {
      call(self.body_, begin, end, worker);
    } catch (...) {
      self.failure_.keep();
    }
  }
  static void call(Body& body, std::int64_t begin, std::int64_t end, std::uint32_t worker) {
    if constexpr (std::is_invocable_v<Body&, std::int64_t, std::int64_t, std::uint32_t>) {
      body(begin, end, worker);
    } else {
      body(begin, end);
    }
  }

 private:
  Body& body_;
  LoopFailure& failure_;
};

}  // namespace detail

// A copy of the host table. Every function may be called from any thread. The plugin's own (see
// plugin.hpp) lives as long as the plugin.
class Host {
 public:
  explicit Host(const loci_host_api& api) noexcept {
    std::memcpy(&api_, &api, std::min<std::size_t>(api.struct_size, sizeof api_));
  }

  [[nodiscard]] const loci_host_api& api() const noexcept { return api_; }

  [[nodiscard]] bool log_enabled(std::int32_t level) const {
    return api_.log_enabled(api_.host, level) != 0;
  }
  void log(std::int32_t level, std::string_view message, const char* file = "",
           std::int32_t line = 0) const {
    api_.log(api_.host, level, to_abi(message), file, line);
  }

  // Host memory. Throws std::bad_alloc. `alignment` is a power of two.
  [[nodiscard]] void* allocate(std::uint64_t bytes, std::uint64_t alignment = 64) const {
    void* pointer = api_.memory_alloc(api_.host, bytes, alignment);
    if (pointer == nullptr) throw std::bad_alloc();
    return pointer;
  }
  void free(void* pointer) const noexcept { api_.memory_free(api_.host, pointer); }

  // Calls body(begin, end) or body(begin, end, worker) with disjoint ranges of at least `grain`
  // items that cover [begin, end), on the process's one thread team; a worker may get several. Give
  // a grain worth a few microseconds. What the body throws is thrown here, after the loop.
  template <class Body>
  void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, Body&& body) const {
    using Loop = detail::LoopBody<std::remove_reference_t<Body>>;
    if (end - begin <= grain) {
      if (begin < end) Loop::call(body, begin, end, 0);
      return;
    }
    detail::LoopFailure failure;
    Loop loop(body, failure);
    api_.parallel_for(api_.host, begin, end, grain, &Loop::run, &loop);
    failure.rethrow();
  }
  // How many ranges of a loop started by this thread may run at the same time.
  [[nodiscard]] std::uint32_t parallel_width() const { return api_.parallel_width(api_.host); }

  [[nodiscard]] std::uint64_t now_ns() const { return api_.now_ns(api_.host); }

  // The value configured for `key` of this plugin; empty if there is none.
  [[nodiscard]] std::string_view config(std::string_view key) const {
    return to_view(api_.config_get(api_.host, to_abi(key)));
  }

  // The plugin's own file, absolute; empty where the host does not tell it.
  [[nodiscard]] std::string_view library_path() const {
    return api_.library_path == nullptr ? std::string_view()
                                        : to_view(api_.library_path(api_.host));
  }

  [[nodiscard]] std::uint32_t intern_layout(std::string_view text, std::uint64_t bytes) const {
    return api_.layout_intern(api_.host, to_abi(text), bytes);
  }

 private:
  loci_host_api api_{};
};

}  // namespace loci::sdk
