// Reports that lie in files.
#pragma once

#include <map>
#include <string>

namespace loci::classic {

// The file's text. Throws std::runtime_error if it cannot be read.
std::string golden(const std::string& file);

// A file with several reports, each after a line "==== its name".
std::map<std::string, std::string> goldens(const std::string& file);

}  // namespace loci::classic
