// The driver's answers are recorded, rule by rule: printed, so that the answers of two drivers can
// be laid side by side, and compared with what is expected where the manual says what that is.
//
// A line is "[rule] <suite>.<test>/<name>: <value>". With LOCI_RULES_JSON=<file> each is also added
// to that file, as one JSON object a line.
#pragma once

#include <cuda.h>

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace loci::cuda_rules {

// The driver's name of a code, or its number.
std::string name_of(CUresult code);

// Records an answer for which no manual says what it has to be. From any thread.
void record(std::string_view name, std::string_view value);
void record(std::string_view name, CUresult code);
template <std::integral Value>
void record(std::string_view name, Value value) {
  record(name, std::string_view(std::to_string(value)));
}

// Records, and fails the test unless the answer is the expected one.
void expect(std::string_view name, CUresult code, CUresult expected, int line = __builtin_LINE(),
            const char* file = __builtin_FILE());
void expect_one_of(std::string_view name, CUresult code, std::initializer_list<CUresult> expected,
                   int line = __builtin_LINE(), const char* file = __builtin_FILE());
void expect_text(std::string_view name, std::string_view value, std::string_view expected,
                 int line = __builtin_LINE(), const char* file = __builtin_FILE());
template <std::integral Value, std::integral Expected>
void expect_value(std::string_view name, Value value, Expected expected,
                  int line = __builtin_LINE(), const char* file = __builtin_FILE()) {
  expect_text(name, std::to_string(value), std::to_string(expected), line, file);
}

// A call that is no rule but has to succeed for the test to go on: throws what came instead.
void must(CUresult code, int line = __builtin_LINE(), const char* file = __builtin_FILE());

}  // namespace loci::cuda_rules
