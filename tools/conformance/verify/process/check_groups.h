// Which checks run beside each other, and in which of several processes.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/conformance/verify/verdict.h"

namespace loci::verify {

using CheckGroup = std::vector<std::size_t>;  // numbers of checks, in order

// How many precede the first that has a group: the others need what they do, such as loading.
std::size_t count_first_checks(const std::vector<Check>& checks);
// The groups are ordered by where the first check of each is.
std::vector<CheckGroup> groups_of(const std::vector<Check>& checks);
// At most so many shares, of about as many checks each; none is empty.
std::vector<std::vector<CheckGroup>> share_out(std::vector<CheckGroup> groups, std::size_t shares);

}  // namespace loci::verify
