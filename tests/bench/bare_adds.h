// The bare kernel that overheads are measured over: a table of function pointers with prepared
// arguments, one add of one element each.
#pragma once

#include <cstddef>
#include <vector>

namespace loci::bench {

class BareAdds {
 public:
  explicit BareAdds(int operators) : values_(static_cast<std::size_t>(operators) + 1, 1.0F) {
    for (int i = 0; i < operators; ++i) {
      const auto at = static_cast<std::size_t>(i);
      calls_.push_back({&add, &values_[at], &y_, &values_[at + 1]});
    }
  }
  BareAdds(const BareAdds&) = delete;
  BareAdds& operator=(const BareAdds&) = delete;

  void run() {
    for (const Call& call : calls_) call.fn(call);
  }

 private:
  struct Call {
    void (*fn)(const Call&);
    const float* x;
    const float* y;
    float* out;
  };
  static void add(const Call& call) { *call.out = *call.x + *call.y; }

  std::vector<float> values_;
  float y_ = 1.0F;
  std::vector<Call> calls_;
};

}  // namespace loci::bench
