#include "driver_test.h"

namespace loci::cuda_rules {
namespace {

using Fill = DriverTest;

TEST_F(Fill, WidthsOf816And32Bits) {
  DeviceMemory memory(64);
  expect("8", cu().cuMemsetD8(memory + 1, 0xab, 3), CUDA_SUCCESS);
  expect("16", cu().cuMemsetD16(memory + 8, 0x1234, 2), CUDA_SUCCESS);
  expect("32", cu().cuMemsetD32(memory + 16, 0xdeadbeef, 2), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  expect_value("bytes", memory.word(0), 0xabababU << 8);
  expect_value("halves", memory.word(2), 0x12341234U);
  expect_value("words", memory.word(5), 0xdeadbeefU);
  expect_value("behind", memory.word(6), 0U);
}

TEST_F(Fill, AlignmentAndBounds) {
  DeviceMemory memory(64);
  expect("16 at an odd address", cu().cuMemsetD16(memory + 1, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("32 at a half address", cu().cuMemsetD32(memory + 2, 1, 1), CUDA_ERROR_INVALID_VALUE);
  expect("beyond the end", cu().cuMemsetD32(memory, 1, 17), CUDA_ERROR_INVALID_VALUE);
  expect("of nothing", cu().cuMemsetD8(memory, 1, 0), CUDA_SUCCESS);
  expect("null", cu().cuMemsetD8(0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  int local = 0;
  record("host memory", cu().cuMemsetD8(reinterpret_cast<CUdeviceptr>(&local), 1, 4));
}

TEST_F(Fill, RowsWithOddPitches) {
  DeviceMemory memory(256);
  expect("8", cu().cuMemsetD2D8(memory, 7, 5, 3, 4), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  expect_value("last of the last row", memory.byte(3 * 7 + 2), 5);
  expect_value("behind a row", memory.byte(3), 0);
  expect("16", cu().cuMemsetD2D16(memory + 64, 6, 5, 3, 4), CUDA_SUCCESS);
  expect("16 with an odd pitch", cu().cuMemsetD2D16(memory + 64, 7, 5, 3, 4),
         CUDA_ERROR_INVALID_VALUE);
  expect("32 with an odd pitch", cu().cuMemsetD2D32(memory + 64, 10, 5, 2, 2),
         CUDA_ERROR_INVALID_VALUE);
  expect("32", cu().cuMemsetD2D32(memory + 64, 12, 0x01020304, 2, 3), CUDA_SUCCESS);
  must(cu().cuCtxSynchronize());
  expect_value("last word", memory.word(16 + 2 * 3 + 1), 0x01020304);
  record("pitch less than width", cu().cuMemsetD2D8(memory, 2, 5, 3, 4));
  record("pitch less than width in one row", cu().cuMemsetD2D8(memory, 0, 5, 3, 1));
  record("no rows", cu().cuMemsetD2D8(memory, 4, 5, 3, 0));
}

TEST_F(Fill, AsynchronousOnesReturn) {
  DeviceMemory memory(1 << 20);
  Stream stream;
  Gate gate;
  gate.close(stream);
  expect_text("8",
              blocks_until_open(gate, context(),
                                [&] {
                                  must(cu().cuMemsetD8Async(memory, 1, 1 << 20, stream));
                                  must(cu().cuMemsetD16Async(memory, 1, 1 << 10, stream));
                                  must(cu().cuMemsetD32Async(memory, 7, 1 << 10, stream));
                                  must(cu().cuMemsetD2D8Async(memory, 1 << 10, 1, 9, 9, stream));
                                  must(cu().cuMemsetD2D16Async(memory, 1 << 10, 1, 9, 9, stream));
                                  must(cu().cuMemsetD2D32Async(memory, 1 << 10, 1, 9, 9, stream));
                                }),
              "returns");
  stream.synchronize();
  expect_value("order is kept", memory.word(0), 1U);
}

TEST_F(Fill, PlainOnes) {
  DeviceMemory memory(4096);
  PinnedMemory pinned(4096);
  Stream blocking(CU_STREAM_DEFAULT);
  {
    Gate gate;
    gate.close(blocking);
    record("of the device behind a blocking stream",
           blocks_until_open(gate, context(), [&] { must(cu().cuMemsetD8(memory, 1, 4096)); }));
    blocking.synchronize();
  }
  Gate gate;
  gate.close(blocking);
  record("of pinned memory behind a blocking stream", blocks_until_open(gate, context(), [&] {
           must(cu().cuMemsetD8(pinned.address(), 1, 4096));
         }));
  blocking.synchronize();
}

}  // namespace
}  // namespace loci::cuda_rules
