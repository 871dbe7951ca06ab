// Which fallbacks have been told.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "framework/core/context.h"

namespace loci::dispatch {

// A context has one. Thread-safe.
class FallbackNotes {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kFallbackNotes;

  // The caller that stands for imperative code; programs have their uid.
  static constexpr std::uint64_t kImperative = 0;

  // True once for an op and the place that has no kernel for it, by who calls it. What has been
  // told of the oldest programs is forgotten, so that many short ones take no memory.
  bool is_first(std::uint64_t caller, const std::string& op, const Place& place);
  // Tells fallbacks in that program as if they were in the other one: both are forms of one
  // function. To be said before anything is told of it.
  void tell_as(std::uint64_t program, std::uint64_t other);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> told_as_;  // by program
  std::set<std::tuple<std::uint64_t, std::string, std::string>> told_;
};

}  // namespace loci::dispatch
