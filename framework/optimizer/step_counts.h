// How often each parameter of an optimizer was updated, imperatively.
#pragma once

#include <cstdint>
#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <vector>

namespace loci {
inline namespace v0 {
namespace optimizer {

// The counts of parameters that were first updated together, at their place: one op advances all of
// them. A parameter that is left out of a step, or joins later, has its own count all the same.
class CountList {
 public:
  // `size` counts, from 0.
  CountList(const Place& place, std::int64_t size);

  // int64 [size]; the same tensor as long as the list is there.
  [[nodiscard]] const Tensor& counts() const { return counts_; }
  // Waits for the work that counts.
  [[nodiscard]] std::vector<std::int64_t> values() const;
  void set(const std::vector<std::int64_t>& values) const;

  // Counts `at` is to be advanced. Those that follow one another are advanced together, by the next
  // call that does not follow, or by flush().
  void advance(std::int64_t at);
  void flush();

 private:
  Place place_;
  Tensor counts_;
  std::int64_t first_ = 0;  // to be advanced, `pending_` of them
  std::int64_t pending_ = 0;
};

// That of one parameter; no list before its first update.
struct StepCount {
  std::shared_ptr<CountList> list;
  std::int64_t at = 0;
};

}  // namespace optimizer
}  // namespace v0
}  // namespace loci
