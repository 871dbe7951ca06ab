// Attributes of functions, and occupancy.
#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Function = DriverTest;

int value_of(const char* name, CUfunction_attribute which) {
  int value = -1;
  must(cu().cuFuncGetAttribute(&value, which, kernel(name)));
  return value;
}

TEST_F(Function, Attributes) {
  expect_value("threads of a plain one", value_of("store", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
               1024);
  expect_value("threads of .maxntid 128",
               value_of("bounded", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
  record("threads of .reqntid 64", value_of("exact", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  expect_value("static shared memory",
               value_of("static_shared", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 4096);
  record("static shared memory of none", value_of("store", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  record("constant memory", value_of("read_constant", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  expect_value("local memory", value_of("store", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES), 0);
  EXPECT_GT(value_of("store", CU_FUNC_ATTRIBUTE_NUM_REGS), 0);
  record("ptx version", value_of("store", CU_FUNC_ATTRIBUTE_PTX_VERSION));
  record("binary version", value_of("store", CU_FUNC_ATTRIBUTE_BINARY_VERSION));
  record("dynamic shared memory",
         value_of("store", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  record("carveout", value_of("store", CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT));
  int value = 0;
  expect("unknown",
         cu().cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(99), kernel("store")),
         CUDA_ERROR_INVALID_VALUE);
  record("null", cu().cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
}

TEST_F(Function, AttributesThatCanBeSet) {
  const CUfunction function = kernel("dynamic_shared");
  const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  expect("dynamic shared memory",
         cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most),
         CUDA_SUCCESS);
  expect_value("is set",
               value_of("dynamic_shared", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES), most);
  expect(
      "more than the device has",
      cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most + 1),
      CUDA_ERROR_INVALID_VALUE);
  expect("negative",
         cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -5),
         CUDA_ERROR_INVALID_VALUE);
  expect("carveout",
         cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50),
         CUDA_SUCCESS);
  expect("carveout beyond 100",
         cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
         CUDA_ERROR_INVALID_VALUE);
  expect("one that is read only", cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS, 3),
         CUDA_ERROR_INVALID_VALUE);
  expect("cache preference", cu().cuFuncSetCacheConfig(function, CU_FUNC_CACHE_PREFER_L1),
         CUDA_SUCCESS);
  record("static and dynamic together",
         cu().cuFuncSetAttribute(kernel("static_shared"),
                                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
  must(
      cu().cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 48 << 10));
}

TEST_F(Function, Parameters) {
  std::size_t offset = 99;
  std::size_t size = 99;
  expect("0", cu().cuFuncGetParamInfo(kernel("pair"), 0, &offset, &size), CUDA_SUCCESS);
  expect_value("offset of 0", offset, 0);
  expect_value("size of 0", size, 8);
  expect("1", cu().cuFuncGetParamInfo(kernel("pair"), 1, &offset, &size), CUDA_SUCCESS);
  expect_value("offset of 1", offset, 8);
  expect_value("size of 1", size, 16);
  expect("2", cu().cuFuncGetParamInfo(kernel("pair"), 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
  expect("without size", cu().cuFuncGetParamInfo(kernel("pair"), 1, &offset, nullptr),
         CUDA_SUCCESS);
  expect("of none", cu().cuFuncGetParamInfo(kernel("empty"), 0, &offset, &size),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Function, Loading) {
  CUfunctionLoadingState state{};
  expect("cuFuncIsLoaded", cu().cuFuncIsLoaded(&state, kernel("exact")), CUDA_SUCCESS);
  record("before", static_cast<int>(state));
  expect("cuFuncLoad", cu().cuFuncLoad(kernel("exact")), CUDA_SUCCESS);
  must(cu().cuFuncIsLoaded(&state, kernel("exact")));
  expect_value("after", static_cast<int>(state),
               static_cast<int>(CU_FUNCTION_LOADING_STATE_LOADED));
}

TEST_F(Function, Occupancy) {
  int blocks = -1;
  const int threads = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  const int most = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  expect("256 threads",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 256, 0),
         CUDA_SUCCESS);
  expect_value("blocks of 256", blocks, std::min(most, threads / 256));
  must(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 32, 0));
  expect_value("blocks of 32", blocks, std::min(most, threads / 32));
  must(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 1024, 0));
  expect_value("blocks of 1024", blocks, threads / 1024);
  must(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 64, 40 << 10));
  record("blocks with 40 KiB each", blocks);
  must(cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("static_shared"), 64, 0));
  record("blocks with 4 KiB static each", blocks);
  record("too many threads",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 2000, 0));
  record("blocks of too many threads", blocks);
  record("no threads",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 0, 0));
  record("more than .maxntid",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("bounded"), 256, 0));
  record("its blocks", blocks);
  record("too much shared memory",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("empty"), 64, 1 << 20));
  record("blocks with too much", blocks);
  expect("with flags",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
             &blocks, kernel("empty"), 256, 0, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE),
         CUDA_SUCCESS);
  expect("with unknown flags",
         cu().cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel("empty"), 256, 0,
                                                                   0x10),
         CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Function, BestBlockSize) {
  int grid = 0;
  int block = 0;
  expect("empty",
         cu().cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel("empty"), nullptr, 0, 0),
         CUDA_SUCCESS);
  record("block", block);
  record("blocks a multiprocessor", grid / attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  must(cu().cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel("empty"), nullptr, 0, 96));
  record("block of at most 96", block);
  must(cu().cuOccupancyMaxPotentialBlockSize(&grid, &block, kernel("bounded"), nullptr, 0, 0));
  record("block of .maxntid 128", block);
  std::size_t bytes = 0;
  expect("dynamic shared memory left",
         cu().cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel("empty"), 1, 64),
         CUDA_SUCCESS);
  record("bytes left for one block", bytes);
  must(cu().cuOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel("empty"), 4, 64));
  record("bytes left for four blocks", bytes);
}

}  // namespace
}  // namespace loci::cuda_rules
