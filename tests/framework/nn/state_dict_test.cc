#include "framework/nn/state_dict.h"

#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

class StateDictTest : public NnTest {
 protected:
  static Tensor numbers(const Shape& shape) { return varied(shape); }
};

class Wrapper : public Module {
 public:
  explicit Wrapper(std::shared_ptr<Module> module) { register_child("module", std::move(module)); }
};

TEST_F(StateDictTest, RoundTrip) {
  Linear from(3, 2);
  Linear to(3, 2);
  EXPECT_NE(from.weight().to_vector<float>(), to.weight().to_vector<float>());
  const Tensor weight = to.weight();
  const io::LoadReport report = to.load_state_dict(from.state_dict());
  EXPECT_THAT(report.loaded, ElementsAre("weight", "bias"));
  EXPECT_EQ(from.weight().to_vector<float>(), to.weight().to_vector<float>());
  EXPECT_EQ(to.weight().impl(), weight.impl()) << "into the storage that is there";
  EXPECT_TRUE(to.weight().requires_grad());
}

TEST_F(StateDictTest, LoadsAcrossPlaces) {
  Linear from(3, 2);
  Linear to(3, 2);
  to.to("sim:0");
  to.load_state_dict(from.state_dict());
  EXPECT_EQ(to.weight().place(), Place("sim:0"));
  EXPECT_EQ(from.weight().to_vector<float>(), to.weight().to_vector<float>());
}

TEST_F(StateDictTest, ItsOwnStateChangesNothing) {
  Linear module(3, 2);
  const std::vector<float> before = module.weight().to_vector<float>();
  module.load_state_dict(module.state_dict());
  EXPECT_EQ(module.weight().to_vector<float>(), before);
}

// The message is that for a model saved within a wrapper, as one for several devices is.
TEST_F(StateDictTest, NamesAllMissingAndUnexpectedKeys) {
  const Wrapper wrapper(std::make_shared<Linear>(10, 1));
  Linear plain(10, 1);
  EXPECT_THAT(
      [&] { plain.load_state_dict(wrapper.state_dict()); },
      ThrowsMessage<Error>(AllOf(
          HasSubstr("Error(s) in loading state_dict for Linear: Missing key(s) in state_dict: "
                    "\"weight\", \"bias\". Unexpected key(s) in state_dict: \"module.weight\", "
                    "\"module.bias\"."),
          HasSubstr("with this one as its child \"module\": take the state of that child"))));
  try {
    plain.load_state_dict(wrapper.state_dict());
  } catch (const Error& error) {
    EXPECT_EQ(error.details(),
              "Missing key(s) in state_dict: \"weight\", \"bias\".\n"
              "Unexpected key(s) in state_dict: \"module.weight\", \"module.bias\".\n");
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
  plain.load_state_dict(wrapper.named_children()[0].second->state_dict());
}

TEST_F(StateDictTest, NamesOtherShapesAndDtypes) {
  Linear module(3, 2);
  EXPECT_THAT(
      [&] {
        module.load_state_dict(
            {{"weight", numbers({3, 2})}, {"bias", Tensor::from<float>({1, 2, 3}, {3})}});
      },
      ThrowsMessage<Error>(AllOf(
          HasSubstr("Mismatched tensor(s) in state_dict: \"weight\" is float64 [3, 2], but the "
                    "module has float32 [3, 2]; \"bias\" is float32 [3], but the module has "
                    "float32 [2]."),
          Not(HasSubstr("Missing")), HasSubstr("strict = false"))));
}

TEST_F(StateDictTest, ChangesNothingThatOneKeyKeepsFromFitting) {
  Linear from(3, 2);
  Linear module(3, 2);
  const std::vector<float> before = module.weight().to_vector<float>();
  StateDict state = from.state_dict();
  state.emplace_back("scale", numbers({1}));
  EXPECT_THAT([&] { module.load_state_dict(state); },
              ThrowsMessage<Error>(HasSubstr("Unexpected key(s) in state_dict: \"scale\".")));
  EXPECT_EQ(module.weight().to_vector<float>(), before);
}

TEST_F(StateDictTest, LoadsWhatFitsIfThatIsAskedFor) {
  Linear from(3, 2);
  Linear module(3, 2);
  StateDict state = from.state_dict();
  state[1].second = numbers({7});
  state.emplace_back("scale", numbers({1}));
  const io::LoadReport report = module.load_state_dict(state, /*strict=*/false);
  EXPECT_THAT(report.loaded, ElementsAre("weight"));
  EXPECT_THAT(report.missing, IsEmpty());
  EXPECT_THAT(report.unexpected, ElementsAre("scale"));
  ASSERT_EQ(report.mismatched.size(), 1U);
  EXPECT_EQ(report.mismatched[0].name, "bias");
  EXPECT_EQ(module.weight().to_vector<float>(), from.weight().to_vector<float>());
}

TEST_F(StateDictTest, KeysThatOccurAgainAndTensorsThatAreNotThere) {
  const Tensor one = numbers({1});
  const io::LoadReport report =
      compare_states({{"a", one}, {"a", one}, {"b", Tensor()}}, {{"a", one}, {"b", one}});
  EXPECT_THAT(report.unexpected, ElementsAre("a"));
  ASSERT_EQ(report.mismatched.size(), 1U);
  EXPECT_EQ(report.mismatched[0].reason, "is an undefined tensor");
}

TEST_F(StateDictTest, AMessageStaysShort) {
  io::LoadReport report;
  for (int i = 0; i < 30; ++i) report.missing.push_back(std::to_string(i));
  report.unexpected = {"bad\n\"key"};
  const Error error = misfit(report, "Net");
  EXPECT_THAT(error.what(), HasSubstr("\"19\" and 10 more."));
  EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
  EXPECT_THAT(error.details(), HasSubstr("\"29\"."));
}

}  // namespace
}  // namespace loci::nn
