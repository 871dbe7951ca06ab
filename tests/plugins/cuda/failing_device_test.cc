// The errors that applications see of a device that is full, that a kernel ends, or that is not
// there. Each is in a process of its own, whose first use of the double it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/loci.hpp>
#include <string>
#include <vector>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/open_double.h"

namespace loci::test {
namespace {

using ::loci::testing::in_child;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class CudaFailingDeviceTest : public ::testing::Test {
 protected:
  static Error error_of(const std::function<void()>& work) {
    try {
      work();
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "there is no error";
    return {ErrorCode::kInternal, "none"};
  }
  static Tensor table(const Place& place = "cuda:0") {
    return Tensor::from<float>({1, 2, 3, 4, 5, 6}, {3, 2}).to(place);
  }
  static Tensor ids(std::int64_t id, const Place& place = "cuda:0") {
    return Tensor::from<std::int64_t>({id}, {1}).to(place);
  }
  // The id is in no row of the table.
  static std::string lost_by_gather(const std::function<void(const Tensor&, const Tensor&)>& use) {
    const Tensor rows = table();
    const Tensor wrong = ids(9);
    synchronize("cuda:0");
    const Error told = error_of([&] { use(rows, wrong); });
    EXPECT_EQ(told.code(), ErrorCode::kDeviceLost) << told.what();
    return told.what();
  }
};

TEST_F(CudaFailingDeviceTest, AFullDeviceSaysHowFullAndWorksWhenMemoryIsFreed) {
  EXPECT_EQ(in_child([] {
              use_doubles("checks=all,memory=64M");
              const auto floats = [](std::int64_t mebibytes) {
                return full({mebibytes << 18}, 1.0, kFloat32, "cuda:0");
              };
              std::vector<Tensor> kept;
              for (int i = 0; i < 5; ++i) kept.push_back(floats(8));
              synchronize("cuda:0");
              const Error told = error_of([&] { (void)floats(40).to_vector<float>(); });
              EXPECT_EQ(told.code(), ErrorCode::kOutOfMemory);
              EXPECT_THAT(told.what(), AllOf(HasSubstr("[memory] cuda:0: no memory for"),
                                             HasSubstr("asked for 40.00 MiB (41943040 bytes), in "
                                                       "use 40.00 MiB"),
                                             HasSubstr("cached"), HasSubstr("free")));
              EXPECT_THAT(told.details(), HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
              EXPECT_EQ(kept[4].to_vector<float>().back(), 1);
              kept.clear();
              EXPECT_EQ(floats(40).to_vector<float>().back(), 1);
              EXPECT_EQ(findings_since(0), "");
            }),
            0);
}

TEST_F(CudaFailingDeviceTest, AnIndexOutOfRangeNamesThoseThatAreThere) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=2");
              const Error told = error_of([] { (void)table("cuda:2"); });
              EXPECT_EQ(told.code(), ErrorCode::kUnavailable);
              EXPECT_THAT(told.what(), HasSubstr("there is no device 'cuda:2'; there are cpu, "
                                                 "cuda:0, cuda:1"));
              EXPECT_FALSE(is_available("cuda:2"));
            }),
            0);
}

TEST_F(CudaFailingDeviceTest, DevicesAreThoseThatAreVisible) {
  EXPECT_EQ(in_child([] {
              ::setenv("CUDA_VISIBLE_DEVICES", "2,0,nonsense,1", 1);
              use_doubles("devices=3");
              EXPECT_EQ(device_count("cuda"), 2);
              EXPECT_EQ(device_properties("cuda:0").name, "Loci CUDA double 2 (emulated)");
              EXPECT_EQ(device_properties("cuda:1").name, "Loci CUDA double 0 (emulated)");
            }),
            0);
  for (const char* hidden : {"", "-1", "nonsense", "1,1"}) {
    EXPECT_EQ(in_child([hidden] {
                ::setenv("CUDA_VISIBLE_DEVICES", hidden, 1);
                use_doubles("devices=3");
                EXPECT_EQ(device_count("cuda"), 0);
                const Error told = error_of([] { (void)table(); });
                EXPECT_EQ(told.code(), ErrorCode::kUnavailable);
                EXPECT_THAT(told.details(),
                            HasSubstr("no CUDA device; see what nvidia-smi lists, and "
                                      "CUDA_VISIBLE_DEVICES"));
                EXPECT_EQ(relu(full({1}, 2.0)).item<float>(), 2);
              }),
              0)
        << hidden;
  }
}

