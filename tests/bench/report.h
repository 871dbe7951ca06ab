// A benchmark program prints one object with its figures, the peer's and the ratios.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/bench/roofline.h"

namespace loci::bench {

// One figure. A row without a budget has none.
struct Row {
  std::string name;
  double value = 0;
  std::string unit;
  bool less_is_better = true;
  std::string peer;  // what it is compared with; empty: nothing
  std::optional<double> peer_value;
  std::optional<double> budget;
  std::map<std::string, double> peers;  // all of them
  int threads = 0;                      // 0: it does not say
  std::vector<OperatorTime> operators;  // of a call, where a roofline is wanted

  [[nodiscard]] std::optional<double> ratio() const;
  [[nodiscard]] std::optional<bool> met() const;
};

// Says if a benchmark knows of its rows what they consist of.
enum class Roofline { kNone, kOffered };

class Report {
 public:
  // `--json` prints JSON, otherwise a table; `--only TEXT` wants the rows that have the text in
  // their names; `--roofline`, where it is offered, wants the operators of rows and the limits of
  // the machine. Throws std::invalid_argument for another argument.
  Report(std::string bench, int argc, char** argv, Roofline roofline = Roofline::kNone);

  [[nodiscard]] bool wants_roofline() const { return wants_roofline_; }
  // Adds the limits of a number of threads; rows of as many are compared with them.
  void add_limits(Limits limits) { limits_.push_back(std::move(limits)); }

  // Returns true if a row is asked for; benchmarks of many rows ask before they measure.
  [[nodiscard]] bool is_wanted(const std::string& name) const {
    return name.find(only_) != std::string::npos;
  }
  void add(Row row) { rows_.push_back(std::move(row)); }
  // A remark for people, such as why a peer is absent. Shown once, however often it is made.
  void note(const std::string& text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.push_back(text);
  }
  void print() const;

 private:
  void print_json() const;
  void print_table() const;
  // Null for a row without operators, or of threads of which no limits are known.
  [[nodiscard]] const Limits* limits_of(const Row& row) const;

  std::string bench_;
  bool json_ = false;
  bool wants_roofline_ = false;
  std::vector<Limits> limits_;
  std::string only_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

// Throws std::runtime_error if there are no values.
double median(std::vector<double> values);

// The median time of a call in nanoseconds: Google Benchmark runs each of the bodies `repetitions`
// times, in turns, so that what the machine does meanwhile meets all of them alike.
std::vector<double> median_ns(
    const std::vector<std::pair<std::string, std::function<void()>>>& bodies, int repetitions);

}  // namespace loci::bench
