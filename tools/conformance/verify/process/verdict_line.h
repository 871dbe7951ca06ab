// Verdicts on their way from a process to the one that waits for them.
#pragma once

#include <string>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

// Without a newline, at its end or within.
std::string to_line(const Verdict& verdict);
Verdict from_line(const std::string& line);

// Ends this process where nobody reads any more.
void write_all(int descriptor, const std::string& text);

}  // namespace loci::verify
