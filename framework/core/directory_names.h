// The names of the entries of a directory.
#pragma once

#include <string>
#include <system_error>
#include <vector>

namespace loci::core {

// The names of its entries but "." and "..", sorted; those before the failure if reading fails,
// with `error` set. Instead of std::filesystem::directory_iterator, with which GCC 12's library
// ends the process where memory runs out.
std::vector<std::string> directory_names(const std::string& directory, std::error_code& error);

}  // namespace loci::core
