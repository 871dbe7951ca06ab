// The memory that a run may change, as ranges that can be asked about.
#pragma once

#include <cstdint>
#include <vector>

namespace loci::execution {

// Ranges of addresses, which may overlap. To ask takes the logarithm of their number.
class BoundMemory {
 public:
  void clear() { ranges_.clear(); }
  // Before it is asked, sort() has to be called.
  void add(const void* data, std::uint64_t bytes);
  void sort();
  // Returns true if one of the bytes lies in one of them.
  [[nodiscard]] bool meets(const void* data, std::uint64_t bytes) const;

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;  // once sorted: the largest of this one and those before
  };
  std::vector<Range> ranges_;  // by begin, once sorted
};

}  // namespace loci::execution
