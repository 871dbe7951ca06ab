#include "framework/eager/batch.h"

#include <fmt/format.h>

namespace loci::eager {

std::string BatchParts::describe(std::uint64_t part) const {
  return fmt::format("{}, in a replay of {}",
                     part < parts.size() ? parts[part] : "the random state that it sets", name);
}

}  // namespace loci::eager
