// One piece of work, as a stream or a node of a graph has it.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "tools/cuda_double/driver/task.h"
#include "tools/cuda_double/ptx/dim3.h"

namespace loci::cuda_double {

class Context;
class Driver;
class Event;
class Graph;
class LoadedFunction;
struct GraphMemory;

struct KernelOperation {
  std::shared_ptr<LoadedFunction> function;
  Dim3 grid;
  Dim3 block;
  std::uint32_t dynamic_shared = 0;
  std::vector<std::byte> parameters;  // as the function lays them out
  bool cooperative = false;
  // May begin before the kernel before it has ended, and has no instruction that waits for that.
  bool overlaps = false;
};

// Rows of slices. What is one piece has one row.
struct CopyOperation {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::size_t width = 0;  // bytes
  std::size_t height = 1;
  std::size_t depth = 1;
  std::size_t from_pitch = 0;
  std::size_t to_pitch = 0;
  std::size_t from_slice = 0;  // bytes from slice to slice
  std::size_t to_slice = 0;
  // A copy of pageable memory that was taken when the call was made; `from` points into it.
  std::shared_ptr<const std::vector<std::byte>> staged;

  [[nodiscard]] std::uint64_t from_bytes() const;  // from the first byte to the end of the last
  [[nodiscard]] std::uint64_t to_bytes() const;
};

struct FillOperation {
  std::uint64_t address = 0;
  std::uint32_t value = 0;
  std::uint32_t element = 1;  // bytes: 1, 2 or 4
  std::size_t width = 0;      // elements
  std::size_t height = 1;
  std::size_t pitch = 0;  // bytes

  [[nodiscard]] std::uint64_t bytes() const;
};

struct HostOperation {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct RecordOperation {
  std::shared_ptr<Event> event;
};
struct WaitOperation {
  std::shared_ptr<Event> event;
};
struct EmptyOperation {};
struct ChildOperation {
  std::shared_ptr<Graph> graph;
};

// The value that a kernel or a default gives.
struct Condition {
  CUgraphConditionalHandle handle = 0;
  unsigned default_value = 0;
  bool assigns_default = false;
  unsigned value = 0;
};
struct ConditionalOperation {
  std::shared_ptr<Condition> condition;
  CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
  std::vector<std::shared_ptr<Graph>> bodies;
  // cuGraphAddNode() hands out these handles, one for each body.
  std::vector<CUgraph> handles;
};
struct AllocationOperation {
  std::shared_ptr<GraphMemory> memory;
};
struct ReleaseOperation {
  std::shared_ptr<GraphMemory> memory;
};

using Operation = std::variant<EmptyOperation, KernelOperation, CopyOperation, FillOperation,
                               HostOperation, RecordOperation, WaitOperation, ChildOperation,
                               ConditionalOperation, AllocationOperation, ReleaseOperation>;

// Runs a kernel, a copy, a fill or a function of the host, on a thread of the scheduler. Throws
// what went wrong.
void execute(const Operation& operation, const Task& task, Driver& driver);
// A fill is work of one device, which has to reach the memory as a kernel does. Why it does not,
// for messages; empty if it does. From any thread.
[[nodiscard]] std::string missing_access(const Driver& driver, const Context& context,
                                         const FillOperation& fill);
// Returns true if it is anything that execute() runs; the others are marks in the order of work.
[[nodiscard]] bool has_work(const Operation& operation);

}  // namespace loci::cuda_double
