#include "tools/cuda_double/driver/error_names.h"

#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace loci::cuda_double {
namespace {

struct Words {
  const char* name;
  std::string text;
};

std::string in_words(std::string_view name) {
  for (const std::string_view prefix : {"CUDA_ERROR_", "CUDA_"}) {
    if (name.starts_with(prefix)) {
      name.remove_prefix(prefix.size());
      break;
    }
  }
  std::string text;
  for (const char c : name) text += c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  return text;
}

const std::map<int, Words>& all_words() {
  // Kept for threads that outlive the program's end.
  static const auto& words = *new std::map<int, Words>{
#define LOCI_ERROR_CODE(code) {code, {#code, in_words(#code)}},
#include "tools/cuda_double/driver/error_codes.inc"
#undef LOCI_ERROR_CODE
  };
  return words;
}

}  // namespace

const char* error_name(CUresult code) {
  const auto found = all_words().find(code);
  return found == all_words().end() ? nullptr : found->second.name;
}

const char* error_text(CUresult code) {
  const auto found = all_words().find(code);
  return found == all_words().end() ? nullptr : found->second.text.c_str();
}

}  // namespace loci::cuda_double
