#include "tests/framework/nn/nn_fixture.h"

namespace loci::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The registered parameters, buffers and children lie in members of the module.
class Net : public Module {
 public:
  Net() {
    register_parameter("factor", factor_);
    register_buffer("count", count_);
    register_child("first", first_);
    register_child("last", last_);
  }
  Tensor forward(const Tensor& x) override { return last_(relu(first_(x))) * factor_; }
  Linear& first() { return first_; }

 private:
  Tensor factor_ = make_parameter({1}, kFloat32, initializer::constant(2));
  Tensor count_ = make_buffer({}, kInt64, initializer::constant(0));
  Linear first_{3, 4};
  Linear last_{4, 2, [] {
                 ParameterOptions options;
                 options.bias = false;
                 return options;
               }()};
};

// Registers what a test gives it.
class Open : public Module {
 public:
  using Module::register_buffer;
  using Module::register_child;
  using Module::register_parameter;
};

class ModuleTest : public NnTest {
 protected:
  static std::vector<std::string> names(const StateDict& tensors) {
    std::vector<std::string> found;
    for (const auto& [name, tensor] : tensors) found.push_back(name);
    return found;
  }
};

TEST_F(ModuleTest, NamesWhatItKeepsInOrder) {
  Net net;
  EXPECT_THAT(names(net.named_parameters()),
              ElementsAre("factor", "first.weight", "first.bias", "last.weight"));
  EXPECT_THAT(names(net.named_buffers()), ElementsAre("count"));
  EXPECT_EQ(net.parameters().size(), 4U);
  ASSERT_EQ(net.named_children().size(), 2U);
  EXPECT_EQ(net.named_children()[1].first, "last");
  EXPECT_EQ(net.named_children()[0].second, &net.first());
}

TEST_F(ModuleTest, TensorsKnowTheirNames) {
  Net net;
  Open outer;
  outer.register_child("net", net);
  EXPECT_EQ(net.first().weight().name(), "net.first.weight");
}

TEST_F(ModuleTest, PrintsWithItsChildren) {
  Open outer;
  outer.register_child("module", std::make_shared<Net>());
  EXPECT_EQ(outer.to_string(),
            "Open(\n"
            "  (module): Net(\n"
            "    (first): Linear(in_features=3, out_features=4, bias=True)\n"
            "    (last): Linear(in_features=4, out_features=2, bias=False)\n"
            "  )\n"
            ")");
}

template <class T>
class Templated : public Module {};

TEST_F(ModuleTest, IsCalledAfterItsClass) {
  EXPECT_EQ(Net().type(), "Net");
  EXPECT_EQ(Templated<std::vector<int>>().type(), "Templated");
  EXPECT_EQ(Open().to_string(), "Open()");
}

TEST_F(ModuleTest, TrainAndEvalReachAllBelow) {
  Net net;
  EXPECT_TRUE(net.first().is_training());
  net.eval();
  EXPECT_FALSE(net.is_training());
  EXPECT_FALSE(net.first().is_training());
  net.train();
  EXPECT_TRUE(net.first().is_training());
}

TEST_F(ModuleTest, GradientsAreCleared) {
  Net net;
  mean(net(Tensor::from<float>({1, 2, 3}, {1, 3}))).backward();
  EXPECT_TRUE(net.first().weight().grad().defined());
  net.zero_grad();
  for (const Tensor& parameter : net.parameters()) EXPECT_FALSE(parameter.grad().defined());
}

TEST_F(ModuleTest, ParametersCanBeFrozen) {
  Net net;
  net.set_requires_grad(false);
  EXPECT_FALSE(net(Tensor::from<float>({1, 2, 3}, {1, 3})).requires_grad());
  net.set_requires_grad();
  EXPECT_TRUE(net(Tensor::from<float>({1, 2, 3}, {1, 3})).requires_grad());
}

TEST_F(ModuleTest, MovesParametersAndBuffers) {
  Net net;
  const Tensor x = Tensor::from<float>({1, -2, 3, 4, 5, 6}, {2, 3});
  const std::vector<float> here = net(x).to_vector<float>();
  net.to("sim:1");
  for (const auto& [name, tensor] : net.state_dict()) EXPECT_EQ(tensor.place(), Place("sim:1"));
  EXPECT_EQ(net.first().weight().name(), "first.weight");
  EXPECT_TRUE(net.first().weight().is_leaf());
  EXPECT_EQ(net(x.to("sim:1")).to_vector<float>(), here);
  const Tensor weight = net.first().weight();
  net.to("sim:1");
  EXPECT_EQ(net.first().weight().impl(), weight.impl()) << "it is there already";
  net.to("cpu");
  EXPECT_EQ(net(x).to_vector<float>(), here);
}

