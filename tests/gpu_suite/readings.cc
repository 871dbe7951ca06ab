#include "tests/gpu_suite/readings.h"

#include <regex>

namespace loci::gpu_suite {
namespace {

using Json = nlohmann::json;

// Sums what the first group of each match says.
long sum_of(const std::string& out, const char* pattern) {
  const std::regex counted(pattern);
  long sum = 0;
  for (auto match = std::sregex_iterator(out.begin(), out.end(), counted);
       match != std::sregex_iterator(); ++match) {
    sum += std::stol((*match)[1]);
  }
  return sum;
}

void read_google_test(const std::string& out, StepResult* result) {
  result->counts["passed"] = sum_of(out, R"(\[  PASSED  \] (\d+) tests?\.)");
  result->counts["failed"] = sum_of(out, R"(\[  FAILED  \] (\d+) tests?, listed below)");
  result->counts["skipped"] = sum_of(out, R"(\[  SKIPPED \] (\d+) tests?, listed below)");
}

// "123 passed, 0 failed, 0 lost, 4 skipped in 5.6 s"
void read_rules(const std::string& out, StepResult* result) {
  for (const char* kind : {"passed", "failed", "lost", "skipped"}) {
    result->counts[kind] = sum_of(out, (R"((\d+) )" + std::string(kind) + R"([, ])").c_str());
  }
}

// "cuda:0    123 passed    0 failed    4 absent"
void read_conformance(const std::string& out, StepResult* result) {
  const std::regex total(R"((?:^|\n)\w+:\d+ +(\d+) passed +(\d+) failed +(\d+) absent)");
  std::smatch match;
  if (!std::regex_search(out, match, total)) return;
  result->counts = {{"passed", std::stol(match[1])},
                    {"failed", std::stol(match[2])},
                    {"absent", std::stol(match[3])}};
}

void read_verify(const std::string& out, StepResult* result) {
  const Json report = Json::parse(out, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || !report.contains("counts")) return;
  for (const auto& [name, count] : report["counts"].items()) result->counts[name] = count;
}

void read_bench(const std::string& out, StepResult* result) {
  const Json report = Json::parse(out, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object() || !report.contains("rows")) return;
  result->rows = report["rows"];
  if (report.contains("notes")) result->notes = report["notes"];
  result->counts["rows"] = static_cast<long>(result->rows.size());
}

void read(Reading reading, const std::string& out, StepResult* result) {
  switch (reading) {
    case Reading::kNothing: return;
    case Reading::kGoogleTest: return read_google_test(out, result);
    case Reading::kRules: return read_rules(out, result);
    case Reading::kConformance: return read_conformance(out, result);
    case Reading::kVerify: return read_verify(out, result);
    case Reading::kBench: return read_bench(out, result);
  }
}

}  // namespace

void read_output(Reading reading, const std::string& out, StepResult* result) {
  read(reading, out, result);
  if (reading == Reading::kNothing) return;
  const char* checked = reading == Reading::kBench ? "rows" : "passed";
  const auto count = result->counts.find(checked);
  if (count == result->counts.end() || count->second == 0) {
    result->message = "it checked nothing, or does not say what";
  }
}

}  // namespace loci::gpu_suite
