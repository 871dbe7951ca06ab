// Planted faults of kernels, each of which the canaries find.
#include "plugins/cpu/canaried_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <loci/plugin/error.hpp>
#include <vector>

namespace loci::cpu {
namespace {

using ::testing::HasSubstr;

using Planted = void (*)(const loci_launch& launch);
Planted planted = nullptr;

loci_error* launch_planted(const loci_prepared* /*prepared*/, const loci_launch* launch) {
  planted(*launch);
  return nullptr;
}

float* output(const loci_launch& launch) { return static_cast<float*>(launch.outputs[0]->data); }
const float* input(const loci_launch& launch) {
  return static_cast<const float*>(launch.inputs[0]->data);
}

// A launch takes 5 numbers and gives 5, with a workspace of 100 bytes and a state of 8.
class Launch {
 public:
  Launch() {
    const std::int64_t* dims = dims_.data();
    for (loci_view* view : {&input_, &output_}) {
      view->dims = dims;
      view->rank = 1;
      view->bytes = 5 * sizeof(float);
      view->dtype = LOCI_DTYPE_F32;
    }
    input_.data = x.data();
    output_.data = out.data() + 1;  // not where a cache line begins
    launch_.inputs = inputs_.data();
    launch_.outputs = outputs_.data();
    launch_.workspace = workspace_.data();
    launch_.state = state.data();
  }

  void in_place() { output_.data = x.data(); }

  void run(Planted kernel) {
    planted = kernel;
    loci_op_desc op{};
    op.input_slots = slots_.data();
    op.output_slots = slots_.data();
    op.input_slot_count = 1;
    op.output_slot_count = 1;
    loci_prepared_info info{};
    info.launch = &launch_planted;
    info.workspace_bytes = 100;
    info.state_bytes = 8;
    CanariedKernel("the kernel 'planted' of copy", op, info).launch(launch_);
  }

  std::string failure_of(Planted kernel) {
    try {
      run(kernel);
    } catch (const sdk::Error& error) {
      EXPECT_EQ(error.code(), LOCI_CODE_INTERNAL);
      return error.what();
    }
    return "none";
  }

  std::vector<float> x{1, 2, 3, 4, 5};
  std::vector<float> out = std::vector<float>(7, 9);
  std::vector<char> state = std::vector<char>(8, 1);

 private:
  std::array<std::int64_t, 1> dims_{5};
  std::array<std::uint32_t, 2> slots_{0, 1};
  loci_view input_{};
  loci_view output_{};
  std::array<const loci_view*, 1> inputs_{&input_};
  std::array<const loci_view*, 1> outputs_{&output_};
  std::vector<char> workspace_ = std::vector<char>(100);
  loci_launch launch_{};
};

TEST(CanariedKernel, GivesWhatTheKernelComputes) {
  Launch launch;
  launch.run([](const loci_launch& l) {
    std::memset(l.workspace, 0, 100);
    ++*static_cast<char*>(l.state);
    std::memcpy(output(l), input(l), 20);
  });
  EXPECT_EQ(launch.out, (std::vector<float>{9, 1, 2, 3, 4, 5, 9}));
  EXPECT_EQ(launch.state[0], 2);
}

TEST(CanariedKernel, GivesAnOutputInPlaceWhatItsInputHolds) {
  Launch launch;
  launch.in_place();
  launch.run([](const loci_launch& l) {
    ASSERT_EQ(output(l), input(l));
    for (int i = 0; i < 5; ++i) output(l)[i] = 2 * input(l)[i];
  });
  EXPECT_EQ(launch.x, (std::vector<float>{2, 4, 6, 8, 10}));
}

TEST(CanariedKernel, ShowsWhatIsNotWrittenAndWhatIsReadUnwritten) {
  Launch launch;
  launch.run([](const loci_launch& l) {
    output(l)[1] = static_cast<const float*>(l.workspace)[3];
    output(l)[2] = input(l)[5];
    output(l)[3] = output(l)[4] = 1;
  });
  EXPECT_TRUE(std::isnan(launch.out[1])) << "not written";
  EXPECT_TRUE(std::isnan(launch.out[2])) << "of the workspace";
  EXPECT_TRUE(std::isnan(launch.out[3])) << "behind the input";
}

TEST(CanariedKernel, FindsWhatIsWrittenOutsideAnArgument) {
  Launch launch;
  EXPECT_EQ(launch.failure_of([](const loci_launch& l) { output(l)[7] = 0; }),
            "[cpu] the kernel 'planted' of copy wrote 4 bytes outside output 0 of 20 bytes, the "
            "first 8 bytes behind its end; results beside it may be wrong: report it, and set "
            "LOCI_CPU_ONEDNN=0 where the kernel is oneDNN's");
  EXPECT_THAT(launch.failure_of([](const loci_launch& l) { output(l)[-1] = 0; }),
              HasSubstr("output 0 of 20 bytes, the first 4 bytes before its begin"));
  EXPECT_THAT(launch.failure_of([](const loci_launch& l) { const_cast<float*>(input(l))[5] = 0; }),
              HasSubstr("input 0 of 20 bytes, the first 0 bytes behind its end"));
  EXPECT_EQ(launch.out, std::vector<float>(7, 9)) << "nothing beside was touched";
}

TEST(CanariedKernel, FindsWhatIsWrittenOutsideWorkspaceAndState) {
  Launch launch;
  EXPECT_THAT(
      launch.failure_of([](const loci_launch& l) { static_cast<char*>(l.workspace)[1000] = 0; }),
      HasSubstr("wrote 1 bytes outside the workspace of 100 bytes, the first 900 bytes"));
  EXPECT_THAT(launch.failure_of([](const loci_launch& l) { static_cast<char*>(l.state)[8] = 0; }),
              HasSubstr("outside the state of 8 bytes"));
}

TEST(CanariedKernel, FindsAnInputThatIsChanged) {
  Launch launch;
  EXPECT_THAT(launch.failure_of([](const loci_launch& l) { const_cast<float*>(input(l))[4] = 0; }),
              HasSubstr("the kernel 'planted' of copy changed input 0"));
}

}  // namespace
}  // namespace loci::cpu