// A trace captures the module's own tensors, under their names.
TEST_F(ModuleTest, CanBeTraced) {
  Net net;
  const Tensor example = Tensor::from<float>({1, -2, 3}, {1, 3});
  TraceOptions any_batch;
  any_batch.symbolic_batch = true;
  const CompiledFunction compiled =
      compile([&](const std::vector<Tensor>& in) { return std::vector<Tensor>{net(in[0])}; },
              {example}, any_batch, CompileOptions::exact());
  EXPECT_TRUE(compiled.traced({example}).scope.has("first.weight"));
  const Tensor x = Tensor::from<float>({1, -2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(compiled({x})[0].to_vector<float>(), net(x).to_vector<float>());
  Net other;
  net.load_state_dict(other.state_dict());
  EXPECT_EQ(compiled({x})[0].to_vector<float>(), other(x).to_vector<float>());
}

TEST_F(ModuleTest, MovingChangesNothingIfThePlaceIsNotThere) {
  Net net;
  const Tensor weight = net.first().weight();
  EXPECT_THROW(net.to("sim:77"), Error);
  EXPECT_EQ(net.first().weight().impl(), weight.impl());
}

TEST_F(ModuleTest, SharedTensorsStayShared) {
  Tensor weight = make_parameter({2}, kFloat32, initializer::constant(1));
  Tensor again = weight;
  Open module;
  module.register_parameter("first", weight);
  module.register_parameter("second", again);
  EXPECT_THAT(names(module.named_parameters()), ElementsAre("first"));
  EXPECT_THAT(names(module.state_dict()), ElementsAre("first", "second"));
  module.to("sim:0");
  EXPECT_EQ(weight.impl(), again.impl());
  EXPECT_EQ(weight.place(), Place("sim:0"));
}

TEST_F(ModuleTest, ModulesInSeveralPlacesAreOne) {
  Linear shared(2, 2);
  Open module;
  module.register_child("a", shared);
  module.register_child("b", shared);
  EXPECT_EQ(module.parameters().size(), 2U);
  EXPECT_EQ(module.state_dict().size(), 4U);
}

TEST_F(ModuleTest, RefusesNamesThatDoNotTellPartsApart) {
  Open module;
  Tensor tensor = make_parameter({1}, kFloat32, initializer::constant(0));
  Linear child(1, 1);
  module.register_parameter("taken", tensor);
  EXPECT_THAT([&] { module.register_buffer("taken", tensor); },
              ThrowsMessage<Error>(HasSubstr("[nn] Open has a parameter 'taken' already")));
  EXPECT_THAT([&] { module.register_child("taken", child); },
              ThrowsMessage<Error>(HasSubstr("has a parameter 'taken' already")));
  EXPECT_THAT([&] { module.register_parameter("a.b", tensor); },
              ThrowsMessage<Error>(HasSubstr("[nn] 'a.b' is no name for a part of Open")));
  EXPECT_THAT([&] { module.register_child("", child); },
              ThrowsMessage<Error>(HasSubstr("'' is no name")));
}

TEST_F(ModuleTest, RefusesAParameterThatIsComputed) {
  Open module;
  Tensor leaf = make_parameter({1}, kFloat32, initializer::constant(0));
  Tensor result = leaf * 2.0;
  EXPECT_THAT([&] { module.register_parameter("w", result); },
              ThrowsMessage<Error>(HasSubstr("is the result of recorded ops")));
  EXPECT_TRUE(module.parameters().empty());
}

TEST_F(ModuleTest, RefusesAChildThatHoldsIt) {
  Open inner;
  Open outer;
  outer.register_child("inner", inner);
  EXPECT_THAT([&] { inner.register_child("outer", outer); },
              ThrowsMessage<Error>(HasSubstr("has Open below it itself")));
  EXPECT_THAT([&] { inner.register_child("none", std::shared_ptr<Module>()); },
              ThrowsMessage<Error>(HasSubstr("the child 'none' of Open is a null pointer")));
}

TEST_F(ModuleTest, SaysThatForwardIsMissing) {
  Open module;
  EXPECT_THAT([&] { module(Tensor::scalar(1.0F)); },
              ThrowsMessage<Error>(HasSubstr("[Open] has no forward() of one tensor")));
}

}  // namespace
}  // namespace loci::nn
