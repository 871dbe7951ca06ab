#include "tests/gpu_suite/readings.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

namespace loci::gpu_suite {
namespace {

using Json = nlohmann::json;

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

template <class Visit>
void for_each_line(const std::string& out, const Visit& visit) {
  std::istringstream stream(out);
  for (std::string line; std::getline(stream, line);) visit(words_of(line));
}

std::optional<long> number_of(const std::string& word) {
  long number = 0;
  const char* const end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// "[  PASSED  ] 6 tests.", "[  FAILED  ] 2 tests, listed below:"
void read_google_test(const std::string& out, StepResult* result) {
  for (const char* kind : {"passed", "failed", "skipped"}) result->counts[kind] = 0;
  for_each_line(out, [&](const Words& words) {
    if (words.size() < 5 || words[0] != "[" || words[4].rfind("test", 0) != 0) return;
    const auto number = number_of(words[3]);
    if (!number) return;
    if (words[1] == "PASSED") result->counts["passed"] += *number;
    if (words[1] == "FAILED") result->counts["failed"] += *number;
    if (words[1] == "SKIPPED") result->counts["skipped"] += *number;
  });
}

// "123 passed, 0 failed, 0 lost, 4 skipped in 5.6 s"
void read_rules(const std::string& out, StepResult* result) {
  const std::array<const char*, 4> kinds = {"passed", "failed", "lost", "skipped"};
  for (const char* kind : kinds) result->counts[kind] = 0;
  for_each_line(out, [&](const Words& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      for (const std::string kind : kinds) {
        if (words[i + 1] != kind && words[i + 1] != kind + ",") continue;
        result->counts[kind] += number_of(words[i]).value_or(0);
      }
    }
  });
}

// "cuda:0    123 passed    0 failed    4 absent"
void read_conformance(const std::string& out, StepResult* result) {
  for_each_line(out, [&](const Words& words) {
    if (words.size() < 7 || words[0].find(':') == std::string::npos) return;
    for (std::size_t i = 1; i + 1 < 7; i += 2) {
      if (const auto number = number_of(words[i])) result->counts[words[i + 1]] = *number;
    }
  });
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
