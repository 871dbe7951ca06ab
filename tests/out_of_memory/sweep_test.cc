// Memory that runs out: at each place that allocates, and at any allocation, operator new fails
// once. The work gives an error or its right numbers then, and its right numbers the next time.
//
// A process of its own for each failure, from the first use of Loci on. How many are tried of each
// workload is in LOCI_OUT_OF_MEMORY_CASES: a number, or "all" for each place and 1,000 allocations.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <loci/error.hpp>
#include <loci/settings.hpp>
#include <loci/stream.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/out_of_memory/failing_new.h"
#include "tests/out_of_memory/workload.h"
#include "tests/support/scratch_directory.h"

namespace loci::oom {
namespace {

// Where a child waits for what never comes.
constexpr unsigned kSecondsUntilHung = 300;
constexpr std::size_t kFewCases = 24;
constexpr std::size_t kManyNumbers = 1000;

struct Shared {
  static constexpr std::size_t kMostValues = 4096;
  Journal journal;
  std::size_t value_count = 0;
  float values[kMostValues] = {};
  char verdict[2048] = {};  // empty: all was as it has to be
};

// Anonymous memory that children write to.
class SharedMemory {
 public:
  SharedMemory() {
    void* memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map shared memory");
    shared_ = ::new (memory) Shared();
  }
  ~SharedMemory() { ::munmap(shared_, sizeof(Shared)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  Shared* operator->() const { return shared_; }

 private:
  Shared* shared_;
};

void set_verdict(const SharedMemory& shared, const std::string& text) {
  std::snprintf(shared->verdict, sizeof shared->verdict, "%s", text.c_str());
}

// Runs the work in a child, whose messages go to the file. How it ended: "" is well.
template <class Work>
std::string run_in_child(const std::string& messages, const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSecondsUntilHung);
    const int file = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ::dup2(file, STDERR_FILENO);
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGALRM
               ? "it hung"
               : "it was ended by signal " + std::to_string(WTERMSIG(status));
  }
  return WEXITSTATUS(status) == 0 ? ""
                                  : "it ended with code " + std::to_string(WEXITSTATUS(status));
}

bool is_expected(const SharedMemory& shared, const std::vector<float>& values) {
  return values.size() == shared->value_count &&
         std::memcmp(values.data(), shared->values, values.size() * sizeof(float)) == 0;
}

// Failures in results that nobody has read are told here.
void settle() {
  for (int i = 0; i < 3; ++i) {
    try {
      synchronize();
      return;
    } catch (const Error&) {
      continue;
    }
  }
}

void note_in_child(const SharedMemory& shared, const Workload& workload) {
  note_allocations(&shared->journal);
  const std::vector<float> values = workload.run();
  let_allocate();
  shared->value_count = std::min(values.size(), Shared::kMostValues);
  std::memcpy(shared->values, values.data(), shared->value_count * sizeof(float));
}

template <class Arm>
void fail_in_child(const SharedMemory& shared, const Workload& workload, const Arm& arm) {
  std::string first = "gave its numbers";
  arm(&shared->journal);
  try {
    if (!is_expected(shared, workload.run())) set_verdict(shared, "it gave wrong numbers");
  } catch (const Error& error) {
    first = std::string("threw ") + error.what();
  } catch (const std::bad_alloc&) {
    first = "threw std::bad_alloc";
  } catch (const std::exception& error) {
    set_verdict(shared, std::string("it threw what is no loci::Error: ") + error.what());
  }
  let_allocate();
  settle();
  try {
    if (!is_expected(shared, workload.run())) {
      set_verdict(shared, "wrong numbers at the second time; at first it " + first);
    }
  } catch (const std::exception& error) {
    set_verdict(shared, std::string("failed at the second time: ") + error.what() +
                            "\n  at first it " + first);
  }
}

std::size_t cases_of_each_kind(std::size_t all) {
  const char* stated = std::getenv("LOCI_OUT_OF_MEMORY_CASES");
  if (stated == nullptr) return std::min(kFewCases, all);
  if (std::string(stated) == "all") return all;
  return std::min<std::size_t>(std::strtoul(stated, nullptr, 10), all);
}

class SweepTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    // Not in this process, which has to stay as a new one is.
    const std::string messages = files_.path("messages");
    ASSERT_EQ(run_in_child(messages, [&] { make_model(files_.path()); }), "") << read(messages);
    ASSERT_EQ(run_in_child(messages, [&] { note_in_child(shared_, workload_); }), "")
        << read(messages);
    ASSERT_GT(shared_->value_count, 0U);
    ASSERT_LT(shared_->value_count, Shared::kMostValues);
    ASSERT_GT(shared_->journal.stack_count, 100U);
    ASSERT_LT(shared_->journal.stack_count, Journal::kMostStacks);
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Returns true if an allocation failed as `arm` has said.
  template <class Arm>
  bool try_one(const std::string& what, const Arm& arm) {
    shared_->journal.has_failed = false;
    shared_->journal.text[0] = shared_->verdict[0] = '\0';
    const std::string messages = files_.path("messages");
    const std::string end = run_in_child(messages, [&] { fail_in_child(shared_, workload_, arm); });
    EXPECT_TRUE(end.empty() && shared_->verdict[0] == '\0')
        << workload_.name << " at " << what << ": " << end << shared_->verdict << "\n  failed in\n"
        << shared_->journal.text << "  messages\n"
        << read(messages).substr(0, 4000);
    return shared_->journal.has_failed;
  }

