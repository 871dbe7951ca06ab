// Errors of a plugin: C++ exceptions inside, loci_error* at the boundary.
#pragma once
// An exception that is no sdk::Error is LOCI_CODE_INTERNAL there (std::bad_alloc: OUT_OF_MEMORY).
#include <loci/abi/host.h>

#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace loci::sdk {

inline loci_str to_abi(std::string_view text) noexcept { return {text.data(), text.size()}; }
inline std::string_view to_view(loci_str text) noexcept {
  return text.size == 0 ? std::string_view() : std::string_view(text.data, text.size);
}
#ifndef __cpp_exceptions
#error "plugins in C++ throw: compile them without -fno-exceptions, or use loci/abi alone"
#endif
class Error : public std::runtime_error {  // "[where] what was wrong, with values; what to do"
 public:
  Error(loci_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] loci_code code() const noexcept { return code_; }

 private:
  loci_code code_;
};

// Throws an error of the host, if there is one, and releases it.
inline void check(const loci_host_api& host, loci_error* error) {
  if (error == nullptr) return;
  const loci_code code = host.error_code(error);
  const std::string message(to_view(host.error_message(error)));
  host.error_release(error);
  throw Error(code, message);
}

// Turns the exception that is being handled into an error of the host. Call it in a catch block.
__attribute__((noinline, cold)) inline loci_error* current_exception_error(
    const loci_host_api& host) noexcept {
  const auto make = [&host](loci_code code, std::string_view message) {
    return host.error_make(host.host, code, to_abi(message), nullptr);
  };
  try {
    throw;
  } catch (const Error& error) {
    return make(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return make(LOCI_CODE_OUT_OF_MEMORY, "no host memory is left");
  } catch (const std::exception& error) {
    return make(LOCI_CODE_INTERNAL, error.what());
  } catch (...) {
    return make(LOCI_CODE_INTERNAL, "an exception that is no std::exception");
  }
}

// Runs `body`; what it throws becomes the result. For functions of the C ABI.
template <class Body>
loci_error* guard(const loci_host_api& host, Body&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return current_exception_error(host);
  }
}

}  // namespace loci::sdk
