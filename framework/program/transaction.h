// All or nothing for a change of several steps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/program/program_impl.h"

namespace loci::program {

// Takes back the operators and variables that were added to the main block while it lived, unless
// commit() was called. Nothing that was there before may be changed meanwhile. Nests.
class Transaction {
 public:
  explicit Transaction(ProgramImpl& program);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit() { committed_ = true; }

 private:
  ProgramImpl* program_;
  std::size_t vars_;
  std::size_t ops_;
  std::int64_t random_offset_;
  bool committed_ = false;
};

}  // namespace loci::program
