// Places that operators and state have of their own, as texts.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <string>

namespace loci::program {

// Who put something at a place, and so what holds for it there.
enum class Standing : std::uint8_t {
  kGuarded,  // a DeviceGuard: there, or an error
  kMoved,    // to(place), or what is made at a place: the CPU may stand in
  kFound,    // what a trace met lay there: the CPU may stand in, and no file keeps it
};

// "sim:0", "~sim:0" or "?sim:0". A bare type stays bare, since it may mean the executor's own
// device.
std::string guard_text(const Place& place, Standing standing);

// Read a text that is not empty. guarded_place() throws as Place() does.
Standing standing_of(const std::string& guard);
Place guarded_place(const std::string& guard);

// Operators that the current thread adds or calls while it lives are put by this text, or as if
// nobody said where, if that is empty. Nests with DeviceGuards; the innermost holds.
class GuardTextScope {
 public:
  explicit GuardTextScope(std::string guard);
  ~GuardTextScope();
  GuardTextScope(const GuardTextScope&) = delete;
  GuardTextScope& operator=(const GuardTextScope&) = delete;
};

}  // namespace loci::program