  test::ScratchDirectory files_;
  SharedMemory shared_;
  Workload workload_ = make_workloads(files_.path()).at(GetParam());
};

// A number of them, evenly spread.
template <class T>
std::vector<T> some_of(const std::vector<T>& all, std::size_t count) {
  std::vector<T> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(all[i * all.size() / count]);
  return chosen;
}

TEST_P(SweepTest, EachPlaceThatAllocates) {
  const Journal& journal = shared_->journal;
  const std::vector<Stack> all(journal.stacks, journal.stacks + journal.stack_count);
  const std::vector<Stack> chosen = some_of(all, cases_of_each_kind(all.size()));
  std::size_t failed = 0;
  for (std::size_t i = 0; i < chosen.size() && !HasFatalFailure(); ++i) {
    const auto arm = [&](Journal* shared) { fail_at_stack(shared, chosen[i]); };
    failed += try_one("place " + std::to_string(i), arm) ? 1 : 0;
  }
  std::printf("%s: %zu of %zu places tried, %zu allocations failed\n", workload_.name.c_str(),
              chosen.size(), all.size(), failed);
  EXPECT_GT(failed, chosen.size() / 2);
}

TEST_P(SweepTest, AnyAllocation) {
  const std::uint64_t all = shared_->journal.allocations;
  const std::size_t count = cases_of_each_kind(kManyNumbers);
  std::mt19937_64 random(GetParam());
  std::size_t failed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t number = 1 + random() % all;
    const auto arm = [&](Journal* shared) { fail_at_number(shared, number); };
    failed += try_one("allocation " + std::to_string(number), arm) ? 1 : 0;
  }
  std::printf("%s: %zu of %zu allocations tried, %zu failed\n", workload_.name.c_str(), count,
              static_cast<std::size_t>(all), failed);
  EXPECT_GT(failed, count / 2);
}

// That of a device, at each of the first calls. The allocator asks again for less; a workload that
// uses no device skips it.
TEST_P(SweepTest, EachDeviceAllocation) {
  constexpr int kCalls = 12;
  if (workload_.name.find("_sim") == std::string::npos) GTEST_SKIP() << "it uses no device";
  for (int call = 1; call <= kCalls; ++call) {
    const auto arm = [&](Journal*) { config::set("SIM", "fail_alloc=" + std::to_string(call)); };
    (void)try_one("device allocation " + std::to_string(call), arm);
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, SweepTest,
                         ::testing::Range(std::size_t{0}, make_workloads("").size()),
                         [](const auto& info) { return make_workloads("")[info.param].name; });

}  // namespace
}  // namespace loci::oom
