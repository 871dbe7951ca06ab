// Which report the user wants, and where it goes.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace loci::reporting {

// "NAME[:OPTION=VALUE[,...]][=FORM][=OUT]", taken apart. Only values may be empty.
struct ReportRequest {
  std::string name;
  std::vector<std::pair<std::string, std::string>> options;
  std::vector<std::string> rest;  // FORM, OUT or both
};

// Throws Error(kInvalidArgument) for a text that is not of that form.
ReportRequest parse_request(const std::string& text);

// Where the report goes once its reporter is known: the form is an option of that name, the output
// what is left of `rest`, or the default.
struct ReportTarget {
  std::vector<std::pair<std::string, std::string>> options;
  std::string path;         // empty: standard output
  bool is_default = false;  // nobody asked for that path
};
ReportTarget resolve_target(const ReportRequest& request, const std::vector<std::string>& forms,
                            const std::string& default_output);

}  // namespace loci::reporting
