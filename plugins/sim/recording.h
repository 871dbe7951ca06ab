// A stream's recording of a graph, from its begin to its end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "plugins/sim/graph.h"
#include "plugins/sim/graph_order.h"

namespace loci::sim {

// Used with the lock of its stream.
class Recording {
 public:
  void annotate(std::string_view op, std::uint64_t item) {
    op_ = op;
    item_ = item;
    order_.begin(item);
  }
  // Does as GraphOrder::depend().
  void depend(const std::uint64_t* items, std::uint64_t count) { order_.depend(items, count); }
  // A kernel is called by its op's name, a copy says itself what it is.
  void add(std::unique_ptr<Work> work, const std::vector<Access>& accesses);
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT); the first reason is the one that end() tells.
  [[noreturn]] void refuse(std::string_view what);

  [[nodiscard]] bool is_valid() const { return reason_.empty(); }
  [[nodiscard]] bool is_of_this_thread() const { return thread_ == std::this_thread::get_id(); }
  // Throws Error(LOCI_CODE_FAILED) if something was refused.
  [[nodiscard]] GraphNodes finish();

 private:
  const std::thread::id thread_ = std::this_thread::get_id();
  GraphNodes nodes_;
  GraphOrder order_;
  std::string op_;
  std::uint64_t item_ = 0;
  std::string reason_;
};

}  // namespace loci::sim
