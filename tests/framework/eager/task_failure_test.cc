#include "framework/eager/task_failure.h"

#include <new>
#include <stdexcept>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TaskFailureTest : public EagerTest {
 protected:
  // Returns the error of a copy that ends with that exception.
  template <class Exception>
  static Error error_of(const Exception& exception) {
    Task copy;
    copy.arguments.push_back(vector({1, 2}).impl());
    copy.arguments.push_back(vector({3, 4}).impl());
    try {
      throw exception;
    } catch (...) {
      return failure_of(copy)->error;
    }
  }
  static std::shared_ptr<tensor::Failure> failure(const char* text) {
    return std::make_shared<tensor::Failure>(Error(ErrorCode::kInternal, text));
  }
};

TEST_F(TaskFailureTest, NamesTheTask) {
  const Error error = error_of(Error(ErrorCode::kUnavailable, "the cable is out"));
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
  EXPECT_THAT(error.what(), StartsWith("[copy] float32 [2] from cpu to cpu"));
  EXPECT_THAT(error.what(), HasSubstr(": the cable is out"));
}

TEST_F(TaskFailureTest, WithoutMemorySaysWhatToDo) {
  const Error error = error_of(std::bad_alloc());
  EXPECT_EQ(error.code(), ErrorCode::kOutOfMemory);
  EXPECT_THAT(error.what(), HasSubstr("free some and try again"));
}

TEST_F(TaskFailureTest, AnyOtherExceptionIsInternal) {
  const Error error = error_of(std::runtime_error("odd"));
  EXPECT_EQ(error.code(), ErrorCode::kInternal);
  EXPECT_THAT(error.what(), HasSubstr(": odd"));
}

TEST_F(TaskFailureTest, TheFirstUntoldOneIsToldOnce) {
  UntoldFailure untold;
  EXPECT_NO_THROW(untold.tell());
  untold.note(failure("first"));
  untold.note(failure("second"));
  EXPECT_THAT([&] { untold.tell(); }, testing::ThrowsMessage<Error>("first"));
  EXPECT_NO_THROW(untold.tell());
}

TEST_F(TaskFailureTest, OneThatWasThrownElsewhereGivesWay) {
  UntoldFailure untold;
  const auto thrown = failure("thrown");
  untold.note(thrown);
  thrown->was_thrown = true;
  untold.note(failure("next"));
  EXPECT_THAT([&] { untold.tell(); }, testing::ThrowsMessage<Error>("next"));
}

}  // namespace
}  // namespace loci::eager
