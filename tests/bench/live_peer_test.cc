#include "tests/bench/live_peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// With another program in the place of the peers' Python.
class LivePeerTest : public ::testing::Test {
 protected:
  void be_python(const std::string& script) {
    scratch_.write("python", "#!/bin/sh\n" + script);
    std::filesystem::permissions(scratch_.path("python"), std::filesystem::perms::owner_all);
    scratch_.write("peer.py", "");
    ::setenv("LOCI_PEERS_PYTHON", scratch_.path("python").c_str(), 1);
    ::setenv("LOCI_PEERS_SCRIPTS", scratch_.path(".").c_str(), 1);
  }
  ~LivePeerTest() override {
    ::unsetenv("LOCI_PEERS_PYTHON");
    ::unsetenv("LOCI_PEERS_SCRIPTS");
  }

  test::ScratchDirectory scratch_;
};

TEST_F(LivePeerTest, AnswersLineByLine) {
  be_python("echo '{\"ready\": true}'; while read line; do echo \"[$line]\"; done");
  LivePeer peer("peer.py");
  ASSERT_TRUE(peer.is_up()) << peer.why();
  EXPECT_EQ(peer.ask({{"time", 1}}).dump(), R"([{"time":1}])");
}

TEST_F(LivePeerTest, OneThatLacksPackagesIsAbsent) {
  be_python("echo 'No module named numpy' >&2; exit 1");
  const LivePeer peer("peer.py");
  EXPECT_FALSE(peer.is_up());
  EXPECT_THAT(peer.why(), AllOf(HasSubstr("lacks what peers need"), HasSubstr("tools/setup")));
}

TEST_F(LivePeerTest, OneThatEndsLaterIsAnError) {
  be_python("echo '{\"ready\": true}'; read line");
  LivePeer peer("peer.py");
  EXPECT_THROW((void)peer.ask({{"time", 1}}), std::runtime_error);
}

}  // namespace
}  // namespace loci::bench
