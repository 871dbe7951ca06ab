#include "rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "driver_table.h"

namespace loci::cuda_rules {
namespace {

std::string current_test() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return "none";
  return std::string(test->test_suite_name()) + "." + test->name();
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

void append_to_json_file(const std::string& rule, std::string_view value) {
  const char* path = std::getenv("LOCI_RULES_JSON");
  if (path == nullptr) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "{\"rule\": %s, \"value\": %s}\n", json_string(rule).c_str(),
                 json_string(value).c_str());
    std::fclose(file);
  }
}

}  // namespace

std::string name_of(CUresult code) {
  const char* name = nullptr;
  if (cu().cuGetErrorName == nullptr || cu().cuGetErrorName(code, &name) != CUDA_SUCCESS ||
      name == nullptr) {
    return "code " + std::to_string(static_cast<int>(code));
  }
  return name;
}

void record(std::string_view name, std::string_view value) {
  static std::mutex one_line_at_a_time;
  const std::lock_guard lock(one_line_at_a_time);
  const std::string rule = current_test() + "/" + std::string(name);
  std::printf("[rule] %s: %.*s\n", rule.c_str(), static_cast<int>(value.size()), value.data());
  std::fflush(stdout);
  append_to_json_file(rule, value);
}

void record(std::string_view name, CUresult code) { record(name, std::string_view(name_of(code))); }

void expect(std::string_view name, CUresult code, CUresult expected, int line, const char* file) {
  expect_text(name, name_of(code), name_of(expected), line, file);
}

void expect_one_of(std::string_view name, CUresult code, std::initializer_list<CUresult> expected,
                   int line, const char* file) {
  record(name, code);
  if (std::find(expected.begin(), expected.end(), code) != expected.end()) return;
  std::string names;
  for (const CUresult each : expected) names += " " + name_of(each);
  ADD_FAILURE_AT(file, line) << name << ": " << name_of(code) << ", expected one of" << names;
}

void expect_text(std::string_view name, std::string_view value, std::string_view expected, int line,
                 const char* file) {
  record(name, value);
  if (value == expected) return;
  ADD_FAILURE_AT(file, line) << name << ": " << value << ", expected " << expected;
}

void must(CUresult code, int line, const char* file) {
  if (code == CUDA_SUCCESS) return;
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + name_of(code));
}

}  // namespace loci::cuda_rules
