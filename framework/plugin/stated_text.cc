#include "framework/plugin/stated_text.h"

#include <fmt/format.h>

#include "framework/core/abi/error.h"
#include "framework/plugin/load_error.h"

namespace loci::plugin {

std::string_view stated_text(loci_str text, std::string_view what) {
  if (text.data != nullptr && text.size > LOCI_MAX_TEXT) {
    refuse_to_author(fmt::format("its {} states a length of {} bytes; at most {} are read", what,
                                 text.size, LOCI_MAX_TEXT));
  }
  return core::optional_from_abi(text);
}

std::string_view stated_message(loci_str text) noexcept {
  if (text.data != nullptr && text.size > kLongestMessage) {
    return "(a message whose stated length is beyond the limit, and which was not read)";
  }
  return core::optional_from_abi(text);
}

}  // namespace loci::plugin
