#include "tests/framework/nn/nn_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::nn {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

class StateFileTest : public NnTest {
 protected:
  test::ScratchDirectory scratch_;
};

TEST_F(StateFileTest, RoundTripWithBuffersFromAnyPlace) {
  Sequential from;
  from.add<Linear>(3, 2).add<BatchNorm>(2);
  from.to("sim:0");
  from(cast(varied({4, 3}), kFloat32).to("sim:0"));
  save_parameters(scratch_.path("model.safetensors"), from);
  Sequential to;
  to.add<Linear>(3, 2).add<BatchNorm>(2);
  const io::LoadReport report = load_parameters(scratch_.path("model.safetensors"), to);
  EXPECT_THAT(report.loaded, UnorderedElementsAre("0.weight", "0.bias", "1.weight", "1.bias",
                                                  "1.mean", "1.variance"));
  const StateDict saved = from.state_dict();
  const StateDict loaded = to.state_dict();
  for (std::size_t i = 0; i < saved.size(); ++i) {
    EXPECT_EQ(saved[i].second.to_vector<float>(), loaded[i].second.to_vector<float>());
  }
}

TEST_F(StateFileTest, NamesTheFileThatDoesNotFit) {
  const std::string path = scratch_.path("model.safetensors");
  save_parameters(path, Linear(3, 2));
  Linear other(3, 4);
  const std::vector<float> before = other.weight().to_vector<float>();
  try {
    load_parameters(path, other);
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr(path), HasSubstr("Error(s) in loading state_dict for Linear"),
                      HasSubstr("\"weight\" is float32 [3, 2], but the module has float32 [3, 4]"),
                      HasSubstr("\"bias\" is float32 [2]")));
  }
  EXPECT_EQ(other.weight().to_vector<float>(), before);
  EXPECT_EQ(load_parameters(path, other, /*strict=*/false).mismatched.size(), 2U);
}

TEST_F(StateFileTest, AFileThatIsNotThere) {
  Linear module(3, 2);
  EXPECT_THAT([&] { load_parameters(scratch_.path("none.safetensors"), module); },
              ThrowsMessage<Error>(HasSubstr("none.safetensors")));
  EXPECT_THAT([&] { load_state(scratch_.write("bad.safetensors", "no tensors")); },
              ThrowsMessage<Error>(HasSubstr("bad.safetensors")));
}

}  // namespace
}  // namespace loci::nn
