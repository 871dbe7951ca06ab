// Calls between schemas and the plugins that define them.
#pragma once

#include <fmt/format.h>

#include <new>
#include <string>
#include <string_view>

#include "framework/core/abi/error_object.h"
#include "framework/plugin/foreign_call.h"

namespace loci::ops {

// For a function that a plugin calls: no exception leaves it.
template <class Body>
loci_error* to_error(const Body& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (const Error& error) {
    return core::make_error(error);
  } catch (const std::bad_alloc&) {
    return core::new_error(LOCI_CODE_OUT_OF_MEMORY, "no host memory is left", nullptr);
  } catch (const std::exception& error) {
    return core::new_error(LOCI_CODE_INTERNAL, error.what(), nullptr);
  }
}

// Calls a function that a plugin gave for an op. Throws Error with its message; kInternal if an
// exception escapes from it.
template <class Call>
void call_plugin_op(std::string_view function, const Call& call) {
  core::check(plugin::call_plugin(function, call));
}

// Gives the error again, beginning with "[op] ".
inline Error error_of_op(std::string_view op, const Error& error) {
  return {error.code(), fmt::format("[{}] {}", op, error.what()), error.details()};
}

}  // namespace loci::ops
