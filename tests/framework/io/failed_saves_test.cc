// Each call of a save and of a load fails in turn.
#include <algorithm>
#include <cerrno>
#include <set>

#include "framework/profiler/profile_file.h"
#include "tests/framework/io/saving_fixture.h"
#include "tests/support/taken_over.h"

namespace loci {
namespace {

using test::FaultKind;
using test::FileFault;
using test::FileFaults;

// Calls that are made again when a signal interrupts them.
const std::set<std::string> kInterrupted{"read", "pread", "write", "fsync", "flock"};

class FailedSavesTest : public SavingTest {
 protected:
  // Fails each call of `save` in turn: it goes on, or throws an Error. Calls prepare() before each,
  // and check(whether it threw, what failed) after each.
  template <class Prepare, class Save, class Check>
  static int sweep(FaultKind kind, int error, const Prepare& prepare, const Save& save,
                   const Check& check) {
    for (int at = 0;; ++at) {
      prepare();
      std::string hit;
      bool thrown = false;
      {
        const FileFaults faults(FileFault{at, kind, error, {}});
        try {
          save();
        } catch (const Error& caught) {
          thrown = true;
          EXPECT_THAT(caught.what(), ::testing::StartsWith("["));
        }
        hit = faults.hit();
      }
      if (hit.empty()) {
        EXPECT_FALSE(thrown);
        return at;
      }
      SCOPED_TRACE(::testing::Message() << "call " << at << ", " << hit << ", errno " << error);
      check(thrown, hit);
      if (::testing::Test::HasFailure()) return at;
    }
  }
  int sweep_model(int error, const std::function<void()>& prepare) {
    return sweep(
        FaultKind::kError, error, prepare, [&] { two_.save(directory_); },
        [&](bool thrown, const std::string&) {
          const int found = factor();
          EXPECT_TRUE(found == 2 || (thrown && found == 1)) << found;
          for (const std::string& name : files()) EXPECT_THAT(name, ::testing::Not(temporary()));
          two_.save(directory_);
          EXPECT_EQ(factor(), 2);
          expect_clean();
        });
  }
  static ::testing::Matcher<std::string> temporary() { return ::testing::StartsWith(".loci-"); }

