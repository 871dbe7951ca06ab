// Without timers and profiler: this program links nothing of Loci, so that it shows that nothing is
// left of them.
#include <gtest/gtest.h>

#include <loci/timer.hpp>

#include "framework/profiler/scope.h"

namespace loci {
namespace {

static_assert(LOCI_WITH_TIMER == 0 && LOCI_WITH_PROFILER == 0, "not the header of this test");

TEST(CompiledOutTest, TimersDoNotEvaluateTheirArguments) {
  int calls = 0;
  const auto name = [&calls] {
    ++calls;
    return "name";
  };
  LOCI_TIMER(name());
  LOCI_TIMER_INFO(name(), name(), name());
  LOCI_GPU_PROFILER(name(), name());
  EXPECT_EQ(calls, 0);
  EXPECT_STREQ(name(), "name");
}

TEST(CompiledOutTest, ScopesRecordNothing) {
  profiler::detail::recording_contexts = 1;
  {
    profiler::Scope scope(0);
    scope.add_flags(LOCI_SPAN_FAILED);
    EXPECT_FALSE(scope.is_recorded());
    scope.end();
  }
  EXPECT_FALSE(profiler::records_at(profiler::Level::kOp));
}

}  // namespace
}  // namespace loci
