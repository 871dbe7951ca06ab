// A layout of the plugin's own: the elements of a float32 tensor in reverse, and one more behind
// them, which is what each has been raised by.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>

namespace loci::faulty {

// For so many elements; interns it.
std::uint32_t reversed_layout(const sdk::Host& host, std::int64_t count);

// Where the elements of a float32 value lie, plain or reversed. Plain data.
class Elements {
 public:
  Elements(std::int64_t count, bool is_reversed) : count_(count), is_reversed_(is_reversed) {}
  // Takes the elements as the argument comes.
  Elements(const sdk::Host& host, sdk::Arg arg);

  [[nodiscard]] bool is_reversed() const { return is_reversed_; }
  [[nodiscard]] float get(const float* data, std::int64_t i) const;
  void set(float* data, std::int64_t i, float value) const;
  // Writes what else a writer leaves behind the elements.
  void finish(float* data) const;

 private:
  std::int64_t count_;
  bool is_reversed_;
};

// Packs a constant.
void reverse(const sdk::RelayoutCall& call);

}  // namespace loci::faulty
