// A peer's session of a program with dynamic dimensions.
#pragma once

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/bench/live_peer.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {

// Where a program is saved for the peer, which then knows none of its sizes.
class DynamicPeer {
 public:
  // `save` writes the program to a directory. Without a peer is_there() is false.
  DynamicPeer(LivePeer* peer, const std::function<void(const std::string&)>& save);

  [[nodiscard]] bool is_there() const { return !name_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }

  struct Times {
    double first_us = 0;
    double steady_us = 0;  // the median of `runs` more
    Tensor result;
  };
  Times time_size(const Tensor& x, int runs);

  struct Growth {
    double mib = 0;  // of resident memory since the first `before` sizes
    double us = 0;   // the mean time of a run
  };
  Growth run_sizes(const std::vector<Shape>& sizes, int before);

 private:
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
  std::string name_;
};

}  // namespace loci::bench
