// Calls into a plugin.
#pragma once

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <string_view>

#include "framework/core/abi/error.h"
#include "framework/plugin/load_error.h"
#include "framework/plugin/plugin.h"

namespace loci::plugin {

[[noreturn]] inline void refuse_exception(std::string_view function, std::string_view what) {
  throw LoadError(ErrorCode::kInternal,
                  fmt::format("its {} let an exception escape: {}", function, what),
                  "report it to the plugin's author: no exception may cross the C ABI");
}

// While it lives, it is told the name of each function of a plugin before this thread calls it.
class CallWatch {
 public:
  using Function = std::function<void(std::string_view function)>;

  // `told` outlives it. One at a time in a thread.
  explicit CallWatch(const Function& told);
  ~CallWatch();
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
};
// Tells this thread's watch, and the process's, if there are any.
void announce_call(std::string_view function);

// Whose functions this thread calls while it lives, for the watch of the process.
class CalledPlugin {
 public:
  // `id` outlives it.
  explicit CalledPlugin(const std::string& id);
  ~CalledPlugin();
  CalledPlugin(const CalledPlugin&) = delete;
  CalledPlugin& operator=(const CalledPlugin&) = delete;

 private:
  const std::string* outer_;
};

// Calls a function of a plugin that breaks the rule against exceptions, too. For what is called
// while loading, opening and preparing; one out of a launch ends the process, as the ABI says.
template <class Call>
auto call_plugin(std::string_view function, Call&& call) {
  announce_call(function);
  try {
    return call();
  } catch (const std::exception& error) {
    refuse_exception(function, error.what());
  } catch (...) {
    refuse_exception(function, "of a type that is not a std::exception");
  }
}

// Calls a function that returns an error, and throws LoadError with its message and causes.
template <class Call>
void call_plugin_checked(std::string_view function, Call&& call) {
  loci_error* returned = call_plugin(function, call);
  if (returned == nullptr) return;
  const Error error = core::take_error(returned);
  std::string cause = fmt::format("its {} failed: {}", function, error.what());
  if (!error.details().empty()) cause += fmt::format(" (caused by: {})", error.details());
  for (char& c : cause) {
    if (c == '\n') c = ' ';
  }
  throw LoadError(error.code(), cause,
                  "correct what the message names, or leave the plugin out by its id");
}

// Does what calls a plugin in use. A LoadError, which leaves it to a report to name the plugin,
// becomes an Error that names it.
template <class Work>
auto blaming(const Plugin& plugin, Work&& work) {
  const CalledPlugin called(plugin.id());
  try {
    return work();
  } catch (const LoadError& error) {
    throw Error(error.code(),
                fmt::format("[plugin] {}: {}; {}", plugin.id(), error.cause(), error.remedy()));
  }
}

}  // namespace loci::plugin
