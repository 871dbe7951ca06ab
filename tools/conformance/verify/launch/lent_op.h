// Descriptions of operators that a plugin can read only while they are lent to it.
#pragma once

#include <loci/abi/kernels.h>

#include <cstddef>

namespace loci::verify {

// A copy of a description, with all that it points to, in pages of its own. When it goes out of
// scope they become unreadable, and stay so until a few hundred thousand others were lent: whoever
// kept a pointer faults. Thread-safe.
class LentOp {
 public:
  explicit LentOp(const loci_op_desc& op);
  ~LentOp();
  LentOp(const LentOp&) = delete;
  LentOp& operator=(const LentOp&) = delete;
  [[nodiscard]] const loci_op_desc* get() const { return op_; }

 private:
  std::byte* pages_ = nullptr;
  std::size_t bytes_ = 0;
  const loci_op_desc* op_ = nullptr;
};

// Returns true if the address is in a description, lent or taken back. Safe in a signal handler.
bool is_lent(const void* address) noexcept;

}  // namespace loci::verify