// The plugin carries code for 8.0 and newer.
TEST_F(CudaFailingDeviceTest, ADeviceThatIsTooOldIsLeftOut) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=3,capability=7.5+9.0");
              EXPECT_EQ(device_count("cuda"), 2);
              EXPECT_EQ(device_properties("cuda:0").name, "Loci CUDA double 1 (emulated)");
              for (const char* place : {"cuda:0", "cuda:1"}) {
                EXPECT_EQ(relu(table(place)).to_vector<float>().back(), 6);
              }
              EXPECT_FALSE(is_available("cuda:2"));
            }),
            0);
  EXPECT_EQ(in_child([] {
              use_doubles("devices=2,capability=7.5");
              EXPECT_EQ(device_count("cuda"), 0);
              const Error told = error_of([] { (void)table(); });
              EXPECT_EQ(told.code(), ErrorCode::kUnavailable);
              EXPECT_THAT(
                  told.details(),
                  HasSubstr("device 0 (Loci CUDA double 0 (emulated)) has compute capability "
                            "7.5; 8.0 is needed; device 1 (Loci CUDA double 1 (emulated)) "
                            "has compute capability 7.5; 8.0 is needed"));
            }),
            0);
}

TEST_F(CudaFailingDeviceTest, AForkedProcessIsToldToForkFirst) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=1");
              const Tensor there = table();
              synchronize("cuda:0");
              EXPECT_EQ(in_child([&] {
                          for (const auto& use : std::vector<std::function<void()>>{
                                   [&] { (void)there.to_vector<float>(); },
                                   [] { (void)table().to_vector<float>(); }}) {
                            const Error told = error_of(use);
                            EXPECT_EQ(told.code(), ErrorCode::kUnavailable);
                            EXPECT_THAT(told.what(), HasSubstr("forked"));
                          }
                          EXPECT_EQ(relu(full({1}, 2.0)).item<float>(), 2);
                        }),
                        0);
              EXPECT_EQ(there.to_vector<float>().back(), 6);
            }),
            0);
}

TEST_F(CudaFailingDeviceTest, AKernelThatFaultsTakesItsDeviceAloneAlong) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=2");
              const Tensor other = table("cuda:1");
              const std::string told = lost_by_gather([](const Tensor& rows, const Tensor& wrong) {
                (void)gather(rows, wrong).to_vector<float>();
              });
              EXPECT_THAT(told, AllOf(HasSubstr("cuda:0 is lost"), HasSubstr("CUDA_ERROR_ASSERT"),
                                      HasSubstr("start the program again")));
              EXPECT_THAT(told, HasSubstr("; the index of gather have 9 at position 0, and their "
                                          "table has rows [-3, 3)"));
              EXPECT_FALSE(is_available("cuda:0"));
              // The driver gives no other context to the process.
              const Error again = error_of([] { reopen_device("cuda:0"); });
              EXPECT_EQ(again.code(), ErrorCode::kDeviceLost);
              EXPECT_THAT(again.what(), HasSubstr("start the program again"));
              EXPECT_EQ(relu(full({1}, 2.0)).item<float>(), 2);
              EXPECT_THAT(gather(other, ids(2, "cuda:1")).to_vector<float>(), ElementsAre(5, 6));
            }),
            0);
}

// Whichever op has them; the first of several that are wrong is as good as another.
TEST_F(CudaFailingDeviceTest, AnIndexOutsideOfItsTableIsToldWithItsPosition) {
  using Use = std::function<void(const Tensor& rows, const Tensor& wrong)>;
  const std::pair<const char*, Use> uses[] = {
      {"the ids of embedding have",
       [](const Tensor& rows, const Tensor& wrong) { (void)embedding(rows, wrong); }},
      {"the rows of sgd have", [](const Tensor& rows, const Tensor& wrong) {
         const Tensor gradient = full({4, 2}, 1.0, kFloat32, "cuda:0");
         sgd(rows, gradient, full({}, 1.0, kFloat32, "cuda:0"), wrong);
       }}};
  for (const auto& [text, use] : uses) {
    for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{-2}, std::int64_t{1} << 40}) {
      EXPECT_EQ(in_child([&, text = text, use = use] {
                  use_doubles("devices=1");
                  const Tensor rows = table();
                  const Tensor ids = Tensor::from<std::int64_t>({2, 0, wrong, 1}, {4}).to("cuda:0");
                  const Error told = error_of([&] {
                    use(rows, ids);
                    synchronize("cuda:0");
                  });
                  EXPECT_THAT(told.what(),
                              HasSubstr(std::string(text) + " " + std::to_string(wrong) +
                                        " at position 2, and their table has rows [0, 3)"));
                }),
                0)
          << text << " " << wrong;
    }
  }
}

