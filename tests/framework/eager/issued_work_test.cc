#include "framework/eager/issued_work.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/sim_faults.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class IssuedWorkTest : public EagerTest {
 protected:
  void SetUp() override { synchronize(); }
  void TearDown() override {
    faults().task = 0;
    EXPECT_NO_THROW(synchronize()) << "every test has met its failures";
  }
  static sim::Faults& faults() { return test::sim_faults("sim:2"); }
  // Returns the text of the error that it throws; it is called once, as a failure is told once.
  static std::string thrown_by(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }
  // Keeps all results: where one ends, the queue may ask the device what it has done so far.
  static void double_often(std::size_t count, std::vector<Tensor>* chain) {
    for (std::size_t i = 0; i < count; ++i) chain->push_back(chain->back() + chain->back());
  }
  static Tensor input() {
    const Tensor made = vector({-1, 2}).to("sim:2");
    synchronize();
    return made;
  }
};

TEST_F(IssuedWorkTest, AFailureNamesTheOnlyOpThatItMayBe) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor y = relu(x);
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }),
              AllOf(HasSubstr("as the settings of the device ask for"),
                    HasSubstr("; it is [relu] float32 [2] at sim:2, enqueued at "),
                    Not(HasSubstr("one of"))));
  EXPECT_NO_THROW(synchronize("sim:2")) << "it has been thrown";
}

TEST_F(IssuedWorkTest, AFailureNamesItsOpAmongOthers) {
  std::vector<Tensor> chain{input()};
  faults().task = 6;
  double_often(5, &chain);
  chain.push_back(relu(chain.back()));
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }),
              AllOf(HasSubstr("; it is [relu] float32 [2] at sim:2, enqueued at "),
                    Not(HasSubstr("one of"))));
}

TEST_F(IssuedWorkTest, WhatCameBeforeTheOpThatFailedIsRight) {
  const Tensor x = input();
  faults().task = 2;
  const Tensor before = x + x;
  const Tensor failed = relu(before);
  const Tensor after = x + x;
  EXPECT_THAT(thrown_by([&] { (void)failed.to_vector<float>(); }), HasSubstr("[relu]"));
  EXPECT_THAT(floats(before), ElementsAre(-2, 4));
  EXPECT_THAT(thrown_by([&] { (void)after.to_vector<float>(); }), HasSubstr("[relu]"));
}

// Copies are not told apart from each other, nor from what else is in question.
TEST_F(IssuedWorkTest, AFailureNamesTheFirstAndTheLastThatItMayBe) {
  std::vector<Tensor> chain{input()};
  faults().task = 1;
  const Tensor copied = vector({1, 2}).to("sim:2");
  while (faults().task != 0) std::this_thread::yield();  // it is the copy that fails
  double_often(5, &chain);
  chain.push_back(relu(chain.back()));
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }), HasSubstr("a copy at sim:2, enqueued at "));
  EXPECT_THAT(thrown_by([&] { (void)copied.to_vector<float>(); }), HasSubstr("a copy at sim:2"));
}

TEST_F(IssuedWorkTest, EveryResultThatMayBeWrongThrows) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor y = relu(x);
  const Tensor z = y + y;
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(thrown_by([&] { (void)z.to_vector<float>(); }), HasSubstr("[relu]"));
    EXPECT_THAT(thrown_by([&] { (void)y.to_vector<float>(); }), HasSubstr("[relu]"));
  }
  EXPECT_THAT(thrown_by([&] { (void)abs(y).to_vector<float>(); }), HasSubstr("[relu]"));
  EXPECT_THAT(floats(x), ElementsAre(-1, 2)) << "it was there before";
  EXPECT_THAT(floats(relu(x)), ElementsAre(0, 2)) << "and the device goes on";
}

TEST_F(IssuedWorkTest, WorkOfAnotherPlaceInheritsTheFailure) {
  const Tensor x = input();
  faults().task = 1;
  const Tensor here = relu(x).to("cpu");
  const Tensor more = here + here;
  EXPECT_THAT(thrown_by([&] { (void)more.to_vector<float>(); }), HasSubstr("[relu]"));
}

TEST_F(IssuedWorkTest, SerialModeThrowsAtTheOp) {
  const Tensor x = input();
  const SerialMode serial;
  const Tensor y = relu(x);
  faults().task = 1;
  EXPECT_THAT(thrown_by([&] { (void)(y + y); }),
              AllOf(HasSubstr("; it is [elementwise_add]"), Not(HasSubstr("one of the"))));
}

TEST_F(IssuedWorkTest, RemembersTheLatest) {
  std::vector<Tensor> chain{input()};
  faults().task = 1;
  double_often(IssuedWork::kRemembered + 1, &chain);
  EXPECT_THAT(thrown_by([] { synchronize("sim:2"); }),
              HasSubstr("from one long ago to [elementwise_add]"));
}

// y = 2 x + 1 and, as a training step does, w = w + y.
class IssuedWorkBesideProgramsTest : public IssuedWorkTest {
 protected:
  struct Model {
    Program main;
    Program startup;
    Scope scope;
    Variable y;
    std::string state;

