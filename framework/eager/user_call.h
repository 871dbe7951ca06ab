// Functions of the library that call ops for their caller: errors of the ops say where the user is.
#pragma once

#include <utility>

#include "framework/eager/thread_state.h"

namespace loci::eager {

// Sets a field of the thread's state while it lives.
class SiteScope {
 public:
  SiteScope(const SiteScope&) = delete;
  SiteScope& operator=(const SiteScope&) = delete;

 protected:
  SiteScope(const void*& field, const void* site)
      : field_(field), previous_(std::exchange(field, site)) {}
  ~SiteScope() { field_ = previous_; }

 private:
  const void*& field_;
  const void* previous_;
};

// In a function that calls ops and no function of the user's: `site` is what it returns to. Of
// several around each other the outermost counts.
class UserCall final : SiteScope {
 public:
  explicit UserCall(const void* site) : UserCall(thread_state(), site) {}

 private:
  UserCall(ThreadState& thread, const void* site)
      : SiteScope(thread.site, thread.site != nullptr          ? thread.site
                               : thread.caller_site != nullptr ? thread.caller_site
                                                               : site) {}
};

// In a function that calls functions of the library, each with a UserCall, and may call the user's
// own, whose ops name themselves.
class UserCaller final : SiteScope {
 public:
  explicit UserCaller(const void* site) : UserCaller(thread_state(), site) {}

 private:
  UserCaller(ThreadState& thread, const void* site)
      : SiteScope(thread.caller_site, thread.caller_site != nullptr ? thread.caller_site : site) {}
};

// Around a function of the user's that is called within a UserCall.
class UserCode final : SiteScope {
 public:
  UserCode() : SiteScope(thread_state().site, nullptr) {}
};

}  // namespace loci::eager
