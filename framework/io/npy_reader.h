// Reading one npy array, from wherever its bytes come.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace io {

// The bytes of an array, in order.
class NpySource {
 public:
  virtual ~NpySource() = default;
  // For messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  // All of them, also those that have been read.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // The next ones; not more than there are. `field` is what they are, for the message.
  virtual void read(void* into, std::uint64_t bytes, const char* field) = 0;
};

// Throws Error(kDataLoss) with the source's name, the field and the reason, and what the source
// throws. No memory is asked for that the source does not fill.
[[nodiscard]] Tensor read_npy(NpySource& source);

}  // namespace io
}  // namespace v0
}  // namespace loci