    Model() {
      const ProgramGuard guard(main, startup);
      const Variable x = data("x", {2}, kFloat32);
      y = scale(x, 2.0, 1.0);
      const Variable w = create_persistable({2}, kFloat32, initializer::constant(0));
      state = w.name();
      sgd(w, y, fill_constant({1}, -1.0));
      scope.set(state, vector({0, 0}).to("sim:2"));
    }
    std::vector<float> run(Executor& executor) const {
      return executor.run(main, {{"x", vector({1, 3})}}, {y})[0].to_vector<float>();
    }
    [[nodiscard]] std::vector<float> read_state() const {
      return scope.find(state).to_vector<float>();
    }
  };
};

TEST_F(IssuedWorkBesideProgramsTest, AFailureThatAProgramIsToldOfIsTheOpsToo) {
  const Model model;
  Executor executor("sim:2", {}, model.scope);
  EXPECT_THAT(model.run(executor), ElementsAre(3, 7));
  const Tensor x = input();
  faults().task = 1;
  const Tensor y = relu(x);
  EXPECT_THAT(model.run(executor), ElementsAre(3, 7)) << "which is not the program's";
  EXPECT_THAT(thrown_by([&] { (void)y.to_vector<float>(); }),
              HasSubstr("; it is [relu] float32 [2] at sim:2, enqueued at "));
  EXPECT_THAT(floats(relu(x)), ElementsAre(0, 2)) << "the device goes on";
}

TEST_F(IssuedWorkBesideProgramsTest, AFailureOfAProgramIsNotTheOps) {
  const Model model;
  Executor executor("sim:2", {}, model.scope);
  EXPECT_THAT(model.run(executor), ElementsAre(3, 7));
  const Tensor x = input();
  faults().task = 4;  // after the op and what is copied: the first kernel
  const Tensor y = relu(x);
  EXPECT_THAT(thrown_by([&] { model.run(executor); }),
              AllOf(HasSubstr("; it is a program's run at sim:2"), Not(HasSubstr("[relu]"))));
  EXPECT_THAT(floats(y), ElementsAre(0, 2));
}

TEST_F(IssuedWorkBesideProgramsTest, WhatAFailedRunHasWrittenIsNotRead) {
  const Model model;
  Executor executor("sim:2", {}, model.scope);
  EXPECT_THAT(model.run(executor), ElementsAre(3, 7));
  EXPECT_THAT(model.read_state(), ElementsAre(3, 7));
  faults().task = 3;  // the first kernel
  EXPECT_THAT(thrown_by([&] { model.run(executor); }), HasSubstr("a program's run at sim:2"));
  EXPECT_THAT(thrown_by([&] { (void)model.read_state(); }), HasSubstr("a program's run at sim:2"));
  EXPECT_THAT(thrown_by([&] { model.run(executor); }), HasSubstr("a program's run at sim:2"))
      << "which reads it";
  model.scope.find(model.state).copy_(vector({1, 1}));
  EXPECT_THAT(model.run(executor), ElementsAre(3, 7));
  EXPECT_THAT(model.read_state(), ElementsAre(4, 8));
}

// Whoever is told of a failure, no other thread reads a wrong value.
TEST_F(IssuedWorkBesideProgramsTest, ThreadsGetTheRightValueOrAnError) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 150;
  std::atomic<int> right{0};
  std::atomic<int> failed{0};
  std::atomic<int> wrong{0};
  std::atomic<int> running{kThreads};
  const auto count = [&](const std::function<bool()>& is_right) {
    try {
      ++(is_right() ? right : wrong);
    } catch (const Error&) {
      ++failed;
    }
  };
  const auto call_ops = [&] {
    for (int i = 0; i < kRounds; ++i) {
      count([] {
        const Tensor x = full({64}, 1.5, kFloat32, "sim:2");
        const Tensor sum = relu(x + x) + x;
        return sum.to_vector<float>() == std::vector<float>(64, 4.5F);
      });
    }
    --running;
  };
  const auto run_programs = [&] {
    const Model model;
    Executor executor("sim:2", {}, model.scope);
    std::vector<float> state{0, 0};
    for (int i = 0; i < kRounds; ++i) {
      count([&] {
        if (model.run(executor) != std::vector<float>{3, 7}) return false;
        state = {state[0] + 3, state[1] + 7};
        return model.read_state() == state;
      });
      // After a failure the state is as it was left by nobody.
      if (thrown_by([&] { (void)model.read_state(); }) == "nothing") continue;
      try {
        model.scope.set(model.state, vector({0, 0}).to("sim:2"));
        state = {0, 0};
        synchronize("sim:2");
      } catch (const Error&) {
        ++failed;  // the next round sets it again, because this state cannot be read either
      }
    }
    --running;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(i % 2 == 0 ? std::function<void()>(call_ops) : run_programs);
  }
  while (running > 0) {
    if (faults().task == 0) faults().task = 40;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  faults().task = 0;
  for (std::thread& thread : threads) thread.join();
  try {
    synchronize();
  } catch (const Error&) {
    // Ops may have failed whose results nobody has read.
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(right, 0);
  EXPECT_GT(failed, 0);
}

}  // namespace
}  // namespace loci::eager
