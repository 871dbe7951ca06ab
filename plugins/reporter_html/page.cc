#include "plugins/reporter_html/page.h"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>
#include <string_view>

#include "plugins/reporter_html/page_files.h"

namespace loci::report {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kData = "data";

std::string_view text_of(std::string_view path) {
  for (const PageFile& file : page_files()) {
    if (fmt::format("{}/{}", file.folder, file.name) == path) return file.text;
  }
  throw std::logic_error(fmt::format("the page names '{}', which there is not", path));
}

}  // namespace

Page make_page() {
  std::string_view rest = text_of("page/index.html");
  Page page;
  bool has_data = false;
  for (std::size_t open = rest.find(kOpen); open != rest.npos; open = rest.find(kOpen)) {
    const std::size_t close = rest.find(kClose, open);
    if (close == rest.npos) throw std::logic_error("the page has '{{' without '}}'");
    const std::string_view name = rest.substr(open + kOpen.size(), close - open - kOpen.size());
    std::string& part = has_data ? page.after : page.before;
    part += rest.substr(0, open);
    rest.remove_prefix(close + kClose.size());
    if (name != kData) {
      part += text_of(name);
    } else if (has_data) {
      throw std::logic_error("the page has the data twice");
    } else {
      has_data = true;
    }
  }
  if (!has_data) throw std::logic_error("the page has no data");
  page.after += rest;
  return page;
}

}  // namespace loci::report
