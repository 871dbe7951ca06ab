#include "framework/program/guard_text.h"

#include "framework/program/builder.h"

namespace loci::program {
namespace {

constexpr char kMovedMark = '~';
constexpr char kFoundMark = '?';

}  // namespace

std::string guard_text(const Place& place, Standing standing) {
  std::string text = guard_text(place);
  if (standing == Standing::kMoved) text.insert(text.begin(), kMovedMark);
  if (standing == Standing::kFound) text.insert(text.begin(), kFoundMark);
  return text;
}

Standing standing_of(const std::string& guard) {
  switch (guard.front()) {
    case kMovedMark: return Standing::kMoved;
    case kFoundMark: return Standing::kFound;
    default: return Standing::kGuarded;
  }
}

Place guarded_place(const std::string& guard) {
  return Place(standing_of(guard) == Standing::kGuarded ? guard : guard.substr(1));
}

}  // namespace loci::program
