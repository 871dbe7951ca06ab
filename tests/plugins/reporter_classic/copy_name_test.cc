#include "plugins/reporter_classic/copy_name.h"

#include <gtest/gtest.h>

#include <loci/plugin/error.hpp>
#include <vector>

namespace loci::classic {
namespace {

class CopyNameTest : public ::testing::Test {
 protected:
  CopyNameTest() {
    add_device("cpu", false);
    add_device("sim:0", true);
    add_device("helper:0", false);  // a processor under another name
    profile_.devices = devices_.data();
    profile_.device_count = devices_.size();
  }

  std::string name(std::string_view source, std::string_view target, bool waited = false) {
    loci_profile_label label{};
    label.source = sdk::to_abi(source);
    label.target = sdk::to_abi(target);
    return copy_name(profile_, label, waited);
  }

  void add_device(std::string_view place, bool is_accelerator) {
    loci_profile_device device{};
    device.place = sdk::to_abi(place);
    device.is_accelerator = is_accelerator ? 1 : 0;
    devices_.push_back(device);
  }

  std::vector<loci_profile_device> devices_;
  loci_profile profile_{};
};

TEST_F(CopyNameTest, GoesByTheKindsOfItsEnds) {
  EXPECT_EQ(name("cpu", "sim:0"), "GpuMemcpyAsync:CPU->GPU");
  EXPECT_EQ(name("sim:0", "cpu"), "GpuMemcpyAsync:GPU->CPU");
  EXPECT_EQ(name("sim:0", "sim:0"), "GpuMemcpyAsync(same_gpu):GPU->GPU");
  EXPECT_EQ(name("sim:0", "sim:1"), "GpuMemcpyPeerAsync:GPU->GPU");
  EXPECT_EQ(name("sim:0", "cuda:0"), "GpuMemcpyPeerAsync:GPU->GPU");
}

TEST_F(CopyNameTest, IsSyncIfTheThreadWaited) {
  EXPECT_EQ(name("cpu", "sim:0", true), "GpuMemcpySync:CPU->GPU");
  EXPECT_EQ(name("sim:0", "sim:0", true), "GpuMemcpySync(same_gpu):GPU->GPU");
  EXPECT_EQ(name("sim:0", "sim:1", true), "GpuMemcpyPeerSync:GPU->GPU");
}

TEST_F(CopyNameTest, WithinTheHostThereIsNone) {
  EXPECT_EQ(name("cpu", "cpu"), "");
  EXPECT_EQ(name("cpu", "helper:0"), "");
  EXPECT_EQ(name("", ""), "");
}

TEST_F(CopyNameTest, ABareTypeIsItsFirstDevice) {
  EXPECT_EQ(name("sim", "sim:0"), "GpuMemcpyAsync(same_gpu):GPU->GPU");
  EXPECT_EQ(name("helper", "sim"), "GpuMemcpyAsync:CPU->GPU");
}

TEST_F(CopyNameTest, ADeviceThatTheProfileDoesNotNameIsAnAccelerator) {
  EXPECT_EQ(name("cpu", "opencl:0"), "GpuMemcpyAsync:CPU->GPU");
}

TEST_F(CopyNameTest, NamesPlacesOfMemory) {
  EXPECT_EQ(place_name(profile_, "cpu"), "CPUPlace");
  EXPECT_EQ(place_name(profile_, "cuda:1"), "CUDAPlace(1)");
  EXPECT_EQ(place_name(profile_, "sim:0"), "GPUPlace(0)");
}

}  // namespace
}  // namespace loci::classic
