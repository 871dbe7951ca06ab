#include "framework/dispatch/fallback_notes.h"

#include <gtest/gtest.h>

namespace loci::dispatch {
namespace {

TEST(FallbackNotesTest, TellsOnceForACallerAnOpAndAPlace) {
  FallbackNotes notes;
  EXPECT_TRUE(notes.is_first(1, "argmax", "sim:0"));
  EXPECT_FALSE(notes.is_first(1, "argmax", "sim:0"));
  EXPECT_TRUE(notes.is_first(2, "argmax", "sim:0"));
  EXPECT_TRUE(notes.is_first(1, "argmax", "sim:1"));
  EXPECT_TRUE(notes.is_first(1, "nonzero", "sim:0"));
}

TEST(FallbackNotesTest, FormsOfAFunctionAreTheSameCaller) {
  FallbackNotes notes;
  notes.tell_as(5, 5);
  notes.tell_as(6, 5);
  EXPECT_TRUE(notes.is_first(5, "argmax", "sim:0"));
  EXPECT_FALSE(notes.is_first(6, "argmax", "sim:0"));
}

TEST(FallbackNotesTest, ForgetsTheOldestPrograms) {
  FallbackNotes notes;
  EXPECT_TRUE(notes.is_first(FallbackNotes::kImperative, "argmax", "sim:0"));
  for (std::uint64_t program = 1; program <= 10000; ++program) {
    EXPECT_TRUE(notes.is_first(program, "argmax", "sim:0"));
    notes.tell_as(program + 100000, program);
  }
  EXPECT_FALSE(notes.is_first(FallbackNotes::kImperative, "argmax", "sim:0"));
  EXPECT_FALSE(notes.is_first(10000, "argmax", "sim:0"));
  EXPECT_FALSE(notes.is_first(110000, "argmax", "sim:0"));
  EXPECT_TRUE(notes.is_first(1, "argmax", "sim:0"));
}

}  // namespace
}  // namespace loci::dispatch
