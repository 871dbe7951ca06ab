// The images that the plugin carries, in the interpreter itself.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "plugins/cuda/kernels/launch/block_threads.h"
#include "tests/support/paths.h"
#include "tests/tools/cuda_double/ptx/rig.h"
#include "tools/cuda_double/driver/fat_binary.h"

namespace loci::cuda {

class ImageTest : public ::testing::Test {
 protected:
  void load(const std::string& image) {
    std::ifstream file(test::build_path("plugins/cuda/" + image + ".fatbin"), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_TRUE(cuda_double::is_fat_binary(bytes.data())) << image;
    rig.load(cuda_double::ptx_of_fat_binary(bytes.data()));
  }

  // Blocks for so many threads.
  template <class... Values>
  cuda_double::Counters launch(const std::string& name, std::int64_t threads,
                               const Values&... values) {
    const auto blocks = static_cast<unsigned>((threads + kBlockThreads - 1) / kBlockThreads);
    return rig.launch(name, {blocks}, {kBlockThreads}, values...);
  }

  cuda_double::Rig rig;
};

}  // namespace loci::cuda
