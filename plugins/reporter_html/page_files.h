// The sources of the page, embedded at build time.
#pragma once

#include <string_view>
#include <vector>

namespace loci::report {

struct PageFile {
  std::string_view folder;  // "page", "style" or "script"
  std::string_view name;    // "decode.js"
  std::string_view text;
};

const std::vector<PageFile>& page_files();

}  // namespace loci::report
