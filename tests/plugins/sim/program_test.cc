// Programs on the software accelerator: results, and what was copied for them.
#include <map>

#include "tests/plugins/sim/sim_program.h"

#include "framework/transfer/transfer.h"

namespace loci {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Integers = std::vector<std::int64_t>;

class SimRunTest : public test::SimProgramTest {};

// fill_constant -> shape -> slice -> crop_tensor.
TEST_F(SimRunTest, CropsToTheShapeOfAnother) {
  const Variable data1 = fill_constant({1, 3, 8, 8}, 0.5);
  const Variable data2 = fill_constant({1, 3, 5, 5}, 0.5);
  const Variable extents = slice(shape(data2), Integers{0}, Integers{0}, Integers{4});
  const Variable out = crop_tensor(data1, extents);
  for (const CompileOptions& options : {CompileOptions::none(), CompileOptions()}) {
    Executor executor("sim:0", options, scope_);
    for (int i = 0; i < 3; ++i) {
      const Tensor result = executor.run(main_, {}, {out}).front();
      EXPECT_EQ(result.shape(), (Shape{1, 3, 5, 5}));
      EXPECT_THAT(result.to_vector<float>(), Each(0.5F));
    }
  }
}

TEST_F(SimRunTest, TheLedgerHasWhatTheDeviceCopied) {
  const Variable x = data("x", {-1, 4}, kFloat32);
  Variable y;
  {
    const DeviceGuard on_cpu("cpu");
    y = scale(x, 2.0);
  }
  Variable z;
  {
    const DeviceGuard on_second("sim:1");
    z = relu(elementwise_add(y, x));
  }
  const Variable out = elementwise_mul(z, x);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const auto copied = [] {
    const sim::Counters& first = counters("sim:0");
    const sim::Counters& second = counters("sim:1");
    return std::map<std::string, std::uint64_t>{{"h2d", first.h2d_bytes + second.h2d_bytes},
                                                {"d2h", first.d2h_bytes + second.d2h_bytes},
                                                {"peer", first.peer_bytes + second.peer_bytes}};
  };
  const auto before = copied();
  transfer::clear_rows();
  const Tensor fed = Tensor::from<float>({1, -2, 3, -4}, {1, 4});
  const Tensor result = executor.run(main_, {{"x", fed}}, {out}).front();
  EXPECT_THAT(result.to_vector<float>(), ElementsAre(3, 0, 27, 0));
  std::map<std::string, std::uint64_t> rows = {{"h2d", 0}, {"d2h", 0}, {"peer", 0}};
  for (const transfer::Row& row : transfer::rows()) {
    const char* route = row.from.is_host() ? "h2d" : row.to.is_host() ? "d2h" : "peer";
    rows[route] += row.bytes;
  }
  EXPECT_EQ(rows["h2d"], 48U) << "x to both devices, y to the second";
  EXPECT_EQ(rows["d2h"], 16U);
  EXPECT_EQ(rows["peer"], 16U);
  for (const auto& [route, bytes] : copied())
    EXPECT_EQ(bytes - before.at(route), rows[route]) << route;
}

TEST_F(SimRunTest, TensorsGoThereAndBack) {
  const Tensor host = Tensor::from<float>({1, 2, 3}, {3});
  const Tensor first = host.to("sim:0");
  const Tensor second = first.to("sim:1");
  EXPECT_EQ(second.place().to_string(), "sim:1");
  EXPECT_THAT(second.to("cpu").to_vector<float>(), ElementsAre(1, 2, 3));
  first.copy_(Tensor::from<float>({4, 5, 6}, {3}));
  EXPECT_THAT(first.to_vector<float>(), ElementsAre(4, 5, 6));
}

TEST_F(SimRunTest, FeedsOnTheDeviceAreUsedThere) {
  const Variable x = data("x", {3}, kFloat32);
  const Variable out = scale(x, 3.0);
  Executor executor("sim:0", CompileOptions::none(), scope_);
  const Tensor there = Tensor::from<float>({1, 2, 3}, {3}).to("sim:0");
  (void)there.raw_data();  // waits for the copy
  const std::uint64_t before = counters("sim:0").h2d_bytes;
  EXPECT_THAT(executor.run(main_, {{"x", there}}, {out}).front().to_vector<float>(),
              ElementsAre(3, 6, 9));
  EXPECT_EQ(counters("sim:0").h2d_bytes, before);
}

}  // namespace
}  // namespace loci
