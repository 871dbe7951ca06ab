// Calls that a plugin has to refuse.
#pragma once

#include <string>

#include "tools/conformance/verify/subject.h"

namespace loci::verify {

constexpr loci_code kAnyCode = 0;

// Fails the check unless it is an error as refusals are: of a known code, `code` if that is not
// kAnyCode, and with a text.
void check_refusal(const PluginError& error, const std::string& what, loci_code code);

// The text of the error with which a call is refused; fails the check where it is not, or wrongly.
template <class Call>
std::string expect_refusal(const std::string& what, loci_code code, Call&& call) {
  try {
    call();
  } catch (const PluginError& error) {
    check_refusal(error, what, code);
    return error.what();
  }
  fail("{} has to be refused, and is not", what);
}

}  // namespace loci::verify
