// Texts of --reporter, and of the profiler's other options.
#include <algorithm>
#include <initializer_list>
#include <loci/profiler.hpp>

#include "framework/reporting/report_request.h"
#include "tests/fuzz/fuzz_target.h"

namespace loci::fuzz {
namespace {

using reporting::ReportRequest;
using reporting::ReportTarget;

const std::vector<std::string>& forms() {
  static const std::vector<std::string> kForms{"2.x", "1.8"};
  return kForms;
}
constexpr const char* kDefaultOutput = "profile.txt";

std::string text_of(const ReportRequest& request) {
  std::string text = request.name;
  for (const auto& [option, value] : request.options) {
    text += (&option == &request.options.front().first ? ":" : ",") + option + "=" + value;
  }
  for (const std::string& part : request.rest) text += "=" + part;
  return text;
}

bool has_none_of(const std::string& text, const char* marks) {
  return text.find_first_of(marks) == std::string::npos;
}

void check_parts(const ReportRequest& request) {
  demand(!request.name.empty() && has_none_of(request.name, ":="), "the name is none");
  for (const auto& [option, value] : request.options) {
    demand(!option.empty() && has_none_of(option, ",="), "the name of an option is none");
    demand(has_none_of(value, ",="), "the value of an option goes too far");
  }
  demand(request.rest.size() <= 2, "there is more than a form and an output");
  for (const std::string& part : request.rest) demand(!part.empty(), "a form or output is empty");
}

void check_target(const ReportRequest& request) {
  const ReportTarget target = resolve_target(request, forms(), kDefaultOutput);
  const bool has_form = target.options.size() == request.options.size() + 1;
  demand(has_form || target.options.size() == request.options.size(), "an option is lost");
  demand(std::equal(request.options.begin(), request.options.end(), target.options.begin()),
         "an option is another one");
  std::string rest;
  if (has_form) {
    const auto& [option, form] = target.options.back();
    demand(option == "form" && std::count(forms().begin(), forms().end(), form) == 1,
           "the form is none");
    rest += "=" + form;
  }
  if (!target.is_default) rest += "=" + (target.path.empty() ? "-" : target.path);
  demand(!target.is_default || target.path == kDefaultOutput, "the output is not the default");
  std::string wanted;
  for (const std::string& part : request.rest) wanted += "=" + part;
  demand(rest == wanted, "the form or the output is another one");
}

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The options that are one word.
void check_words(const std::string& text) {
  ProfilerOptions options;
  const Reading reading{text.size(), "[profiler] '", {ErrorCode::kInvalidArgument}};
  if (accepts_too(reading, [&] { options.state(text); })) {
    demand(is_one_of(options.values().state, {"CPU", "GPU", "All"}), "there is no such state");
  }
  if (accepts_too(reading, [&] { options.tracer_option(text); })) {
    demand(is_one_of(options.values().tracer_option, {"Default", "OpDetail", "AllOpDetail"}),
           "there is no such tracer option");
  }
  if (accepts_too(reading, [&] { options.sorted_key(text); })) {
    demand(
        is_one_of(options.values().sorted_key, {"default", "calls", "total", "max", "min", "ave"}),
        "there is no such sorted key");
  }
}

void check(const std::string& text) {
  ReportRequest request;
  const auto parse = [&] { request = reporting::parse_request(text); };
  const Reading reading{text.size(), "[profiler] the reporter '", {ErrorCode::kInvalidArgument}};
  if (accepts(reading, parse)) {
    demand(text_of(request) == text, "a part of the text is lost");
    check_parts(request);
    check_target(request);
  }
  check_words(text);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(std::string(loci::fuzz::as_text(data, size)));
  return 0;
}
