#include "plugins/sim/serial_host.h"

#include <cstdint>
#include <thread>

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

TEST(SerialHostTest, LoopsRunWholeOnTheCallingThread) {
  testing::TestHost test_host;
  const sdk::Host host(serial_host(test_host.api()));
  EXPECT_EQ(host.parallel_width(), 1U);
  int calls = 0;
  host.parallel_for(0, 1000000, 1, [&](std::int64_t begin, std::int64_t end, std::uint32_t worker) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000000);
    EXPECT_EQ(worker, 0U);
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(test_host.parallel_loops(), 0);
}

TEST(SerialHostTest, TheRestIsTheHosts) {
  testing::TestHost test_host;
  const loci_host_api serial = serial_host(test_host.api());
  EXPECT_EQ(serial.host, test_host.api().host);
  EXPECT_EQ(serial.now_ns, test_host.api().now_ns);
}

TEST(SerialHostTest, AnOlderHostHasNoMoreThanItHad) {
  testing::TestHost test_host;
  loci_host_api older = test_host.api();
  older.struct_size = offsetof(loci_host_api, get_interface);
  EXPECT_EQ(serial_host(older).get_interface, nullptr);
}

}  // namespace
}  // namespace loci::sim
