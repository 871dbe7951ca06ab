#include "framework/device/required_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/device/device.h"
#include "tests/support/fake_device.h"

namespace loci::device {
namespace {

using test::FakeBackend;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(RequiredFunctionsTest, TheFirstThatIsMissingIsNamed) {
  FakeBackend fake;
  EXPECT_NO_THROW(require_opening(fake.backend()));
  EXPECT_NO_THROW(require_memory(fake.backend()));
  EXPECT_NO_THROW(require_streams(fake.backend()));
  fake.backend().api.mem_free = nullptr;
  fake.backend().api.event_query = nullptr;
  EXPECT_NO_THROW(require_opening(fake.backend()));
  EXPECT_THAT([&] { require_memory(fake.backend()); },
              ThrowsMessage<Error>(AllOf(HasSubstr(fake.backend().plugin->id()),
                                         HasSubstr("without the function mem_free"))));
  EXPECT_THAT([&] { require_streams(fake.backend()); },
              ThrowsMessage<Error>(HasSubstr("without the function event_query")));
}

TEST(RequiredFunctionsTest, RefusesABackendThatLacksAFunction) {
  FakeBackend fake;
  fake.backend().api.event_record = nullptr;
  EXPECT_THAT([&] { const Device device(fake.backend(), Place("fake")); },
              ThrowsMessage<Error>(AllOf(HasSubstr("test.fake"), HasSubstr("event_record"))));
}

}  // namespace
}  // namespace loci::device
