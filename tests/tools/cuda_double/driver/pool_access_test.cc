// Another device may do with memory of a pool what the pool says, whatever is enabled between the
// contexts.
#include "double_fixture.h"
#include "kernels.h"

namespace loci::cuda_rules {
namespace {

class PoolAccessFresh : public DoubleFresh {
 protected:
  void SetUp() override {
    DoubleFresh::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    start("devices=2");
    must(cu().cuCtxGetCurrent(&first_));
    must(cu().cuDevicePrimaryCtxRetain(&second_, 1));
    must(cu().cuDeviceGetDefaultMemPool(&pool_, 1));
  }

  // A written word of device 1, from its pool. The context of device 0 is current again.
  CUdeviceptr word_of_second() const {
    must(cu().cuCtxSetCurrent(second_));
    CUdeviceptr address = 0;
    must(cu().cuMemAllocAsync(&address, 4, nullptr));
    must(cu().cuMemsetD32(address, 7, 1));
    must(cu().cuCtxSynchronize());
    must(cu().cuCtxSetCurrent(first_));
    return address;
  }
  static CUmemAccessDesc access(int device, CUmemAccess_flags flags) {
    return {{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
  }
  CUresult set(int device, CUmemAccess_flags flags) const {
    const CUmemAccessDesc described = access(device, flags);
    return cu().cuMemPoolSetAccess(pool_, &described, 1);
  }
  CUmemAccess_flags get(int device) const {
    CUmemAccess_flags flags{};
    CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE, device};
    must(cu().cuMemPoolGetAccess(&flags, pool_, &location));
    return flags;
  }
  // Stores by a kernel of device 0.
  static CUresult kernel_stores(CUdeviceptr address) {
    must(launch_store(nullptr, address, 9));
    return cu().cuCtxSynchronize();
  }
  std::uint32_t word(CUdeviceptr address) const {
    std::uint32_t value = 0;
    must(cu().cuMemcpyDtoH(&value, address, sizeof value));
    return value;
  }

  CUcontext first_ = nullptr;
  CUcontext second_ = nullptr;
  CUmemoryPool pool_ = nullptr;
};

TEST_F(PoolAccessFresh, OfTheOwnerIsAllAndOfOthersNone) {
  EXPECT_EQ(get(1), CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  EXPECT_EQ(get(0), CU_MEM_ACCESS_FLAGS_PROT_NONE);
  for (const auto flags : {CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_ACCESS_FLAGS_PROT_READ,
                           CU_MEM_ACCESS_FLAGS_PROT_NONE}) {
    EXPECT_EQ(set(0, flags), CUDA_SUCCESS);
    EXPECT_EQ(get(0), flags);
  }
}

TEST_F(PoolAccessFresh, WithoutItAKernelFailsAndTheCallThatGivesItIsNamed) {
  const CUdeviceptr there = word_of_second();
  EXPECT_EQ(kernel_stores(there), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_NE(finding(0).find("of device 1 from device 0, without access to its pool "
                            "(cuMemPoolSetAccess): byte 0 of allocation"),
            std::string::npos)
      << finding(0);
  EXPECT_NE(finding(0).find("(4 bytes, memory of a pool of device 1, made by cuMemAllocAsync #1"),
            std::string::npos)
      << finding(0);
}

TEST_F(PoolAccessFresh, PeerAccessOfContextsChangesNothing) {
  const CUdeviceptr there = word_of_second();
  must(cu().cuCtxEnablePeerAccess(second_, 0));
  EXPECT_EQ(kernel_stores(there), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PoolAccessFresh, IsOfMemoryThatIsThereAlready) {
  const CUdeviceptr there = word_of_second();
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT_EQ(kernel_stores(there), CUDA_SUCCESS);
  EXPECT_EQ(word(there), 9u);
  EXPECT_EQ(finding_count(), 0u) << finding(0);
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  EXPECT_EQ(kernel_stores(there), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PoolAccessFresh, IsOfMemoryThatComesLaterAndOfWhatIsUsedAgain) {
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT_EQ(kernel_stores(word_of_second()), CUDA_SUCCESS);
  const CUdeviceptr freed = word_of_second();
  must(cu().cuCtxSetCurrent(second_));
  must(cu().cuMemFreeAsync(freed, nullptr));
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_NONE));
  const CUdeviceptr again = word_of_second();
  EXPECT_EQ(again, freed);
  EXPECT_EQ(kernel_stores(again), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PoolAccessFresh, ToReadIsNotToWrite) {
  const CUdeviceptr there = word_of_second();
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_READ));
  must(launch_spin(nullptr, there));  // reads 7 and ends
  EXPECT_EQ(cu().cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(kernel_stores(there), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(PoolAccessFresh, FillsNeedItToo) {
  const CUdeviceptr there = word_of_second();
  EXPECT_EQ(cu().cuMemsetD32(there, 1, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(finding_count(), 1u);
  EXPECT_EQ(finding(0).find("peer: cuMemsetD32_v2 #2 fills memory of device 1 from device 0, "
                            "without access to its pool (cuMemPoolSetAccess)"),
            0u)
      << finding(0);
  must(set(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
  EXPECT_EQ(cu().cuMemsetD32(there, 1, 1), CUDA_SUCCESS);
}

TEST_F(PoolAccessFresh, WrongOnesAreRefusedAndChangeNothing) {
  EXPECT_EQ(set(1, CU_MEM_ACCESS_FLAGS_PROT_READWRITE), CUDA_SUCCESS);
  EXPECT_EQ(set(1, CU_MEM_ACCESS_FLAGS_PROT_NONE), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(set(2, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(set(0, static_cast<CUmemAccess_flags>(2)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu().cuMemPoolSetAccess(pool_, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  const CUmemAccessDesc second_is_wrong[] = {access(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE),
                                             access(5, CU_MEM_ACCESS_FLAGS_PROT_READWRITE)};
  EXPECT_EQ(cu().cuMemPoolSetAccess(pool_, second_is_wrong, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(get(0), CU_MEM_ACCESS_FLAGS_PROT_NONE);
  CUmemAccess_flags flags{};
  CUmemLocation location{CU_MEM_LOCATION_TYPE_HOST, 0};
  EXPECT_EQ(cu().cuMemPoolGetAccess(&flags, pool_, &location), CUDA_ERROR_INVALID_VALUE);
  location = {CU_MEM_LOCATION_TYPE_DEVICE, 7};
  EXPECT_EQ(cu().cuMemPoolGetAccess(&flags, pool_, &location), CUDA_ERROR_INVALID_DEVICE);
}

// An allocation node says itself who may use its memory.
TEST_F(PoolAccessFresh, OfAGraphsMemoryIsWhatItsNodeSays) {
  CUgraph graph = nullptr;
  must(cu().cuGraphCreate(&graph, 0));
  const CUmemAccessDesc described = access(0, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  const auto allocate = [&](std::size_t count) {
    CUgraphNodeParams parameters{};
    parameters.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
    parameters.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.alloc.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
    parameters.alloc.bytesize = 4;
    parameters.alloc.accessDescs = &described;
    parameters.alloc.accessDescCount = count;
    CUgraphNode node = nullptr;
    must(cu().cuGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    return parameters.alloc.dptr;
  };
  const CUdeviceptr open = allocate(1);
  const CUdeviceptr closed = allocate(0);
  CUgraphExec exec = nullptr;
  must(cu().cuGraphInstantiate(&exec, graph, 0));
  must(cu().cuGraphLaunch(exec, nullptr));
  EXPECT_EQ(kernel_stores(open), CUDA_SUCCESS);
  EXPECT_EQ(kernel_stores(closed), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
}  // namespace loci::cuda_rules
