// Work of a stream, as it is enqueued or recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/tools/conformance/faulty_plugin/source.h"

namespace loci::faulty {

struct Node {
  Work work;
  std::string name;
  std::uint64_t item = 0;
  std::vector<void*> arguments;  // inputs, then outputs
  std::function<void(const std::vector<void*>& arguments)> body;
};

using Nodes = std::vector<Node>;

}  // namespace loci::faulty
