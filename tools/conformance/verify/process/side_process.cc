#include "tools/conformance/verify/process/side_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "tools/conformance/verify/process/last_words.h"
#include "tools/conformance/verify/process/verdict_line.h"

namespace loci::verify {
namespace {

constexpr const char* kDone = "done";
// So many in a row that have to be run alone speak of a device that does not work.
constexpr int kMostLeftInARow = 3;

struct MustRunAlone {};

// The child of a SideProcess runs this.
class SideRun {
 public:
  SideRun(const SideWork& work, int descriptor) : work_(work), descriptor_(descriptor) {
    if (work.vitality != nullptr) vitality_ = *work.vitality;
  }

  void run() {
    share_last_words_anew();
    int left_in_a_row = 0;
    while (next_ < work_.groups.size() && left_in_a_row < kMostLeftInARow) {
      const std::size_t begun = next_;
      try {
        run_groups();
        return;
      } catch (const MustRunAlone&) {
        if (!first_checks_passed_) return;
        left_in_a_row = next_ == begun ? left_in_a_row + 1 : 1;
        ++next_;
      }
    }
  }

 private:
  // Numbers of a check and of its group.
  struct Planned {
    std::size_t check;
    std::size_t group;
  };

  // Those from the next one on, as long as all goes well.
  void run_groups() {
    const std::vector<Planned> places = places_from_next();
    std::vector<Check> checks;
    checks.reserve(places.size());
    for (const Planned& place : places) checks.push_back(work_.checks[place.check]);
    first_checks_passed_ = work_.first_checks == 0;
    std::size_t ended = 0;
    const auto judge = [&](const Result& result) {
      const Planned place = places[ended++];
      next_ = place.group;
      take(place.check, result);
      first_checks_passed_ = ended >= work_.first_checks;
    };
    run_isolated(checks, work_.patience, judge, work_.vitality == nullptr ? nullptr : &vitality_);
  }

  [[nodiscard]] std::vector<Planned> places_from_next() const {
    std::vector<Planned> places;
    for (std::size_t check = 0; check < work_.first_checks; ++check) {
      places.push_back({check, next_});
    }
    for (std::size_t group = next_; group < work_.groups.size(); ++group) {
      for (const std::size_t check : work_.groups[group]) places.push_back({check, group});
    }
    return places;
  }

  void take(std::size_t number, const Result& result) const {
    if (result.outcome != Outcome::kPassed && result.outcome != Outcome::kAbsent) {
      throw MustRunAlone();
    }
    if (number < work_.first_checks) return;
    write_all(descriptor_, fmt::format("{} {} {}\n", number, result.took.count(), to_line(result)));
  }

  const SideWork& work_;
  int descriptor_;
  Vitality vitality_;
  std::size_t next_ = 0;  // of the groups
  bool first_checks_passed_ = false;
};

[[noreturn]] void run_as_child(const SideWork& work, int descriptor) {
  try {
    SideRun(work, descriptor).run();
    write_all(descriptor, std::string(kDone) + "\n");
  } catch (const std::exception&) {
    ::_exit(EXIT_FAILURE);  // what it has not told of is run alone
  }
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

SideProcess::SideProcess(const SideWork& work) : SideProcess(work, make_pipe()) {}

SideProcess::SideProcess(const SideWork& work, Pipe pipe)
    : checks_(work.checks),
      read_end_(pipe.read_end),
      write_end_(pipe.write_end),
      child_([&] { run_as_child(work, write_end_.number()); }) {
  write_end_.close();
}

void SideProcess::read(const Told& told) {
  char bytes[4096];
  const ssize_t count = ::read(read_end_.number(), bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return;
  if (count <= 0) {
    is_done_ = true;
    return;
  }
  received_.append(bytes, static_cast<std::size_t>(count));
  for (std::size_t end = received_.find('\n'); end != std::string::npos;
       end = received_.find('\n')) {
    const std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    take(line, told);
  }
}

void SideProcess::take(const std::string& line, const Told& told) {
  if (line == kDone) {
    is_done_ = true;
    return;
  }
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  const std::size_t number = std::stoul(line.substr(0, first));
  const std::chrono::nanoseconds took(std::stoll(line.substr(first + 1, second - first - 1)));
  told(number, {from_line(line.substr(second + 1)), checks_.at(number).name, took});
}

}  // namespace loci::verify
