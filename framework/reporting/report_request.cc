#include "framework/reporting/report_request.h"

#include <algorithm>
#include <string_view>

#include "framework/core/quote.h"
#include "framework/core/raise.h"

namespace loci::reporting {
namespace {

[[noreturn]] void refuse(std::string_view text, const char* reason) {
  core::raise(ErrorCode::kInvalidArgument,
              "[profiler] the reporter {} {}; the form is NAME[:OPTION=VALUE[,...]][=FORM][=OUT]",
              core::quote(text), reason);
}

// Reads a request from its beginning to its end.
class RequestReader {
 public:
  explicit RequestReader(std::string_view text) : text_(text), rest_(text) {}

  ReportRequest read() {
    request_.name = take_until(":=");
    if (request_.name.empty()) refuse(text_, "has no name");
    if (mark_ == ':') read_options();
    if (mark_ == '=') read_form_and_output();
    return std::move(request_);
  }

 private:
  // Takes what comes before the first of these marks, and that mark, which mark_ then is; else all
  // that is left.
  std::string take_until(std::string_view marks) {
    const std::size_t end = rest_.find_first_of(marks);
    std::string taken(rest_.substr(0, end));
    mark_ = end == std::string_view::npos ? '\0' : rest_[end];
    rest_ = mark_ == '\0' ? std::string_view() : rest_.substr(end + 1);
    return taken;
  }

  // The value of the last option ends where the form or the output begins.
  void read_options() {
    do {
      std::string option = take_until(",=");
      if (mark_ != '=' || option.empty()) refuse(text_, "has an option without a value");
      request_.options.emplace_back(std::move(option), take_until(",="));
    } while (mark_ == ',');
  }

  void read_form_and_output() {
    request_.rest.push_back(take_until("="));
    if (mark_ == '=') request_.rest.emplace_back(rest_);
    for (const std::string& part : request_.rest) {
      if (part.empty()) refuse(text_, "has an empty form or output");
    }
  }

  std::string_view text_;
  std::string_view rest_;
  char mark_ = '\0';
  ReportRequest request_;
};

}  // namespace

ReportRequest parse_request(const std::string& text) { return RequestReader(text).read(); }

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
