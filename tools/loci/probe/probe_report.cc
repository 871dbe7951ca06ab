#include "tools/loci/probe/probe_report.h"

#include <fmt/format.h>

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void bound(std::string* text) {
  if (text->size() <= kLongestReportedText) return;
  std::size_t end = kLongestReportedText;
  while (end > 0 && is_continuation((*text)[end])) --end;
  const std::size_t left_out = text->size() - end;
  text->resize(end);
  *text += fmt::format("... ({} bytes left out)", left_out);
}

void bound(Json* value) {
  if (value->is_string()) bound(value->get_ptr<std::string*>());
  if (!value->is_structured()) return;
  for (Json& member : *value) bound(&member);
}

}  // namespace

std::string report_line(const char* word, Json object) {
  bound(&object);
  return fmt::format("{} {}", word,
                     object.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
}

}  // namespace loci::runner