  // Sweeps over saves of a file: `write` makes one with another content each time it is called with
  // another number, and `read` gives that number.
  void sweep_file(const std::function<void(int)>& write, const std::function<int()>& read) {
    for (const int error : {EIO, ENOSPC}) {
      const int calls = sweep(
          FaultKind::kError, error, [&] { write(1); }, [&] { write(2); },
          [&](bool thrown, const std::string&) {
            const int found = read();
            EXPECT_TRUE(found == 2 || (thrown && found == 1)) << found;
            EXPECT_EQ(scratch_.entries(), 1U);
          });
      EXPECT_GT(calls, 8);
    }
  }
};

// The C++ library makes calls for std::filesystem and streams.
TEST_F(FailedSavesTest, CallsOfLibrariesFailToo) {
  for (const char* call : {"open", "read", "write", "writev", "fsync", "rename", "remove", "mkdir",
                           "stat", "opendir", "readdir", "unlinkat", "mmap", "close"}) {
    EXPECT_EQ(test::file_that_answers(call), test::own_file()) << call;
  }
}

TEST_F(FailedSavesTest, AModelIsTheOldOneOrTheNew) {
  for (const int error : {EIO, ENOSPC}) {
    EXPECT_GT(sweep_model(error, [&] { one_.save(directory_); }), 30);
  }
}

TEST_F(FailedSavesTest, SoIsOneWhoseWeightsHaveNoNameYet) {
  EXPECT_GT(sweep_model(EIO, [&] { one_.save_unnamed(directory_); }), 30);
}

TEST_F(FailedSavesTest, TheFirstOneOfADirectoryIsThereOrNot) {
  sweep(
      FaultKind::kError, EIO, [&] { std::filesystem::remove_all(directory_); },
      [&] { two_.save(directory_); },
      [&](bool thrown, const std::string& call) {
        const std::vector<std::string> names = files();
        const bool is_there = std::count(names.begin(), names.end(), "program.json") != 0;
        if (is_there) {
          EXPECT_EQ(factor(), 2);
        } else {
          EXPECT_TRUE(thrown);
          EXPECT_THAT(names, ::testing::IsEmpty());
          // The directory itself may stay if taking it back is what failed.
          if (call != "remove") {
            EXPECT_FALSE(std::filesystem::exists(directory_));
          }
        }
        two_.save(directory_);
        expect_clean();
      });
}

TEST_F(FailedSavesTest, TheSameModelAgainIsWhole) {
  sweep(
      FaultKind::kError, EIO, [&] { two_.save(directory_); }, [&] { two_.save(directory_); },
      [&](bool, const std::string&) {
        EXPECT_EQ(factor(), 2);
        for (const std::string& name : files()) EXPECT_THAT(name, ::testing::Not(temporary()));
      });
}

TEST_F(FailedSavesTest, InterruptedCallsAreMadeAgain) {
  sweep(
      FaultKind::kError, EINTR, [&] { one_.save(directory_); }, [&] { two_.save(directory_); },
      [&](bool thrown, const std::string& call) {
        if (kInterrupted.count(call) != 0) {
          EXPECT_FALSE(thrown);
        }
        const int found = factor();
        EXPECT_TRUE(found == 2 || (thrown && found == 1)) << found;
      });
}

TEST_F(FailedSavesTest, HalfAWriteIsFollowedByTheRest) {
  for (int at = 0;; ++at) {
    one_.save(directory_);
    const FileFaults faults({at, FaultKind::kHalf, 0, "write"});
    two_.save(directory_);
    if (faults.hit().empty()) break;
    EXPECT_EQ(factor(), 2);
  }
}

TEST_F(FailedSavesTest, FileSystemsThatCannotSyncADirectoryWillDo) {
  for (const int error : {EINVAL, ENOTSUP}) {
    for (int at = 0; at < 10; ++at) {
      one_.save(directory_);
      bool thrown = false;
      {
        const FileFaults faults({at, FaultKind::kError, error, "fsync"});
        try {
          two_.save(directory_);
        } catch (const Error&) {
          thrown = true;  // it was a file
        }
        if (faults.hit().empty()) break;
      }
      // weights, program, and then the directory twice
      EXPECT_EQ(thrown, at < 2) << at;
    }
  }
}

TEST_F(FailedSavesTest, WithoutLocksAModelIsSavedAllTheSame) {
  one_.save(directory_);
  for (int at = 0; at < 3; ++at) {
    const FileFaults faults({at, FaultKind::kError, ENOLCK, "flock"});
    (at % 2 == 0 ? two_ : one_).save(directory_);
  }
  EXPECT_EQ(factor(), 2);
}

TEST_F(FailedSavesTest, ALoadGivesTheModelOrAnError) {
  for (const bool is_named : {true, false}) {
    for (const int error : {EIO, ENOENT, EMFILE, EINTR, ENOMEM}) {
      if (is_named) {
        one_.save(directory_);
      } else {
        one_.save_unnamed(directory_);
      }
      const int calls = sweep(
          FaultKind::kError, error, [] {},
          [&] {
            const io::Model model = io::load_model(directory_);
            EXPECT_TRUE(model.has_weights);
            EXPECT_EQ(model.weights.at("w").to_vector<float>().back(), 1.0F);
          },
          [&](bool thrown, const std::string& call) {
            if (error == EINTR && kInterrupted.count(call) != 0) {
              EXPECT_FALSE(thrown);
            }
          });
      EXPECT_GT(calls, 8);
    }
  }
}

TEST_F(FailedSavesTest, SafetensorsAreTheOldOnesOrTheNew) {
  const std::string path = scratch_.path("t.safetensors");
  sweep_file(
      [&](int value) {
        io::save_safetensors(path, {{"t", Tensor::scalar(value)}});
      },
      [&] { return io::load_safetensors(path, "t").item<int>(); });
}

TEST_F(FailedSavesTest, AnArrayIsTheOldOneOrTheNew) {
  const std::string path = scratch_.path("t.npy");
  sweep_file([&](int value) { io::save_npy(path, Tensor::scalar(value)); },
             [&] { return io::load_npy(path).item<int>(); });
}

TEST_F(FailedSavesTest, AProfileIsTheOldOneOrTheNew) {
  const std::string path = scratch_.path("t.profile");
  sweep_file(
      [&](int value) {
        profiler::Recording recording;
        recording.wall_ns = static_cast<std::uint64_t>(value);
        profiler::write_profile(recording, path);
      },
      [&] { return static_cast<int>(profiler::read_profile(path).wall_ns); });
}

}  // namespace
}  // namespace loci
