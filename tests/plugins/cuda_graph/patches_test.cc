// Addresses of kernels and fills that are exchanged in executables, and which may not be. What the
// plugin of the device says of a launch the tests say in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/cuda/stream_recording.h"
#include "tests/plugins/cuda_graph/rig.h"

namespace loci::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// *to = *from + more
constexpr const char* kAddPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 from, .param .u32 more, .param .u64 to) {
  .reg .u64 %rd<5>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.u32 %r1, [more];
  cvt.u64.u32 %rd3, %r1;
  ld.global.u64 %rd4, [%rd1];
  add.u64 %rd4, %rd4, %rd3;
  st.global.u64 [%rd2], %rd4;
  ret;
}
)";

class CudaGraphPatchesTest : public ::testing::Test {
 protected:
  CudaGraphPatchesTest() {
    const auto push = driver_function<decltype(::cuCtxPushCurrent)>("cuCtxPushCurrent_v2");
    const auto load = driver_function<decltype(::cuModuleLoadData)>("cuModuleLoadData");
    const auto find = driver_function<decltype(::cuModuleGetFunction)>("cuModuleGetFunction");
    EXPECT_EQ(push(static_cast<CUcontext>(native("cuda.context", nullptr))), CUDA_SUCCESS);
    EXPECT_EQ(load(&module_, kAddPtx), CUDA_SUCCESS);
    EXPECT_EQ(find(&add_, module_, "add"), CUDA_SUCCESS);
    for (int i = 0; i < 4; ++i) rig_.set(i, 10 * (static_cast<std::uint64_t>(i) + 1));
  }
  ~CudaGraphPatchesTest() override {
    if (exec_ != nullptr) rig_.api().destroy_exec(exec_);
    if (graph_ != nullptr) rig_.api().destroy_graph(graph_);
    driver_function<decltype(::cuModuleUnload)>("cuModuleUnload")(module_);
    CUcontext popped = nullptr;
    driver_function<decltype(::cuCtxPopCurrent)>("cuCtxPopCurrent_v2")(&popped);
  }

  void* native(const std::string& name, loci_stream* stream) {
    void* handle = nullptr;
    rig_.check(rig_.device_api().native_handle(rig_.device(), stream, text_of(name), &handle));
    return handle;
  }
  [[nodiscard]] CUdeviceptr at(int number, std::uint64_t offset = 0) const {
    return reinterpret_cast<CUdeviceptr>(rig_.address(number)) + offset;
  }
  void enqueue(CUdeviceptr from, std::uint32_t more, CUdeviceptr to) {
    void* arguments[] = {&from, &more, &to};
    const auto launch = driver_function<decltype(::cuLaunchKernel)>("cuLaunchKernel");
    ASSERT_EQ(launch(add_, 1, 1, 1, 1, 1, 1, 0, rig_.driver_stream(), arguments, nullptr),
              CUDA_SUCCESS);
  }
  void fill(CUdeviceptr to) {
    const auto set = driver_function<decltype(::cuMemsetD8Async)>("cuMemsetD8Async");
    ASSERT_EQ(set(to, 0, 8, rig_.driver_stream()), CUDA_SUCCESS);
  }
  // One launch, of so many functions that are plain.
  void tell(std::vector<cuda::RecordedArgument> arguments, std::size_t plain) {
    auto* recording =
        static_cast<cuda::StreamRecording*>(native("cuda.stream.recording", rig_.stream()));
    recording->launches = {1, std::move(arguments), plain};
  }
  void begin(const std::string& op = "add", std::uint64_t item = 4) {
    rig_.begin();
    rig_.announce(op, item);
  }
  void end() {
    graph_ = rig_.end();
    exec_ = rig_.instantiate(graph_);
  }
  // From 0 to 1, and 100 more.
  void record_add() {
    begin();
    enqueue(at(0), 100, at(1));
    tell({{at(0), 8}, {at(1), 8}}, 1);
    end();
  }
  void patch(std::uint32_t argument, void* address) {
    rig_.check(rig_.api().patch(exec_, 4, argument, address));
  }
  // Why nobody can exchange the argument.
  [[nodiscard]] std::string refusal(std::uint32_t argument, void* address) {
    try {
      patch(argument, address);
    } catch (const PluginError& error) {
      EXPECT_EQ(error.code(), LOCI_CODE_UNSUPPORTED);
      return error.what();
    }
    return {};
  }
  void* place(int number, std::uint64_t offset = 0) const {
    return static_cast<char*>(rig_.address(number)) + offset;
  }

  Rig rig_;
  CUmodule module_ = nullptr;
  CUfunction add_ = nullptr;
  loci_graph* graph_ = nullptr;
  loci_graph_exec* exec_ = nullptr;
};

