// Random programs over matrices, with their operators spread over devices.
#pragma once

#include <cstdint>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace loci::test {

// One seed gives the same operators, whether they are under guards or not.
class RandomProgram {
 public:
  // Operators go under the guards of `places` at random; under none if there are none. Shapes are
  // read where that takes them, or all on the host.
  RandomProgram(std::uint64_t seed, const std::vector<std::string>& places,
                bool shapes_on_host = false);

  // Runs startup and then main three times with other feeds; returns the bytes of all that was
  // fetched, and of the state at the end.
  [[nodiscard]] std::vector<std::vector<char>> run(const Place& place,
                                                   const CompileOptions& options) const;
  // Runs likewise with ops on tensors instead of an executor for main.
  [[nodiscard]] std::vector<std::vector<char>> run_imperatively(const Place& place) const;
  // Runs likewise with the program that a trace of those ops gives; through files if `saves`.
  [[nodiscard]] std::vector<std::vector<char>> run_traced(const Place& place,
                                                          const CompileOptions& options,
                                                          bool saves) const;
  // Returns true if that plans for more than the default stream of each device.
  [[nodiscard]] bool uses_streams(const Place& place, const CompileOptions& options) const;

 private:
  [[nodiscard]] Feed feed_of(std::uint64_t step) const;
  [[nodiscard]] std::vector<std::string> fetch_names() const;
  [[nodiscard]] Scope initialised(const Place& place) const;
  void add_operator();
  void add_product(const Variable& x);
  void add_rearrangement(const Variable& x);
  void add_host_read(const Variable& x);
  void train();
  Variable same_shape_as(const Variable& x);
  Variable parameter(const Shape& shape);

  fuzz::Dice dice_;
  fuzz::Dice place_dice_;
  std::uint64_t seed_;
  std::vector<std::string> places_;
  bool shapes_on_host_;
  Program main_;
  Program startup_;
  std::vector<Variable> values_;  // float32, rank 2
  std::vector<Variable> fetched_;
};

}  // namespace loci::test
