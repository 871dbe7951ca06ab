// Work of a stream, as it is enqueued or recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/tools/conformance/faulty_plugin/source.h"

namespace loci::faulty {

struct Node;
using Nodes = std::vector<Node>;

// A loop or a branch; `bodies` are one or two.
struct Control {
  bool is_loop = false;
  const void* condition = nullptr;
  std::vector<Nodes> bodies;
};

struct Node {
  Work work;
  std::string name;
  std::uint64_t item = 0;
  std::vector<void*> arguments;  // inputs, then outputs
  std::function<void(const std::vector<void*>& arguments)> body;
  std::shared_ptr<const Control> control = nullptr;  // in place of `body`
};

}  // namespace loci::faulty
