// The error objects of the C ABI, which the host makes and frees.
#pragma once

#include <loci/abi/base.h>

#include <string>
#include <string_view>

struct loci_error {
  loci_code code = LOCI_CODE_FAILED;
  std::string message;
  loci_error* cause = nullptr;  // owned
};

namespace loci::core {

// Takes `cause`, which may be NULL. Never NULL: without memory it is one error that says so.
loci_error* new_error(loci_code code, std::string_view message, loci_error* cause) noexcept;
// Frees it and its causes; NULL is allowed.
void free_error(loci_error* error) noexcept;

}  // namespace loci::core
