#include "framework/reporting/report_request.h"

#include <algorithm>
#include <string_view>

#include "framework/core/raise.h"

namespace loci::reporting {
namespace {

[[noreturn]] void refuse(const std::string& text, const char* reason) {
  core::raise(ErrorCode::kInvalidArgument,
              "[profiler] the reporter '{}' {}; the form is NAME[:OPTION=VALUE[,...]][=FORM][=OUT]",
              text, reason);
}

// Cuts `text` at the first `mark`; the second part is empty without one.
std::pair<std::string, std::string> cut(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

// The value of the last option ends where the form or the output begins.
std::string take_options(const std::string& text, std::string list, ReportRequest& request) {
  while (true) {
    const std::size_t equals = list.find('=');
    if (equals == std::string::npos || equals == 0) refuse(text, "has an option without a value");
    const std::size_t end = list.find_first_of(",=", equals + 1);
    request.options.emplace_back(list.substr(0, equals), list.substr(equals + 1, end - equals - 1));
    if (end == std::string::npos) return "";
    const bool more = list[end] == ',';
    list = list.substr(end + 1);
    if (!more) return list;
  }
}

}  // namespace

ReportRequest parse_request(const std::string& text) {
  ReportRequest request;
  const std::size_t end = text.find_first_of(":=");
  request.name = text.substr(0, end);
  if (request.name.empty()) refuse(text, "has no name");
  if (end == std::string::npos) return request;
  std::string rest = text.substr(end + 1);
  if (text[end] == ':') {
    rest = take_options(text, rest, request);
    if (rest.empty()) return request;
  }
  const auto [first, second] = cut(rest, '=');
  if (first.empty()) refuse(text, "has an empty form or output");
  request.rest.push_back(first);
  if (!second.empty()) request.rest.push_back(second);
  return request;
}

ReportTarget resolve_target(const ReportRequest& request, const std::vector<std::string>& forms,
                            const std::string& default_output) {
  ReportTarget target;
  target.options = request.options;
  target.path = default_output;
  std::vector<std::string> rest = request.rest;
  if (!rest.empty() && std::find(forms.begin(), forms.end(), rest.front()) != forms.end()) {
    target.options.emplace_back("form", rest.front());
    rest.erase(rest.begin());
  }
  if (rest.size() == 2) {
    // No form, so that the '=' is one of the path's.
    rest = {rest[0] + '=' + rest[1]};
  }
  target.is_default = rest.empty();
  if (!rest.empty()) target.path = rest.front() == "-" ? "" : rest.front();
  return target;
}

}  // namespace loci::reporting
