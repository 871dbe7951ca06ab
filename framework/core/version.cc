#include <loci/version.hpp>

namespace loci::inline v0 {

std::string_view version() { return kVersion; }

}  // namespace loci::inline v0
