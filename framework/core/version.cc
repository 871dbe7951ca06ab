#include <loci/version.hpp>

namespace loci {
inline namespace v0 {

std::string_view version() { return kVersion; }

}  // namespace v0
}  // namespace loci
