#include "tools/conformance/verify/refusal.h"

namespace loci::verify {

void check_refusal(const PluginError& error, const std::string& what, loci_code code) {
  if (code_name(error.code()).rfind("code ", 0) == 0) {
    fail("{} is refused with the unknown code {}", what, error.code());
  }
  if (code != kAnyCode && error.code() != code) {
    fail("{} is refused with {}, and has to be with {}: {}", what, code_name(error.code()),
         code_name(code), error.what());
  }
  // call_checked() puts "<function> failed with <code>: " before it.
  const std::string text = error.what();
  if (text.size() < 2 || text.compare(text.size() - 2, 2, ": ") == 0) {
    fail("{} is refused without a text; say what was wrong, with the values", what);
  }
}

}  // namespace loci::verify
