// conformance: runs the conformance cases at a place. See --help.
#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <iostream>
#include <loci/error.hpp>
#include <loci/plugins.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tools/conformance/report.h"
#include "tools/conformance/sample.h"

namespace {

namespace options = boost::program_options;
namespace conformance = loci::conformance;
using conformance::CaseResult;
using conformance::Outcome;

enum ExitCode { kOk = 0, kCheckFailed = 1, kUsage = 2, kUnavailable = 4 };

constexpr const char* kUsageText =
    "usage: conformance [OPTION...]\n\n"
    "Runs conformance cases at a place and compares every result with a reference. Exit code: 0 "
    "all\n"
    "is well, 1 a case failed, 2 usage, 4 no plugin brings the place.\n";

struct Request {
  std::string place;
  std::string filter;
  std::vector<std::string> files;
  std::vector<std::string> directories;
  bool sample = false;
  bool list = false;
  bool json = false;
  bool complete = false;
  std::vector<std::string> absent;
  std::size_t gradient_samples = conformance::Effort().gradient_samples;
  bool help = false;
};

options::options_description describe(Request* request) {
  using options::bool_switch;
  using options::value;
  options::options_description all("Options");
  all.add_options()("help", bool_switch(&request->help), "this text");
  all.add_options()("place", value(&request->place)->default_value("cpu"), "where to run");
  all.add_options()("filter", value(&request->filter)->default_value(""),
                    "only cases whose name matches this regular expression somewhere");
  all.add_options()("sample", bool_switch(&request->sample),
                    "for sanitizers, about a third of the cases: each combination of shapes and "
                    "attributes in one dtype, each dtype in a few shapes");
  all.add_options()("list", bool_switch(&request->list), "print the names and run nothing");
  all.add_options()("json", bool_switch(&request->json), "print one JSON object");
  all.add_options()("complete", bool_switch(&request->complete),
                    "a case without a kernel at the place counts as failed");
  all.add_options()("absent", value(&request->absent)->composing(),
                    "with --complete: an op that the place leaves out on purpose");
  all.add_options()("gradient-samples",
                    value(&request->gradient_samples)->default_value(request->gradient_samples),
                    "how many elements of each gradient central differences check");
  all.add_options()("plugin", value(&request->files)->composing(), "a plugin file to load");
  all.add_options()("plugin-path", value(&request->directories)->composing(),
                    "a directory of plugins");
  return all;
}

void print_problem(const CaseResult& result) {
  if (result.outcome == Outcome::kPassed) return;
  std::cout << conformance::outcome_name(result.outcome) << ' ' << result.name << "\n  "
            << result.message << '\n';
}

int list(const conformance::Suite& suite) {
  for (const conformance::Case& one : suite.cases()) std::cout << one.name() << '\n';
  return kOk;
}

// Returns true if the case lacks a kernel that may be absent: messages begin with "[op]".
bool may_be_absent(const Request& request, const CaseResult& result) {
  return std::any_of(request.absent.begin(), request.absent.end(), [&](const std::string& op) {
    return result.message.rfind("[" + op + "]", 0) == 0;
  });
}

bool is_good(const Request& request, const CaseResult& result) {
  if (result.outcome == Outcome::kPassed) return true;
  return result.outcome == Outcome::kAbsent &&
         (!request.complete || may_be_absent(request, result));
}

int run(const Request& request, const conformance::Suite& suite) {
  if (!request.files.empty() || !request.directories.empty()) {
    loci::plugins::configure({request.files, request.directories, {}});
  }
  const auto report =
      run_suite(suite, loci::Place(request.place), request.json ? nullptr : print_problem,
                {.gradient_samples = request.gradient_samples});
  std::cout << (request.json ? to_json(report) + "\n" : summary(report));
  const bool good = std::all_of(report.results.begin(), report.results.end(),
                                [&](const CaseResult& result) { return is_good(request, result); });
  return good ? kOk : kCheckFailed;
}

int fail(int code, const std::string& message) {
  std::cerr << "conformance: " << message << '\n';
  return code;
}

int guarded(int argc, char** argv) {
  Request request;
  const options::options_description described = describe(&request);
  try {
    options::variables_map map;
    options::store(options::command_line_parser(argc, argv).options(described).run(), map);
    options::notify(map);
    if (request.help) {
      std::cout << kUsageText << described;
      return kOk;
    }
    if (request.gradient_samples == 0) return fail(kUsage, "--gradient-samples 0; at least 1");
    const conformance::Suite all = conformance::all_cases();
    const conformance::Suite suite =
        (request.sample ? memory_sample(all) : all).filtered(request.filter);
    if (suite.cases().empty()) return fail(kUsage, "no case matches --filter " + request.filter);
    return request.list ? list(suite) : run(request, suite);
  } catch (const options::error& error) {
    return fail(kUsage, std::string(error.what()) + "; see --help");
  } catch (const std::regex_error& error) {
    return fail(kUsage, "--filter " + request.filter + ": " + error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return guarded(argc, argv);
  } catch (const loci::Error& error) {
    const bool unavailable =
        error.code() == loci::ErrorCode::kUnavailable || error.code() == loci::ErrorCode::kNotFound;
    const std::string details = error.details().empty() ? "" : "\n" + error.details();
    const int code = error.code() == loci::ErrorCode::kInvalidArgument ? kUsage : kCheckFailed;
    return fail(unavailable ? kUnavailable : code, error.what() + details);
  } catch (const std::exception& error) {
    return fail(kCheckFailed, error.what());
  }
}