// Those that count from the end are told from where they may.
TEST_F(CudaFailingDeviceTest, APositionOutsideOfItsTensorIsToldWithItsBounds) {
  using Use = std::function<void(const Tensor& rows, const Tensor& wrong)>;
  const auto tuples = [](const Tensor& index) { return reshape(index, {8, 1}); };
  const std::pair<const char*, Use> uses[] = {
      {"the index of gather have",
       [](const Tensor& rows, const Tensor& index) { (void)gather(rows, index, 0); }},
      {"the index of gather_elements have",
       [](const Tensor& rows, const Tensor& index) { (void)gather_elements(rows, index); }},
      {"the index of scatter_elements have",
       [](const Tensor& rows, const Tensor& index) {
         (void)scatter_elements(rows, index, full({4, 2}, 1.0, kFloat32, "cuda:0"));
       }},
      {"the index of gather_nd have",
       [&](const Tensor& rows, const Tensor& index) { (void)gather_nd(rows, tuples(index)); }},
      {"the index of scatter_nd have", [&](const Tensor& rows, const Tensor& index) {
         (void)scatter_nd(rows, tuples(index), full({8, 2}, 1.0, kFloat32, "cuda:0"));
       }}};
  for (const auto& [text, use] : uses) {
    for (const std::int64_t wrong : {std::int64_t{3}, std::int64_t{-4}}) {
      EXPECT_EQ(
          in_child([&, text = text, use = use] {
            use_doubles("devices=1");
            const Tensor rows = table();
            const Tensor index =
                Tensor::from<std::int64_t>({2, -3, 0, 1, wrong, 1, 2, 0}, {4, 2}).to("cuda:0");
            const Error told = error_of([&] {
              use(rows, index);
              synchronize("cuda:0");
            });
            EXPECT_THAT(told.what(), HasSubstr(std::string(text) + " " + std::to_string(wrong) +
                                               " at position 4, and their table has rows [-3, 3)"));
          }),
          0)
          << text << " " << wrong;
    }
  }
}

// The op that failed is among those that nobody has waited for.
TEST_F(CudaFailingDeviceTest, TheErrorNamesTheOpsThatItMayBe) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=1");
              const std::string told = lost_by_gather([](const Tensor& rows, const Tensor& wrong) {
                const Tensor before = relu(rows);
                synchronize("cuda:0");
                (void)softmax(gather(tanh(before), wrong)).to_vector<float>();
              });
              EXPECT_THAT(told, AllOf(HasSubstr("it was one of the "),
                                      HasSubstr(" launches since the last wait: tanh, gather"),
                                      HasSubstr("LOCI_CUDA_BLOCKING=1"), Not(HasSubstr("relu"))));
            }),
            0);
}

TEST_F(CudaFailingDeviceTest, OneThatIsWaitedForIsNamedWithItsShapes) {
  EXPECT_EQ(in_child([] {
              use_doubles("devices=1");
              const std::string told = lost_by_gather([](const Tensor& rows, const Tensor& wrong) {
                const SerialMode serial;
                (void)softmax(gather(tanh(rows), wrong));
              });
              EXPECT_THAT(told, AllOf(HasSubstr("; it was gather"),
                                      HasSubstr("[gather] float32 [3, 2], int64 [1] at cuda:0")));
            }),
            0);
}

// The launch itself fails then, which a program names by the operator and its variables.
TEST_F(CudaFailingDeviceTest, ABlockingDeviceNamesTheOperatorOfAProgram) {
  for (const char* blocking : {"0", "1"}) {
    EXPECT_EQ(
        in_child([blocking] {
          use_doubles("devices=1");
          ::setenv("LOCI_CUDA_BLOCKING", blocking, 1);
          const Program main;
          const ProgramGuard building(main, Program());
          const Variable x = data("x", {3, 2}, kFloat32);
          const Variable index = data("index", {1}, kInt64);
          const Variable y = softmax(gather(softmax(x), index));
          Executor executor("cuda:0", CompileOptions::none(), Scope());
          const std::string told = lost_by_gather([&](const Tensor& rows, const Tensor& wrong) {
            executor.run(main, {{"x", rows}, {"index", wrong}}, {y});
          });
          EXPECT_THAT(told, HasSubstr("gather"));
          if (*blocking == '0') return;
          EXPECT_THAT(
              told, AllOf(HasSubstr("[gather] gather_0 at cuda:0"), HasSubstr("; it was gather")));
        }),
        0)
        << blocking;
  }
}

}  // namespace
}  // namespace loci::test
