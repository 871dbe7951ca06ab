// Private pools in memory that is watched.
#include "framework/memory/private_pool.h"

#include <array>
#include <memory>
#include <set>
#include <vector>

#include "framework/tensor/tensor_impl.h"
#include "tests/plugins/sim/sim_program.h"

namespace loci::memory {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kBytes = std::uint64_t{1} << 20;

class SimPrivatePoolTest : public test::SimProgramTest {
 protected:
  void write(void* target, std::uint8_t value) {
    std::array<std::uint8_t, 16> bytes{};
    bytes.fill(value);
    device_.copy(LOCI_END_HOST, bytes.data(), LOCI_END_DEVICE, target, bytes.size(),
                 device_.default_stream(), /*correlation=*/0);
  }

  device::Device& device_ = device_at("sim:4");
};

TEST_F(SimPrivatePoolTest, ItsMemoryIsGoneWithIt) {
  auto pool = std::make_unique<PrivatePool>(device_);
  Buffer buffer = pool->allocate(kBytes, nullptr, "captured");
  void* pointer = buffer.data();
  EXPECT_NO_THROW(write(pointer, 1));
  device_.synchronize();
  buffer.reset();
  EXPECT_NO_THROW(write(pointer, 2)) << "the pool still has it";
  pool.reset();
  EXPECT_THAT([&] { write(pointer, 3); }, ThrowsMessage<Error>(HasSubstr("is not allocated")));
}

// Work that goes on meanwhile has memory of its own.
TEST_F(SimPrivatePoolTest, TensorsDoNotReuseIt) {
  PrivatePool pool(device_);
  Buffer buffer = pool.allocate(kBytes, nullptr, "captured");
  void* const captured = buffer.data();
  buffer.reset();
  std::set<const void*> others;
  std::vector<Tensor> tensors;
  for (int i = 0; i < 8; ++i) {
    tensors.push_back(ones({kBytes / 4}, kFloat32, "sim:4") + 1.0);
    others.insert(tensors.back().impl()->data());
  }
  EXPECT_EQ(others.count(captured), 0U);
  EXPECT_EQ(pool.allocate(kBytes, nullptr, "captured again").data(), captured);
  synchronize("sim:4");
}

}  // namespace
}  // namespace loci::memory