TEST_F(CudaGraphPatchesTest, MoveArgumentsOfAKernel) {
  record_add();
  patch(0, place(3));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(1), 140U);
  patch(1, place(2));
  patch(0, place(1));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(2), 240U);
  EXPECT_EQ(rig_.value_of(1), 140U) << "the target before";
}

// They may be each other's for a while, and go on apart.
TEST_F(CudaGraphPatchesTest, ExchangeTwoArguments) {
  record_add();
  patch(0, place(1));
  patch(1, place(0));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(0), 120U);
  patch(0, place(2));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(0), 130U);
}

// In two kernels and a fill, at the begin of the argument and within it.
TEST_F(CudaGraphPatchesTest, MoveAllThatAnArgumentIsIn) {
  begin();
  fill(at(1, 8));
  enqueue(at(0), 1, at(1, 16));
  enqueue(at(0), 2, at(1));
  tell({{at(0), 8}, {at(1), 24}}, 2);
  end();
  patch(0, place(2));
  patch(1, place(3));
  rig_.launch(exec_);
  std::vector<std::uint64_t> there(3, 7);
  const auto copy = driver_function<decltype(::cuMemcpyDtoH)>("cuMemcpyDtoH_v2");
  rig_.check(rig_.device_api().stream_synchronize(rig_.stream()));
  ASSERT_EQ(copy(there.data(), at(3), 24), CUDA_SUCCESS);
  EXPECT_THAT(there, ::testing::ElementsAre(32, 0, 31));
}

TEST_F(CudaGraphPatchesTest, AreGoneByAnUpdate) {
  record_add();
  patch(0, place(3));
  begin();
  enqueue(at(2), 5, at(1));
  tell({{at(2), 8}, {at(1), 8}}, 1);
  loci_graph* next = rig_.end();
  rig_.check(rig_.api().update(exec_, next));
  rig_.api().destroy_graph(next);
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(1), 35U);
  patch(0, place(0));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(1), 15U) << "the number that the update gave";
}

TEST_F(CudaGraphPatchesTest, RefuseArgumentsThatShareMemory) {
  begin();
  enqueue(at(0), 1, at(0));
  tell({{at(0), 8}, {at(0), 8}}, 1);
  end();
  EXPECT_EQ(refusal(0, place(1)),
            "[cuda_graph] cuda:0: argument 0 of item 4 cannot be exchanged: it shares memory with "
            "argument 1; capture anew and update");
}

TEST_F(CudaGraphPatchesTest, RefuseArgumentsThatAreInNoParameter) {
  begin();
  enqueue(at(0), 1, at(1));
  tell({{at(0), 8}, {at(1), 8}, {at(2), 8}, {}}, 1);
  end();
  EXPECT_THAT(refusal(2, place(3)), HasSubstr("argument 2 of item 4 cannot be exchanged: it is in "
                                              "no parameter"));
  EXPECT_THAT(refusal(3, place(3)), HasSubstr("it has no memory of the device"));
  EXPECT_THAT([&] { patch(4, place(3)); },
              ThrowsMessage<PluginError>("[cuda_graph] cuda:0: item 4 has no argument 4"));
}

// A kernel may have been chosen for it.
TEST_F(CudaGraphPatchesTest, RefuseAddressesThatAreAlignedOtherwise) {
  record_add();
  EXPECT_THAT(refusal(0, place(2, 8)), HasSubstr("what it lies at now is aligned otherwise"));
  EXPECT_THAT(refusal(0, nullptr), HasSubstr("aligned otherwise"));
  rig_.launch(exec_);
  EXPECT_EQ(rig_.value_of(1), 110U);
}

// Nobody says which addresses the functions of libraries have.
TEST_F(CudaGraphPatchesTest, RefuseKernelsThatAreNotPlain) {
  begin();
  enqueue(at(0), 1, at(1));
  enqueue(at(0), 2, at(2));
  tell({{at(0), 8}, {at(1), 8}, {at(2), 8}}, 1);
  end();
  EXPECT_THAT(refusal(0, place(3)),
              HasSubstr("which parameter of its nodes is an argument of add, item 4 is not known"));
}

TEST_F(CudaGraphPatchesTest, RefuseItemsOfSeveralLaunches) {
  begin();
  enqueue(at(0), 1, at(1));
  tell({{at(0), 8}, {at(1), 8}}, 1);
  auto* recording =
      static_cast<cuda::StreamRecording*>(native("cuda.stream.recording", rig_.stream()));
  recording->launches.count = 2;
  end();
  EXPECT_THAT(refusal(0, place(3)), HasSubstr("is not known; capture anew and update"));
}

}  // namespace
}  // namespace loci::testing
