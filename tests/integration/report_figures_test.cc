// One run has one truth: what reports of different plugins say of an operator is the same, whatever
// kind of run it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <loci/captured_function.hpp>
#include <loci/graph.hpp>
#include <loci/loci.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using nlohmann::json;

constexpr int kSteps = 3;

// The figures of all operators of a type.
struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t total_ns = 0;       // from begin to end
  std::uint64_t host_ns = 0;        // without what lies within, but for its phases and calls
  std::uint64_t device_ns = 0;      // launched by itself
  std::uint64_t all_device_ns = 0;  // launched within
};
using ByOperator = std::map<std::string, Figures>;

bool is_operator(const std::string& kind) { return kind == "op" || kind == "gradient"; }

ByOperator of_json(const std::string& text) {
  ByOperator found;
  const json profile = json::parse(text);
  for (const json& row : profile["rows"]) {
    if (!is_operator(row["kind"])) continue;
    Figures& sum = found[row["name"]];
    sum.calls += row["calls"].get<std::uint64_t>();
    sum.host_ns += row["host_ns"].get<std::uint64_t>();
    sum.device_ns += row["device_ns"].get<std::uint64_t>();
  }
  return found;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char one : line) {
    if (one == '"') {
      is_quoted = !is_quoted;
    } else if (one == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += one;
    }
  }
  return cells;
}

// The call tree, a row a node, as depths tell.
class Tree {
 public:
  explicit Tree(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    for (const std::string& title : cells_of(line)) columns_.emplace(title, columns_.size());
    while (std::getline(lines, line)) {
      if (line.rfind("# ", 0) != 0) add(cells_of(line));
    }
  }
  [[nodiscard]] const ByOperator& operators() const { return operators_; }

 private:
  struct Node {
    std::string kind;
    std::string name;
    std::string owner;  // the operator whose time it is; empty: none's
  };

  void add(const std::vector<std::string>& cells) {
    const auto number = [&](const char* column) {
      return static_cast<std::uint64_t>(std::stoull(cells[columns_.at(column)]));
    };
    around_.resize(number("depth"));
    Node node{cells[columns_.at("kind")], cells[columns_.at("name")], {}};
    const bool is_part = node.kind == "phase" || node.kind == "call";
    if (is_operator(node.kind)) {
      node.owner = node.name;
    } else if (is_part && !around_.empty()) {
      node.owner = around_.back().owner;
    }
    if (!node.owner.empty()) operators_[node.owner].host_ns += number("self_ns");
    add_device_time(node, number("device_ns"));
    if (is_operator(node.kind)) {
      Figures& sum = operators_[node.name];
      sum.calls += number("calls");
      sum.total_ns += number("total_ns");
      sum.all_device_ns += number("device_ns");
    }
    around_.push_back(std::move(node));
  }

  // A node's device time is its parent's too, which did not launch it itself.
  void add_device_time(const Node& node, std::uint64_t ns) {
    const std::string parent = around_.empty() ? "" : around_.back().owner;
    if (!node.owner.empty()) operators_[node.owner].device_ns += ns;
    if (!parent.empty()) operators_[parent].device_ns -= ns;
  }

  std::map<std::string, std::size_t> columns_;
  std::vector<Node> around_;
  ByOperator operators_;
};

ByOperator of_trace(const std::string& text) {
  ByOperator found;
  const json trace = json::parse(text);
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X" || !is_operator(event.value("cat", ""))) continue;
    const std::string title = event["name"];
    Figures& sum = found[title.substr(0, title.find(' '))];
    sum.total_ns += static_cast<std::uint64_t>(std::llround(event["dur"].get<double>() * 1000));
    if (!event["args"].value("part", false)) ++sum.calls;
  }
  return found;
}

// "Stat=relu    total=1.25   avg=0.41  max=0.5  min=0.3  count=3"
ByOperator of_statset(const std::string& text) {
  ByOperator found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("Stat=", 0) != 0) continue;
    Figures& sum = found[line.substr(5, line.find(' ') - 5)];
    sum.total_ns = static_cast<std::uint64_t>(
        std::llround(std::stod(line.substr(line.find("total=") + 6)) * 1e6));
    sum.calls = std::stoull(line.substr(line.find("count=") + 6));
  }
  return found;
}

// "thread0::relu  3  0.05  0.04 (0.9)  0.01 (0.1)  ...", and within another one "  relu ...": of
// the first table, which is that of all threads.
ByOperator of_classic(const std::string& text) {
  ByOperator found;
  std::istringstream lines(text.substr(text.find("\nEvent ") + 1));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    std::string name, total, cpu, cpu_ratio, gpu;
    std::uint64_t calls = 0;
    words >> name >> calls >> total >> cpu >> cpu_ratio >> gpu;
    const std::size_t prefix = name.find("::");
    Figures& sum = found[prefix == std::string::npos ? name : name.substr(prefix + 2)];
    sum.calls += calls;
    sum.total_ns += static_cast<std::uint64_t>(std::llround(std::stod(cpu) * 1e6));
    sum.all_device_ns += static_cast<std::uint64_t>(std::llround(std::stod(gpu) * 1e6));
  }
  return found;
}

struct Kind {
  const char* name;
  std::function<void(const Place&)> run;
};

Tensor square(const Place& place) { return full({48, 48}, 0.02, kFloat32, place); }

std::vector<Tensor> block(const std::vector<Tensor>& in) {
  return {softmax(relu(matmul(in[0], in[0]) + 1.0) * 0.5)};
}

void run_plan(const Place& place) {
  const Program main;
  Variable sum;
  {
    const ProgramGuard building(main, Program());
    const Variable x = fill_constant({48, 48}, 0.02);
    Variable bent;
    {
      const DeviceGuard guard("cpu");
      bent = tanh(matmul(x, x));
    }
    sum = reduce_sum(softmax(bent) + 1.0, {1});
  }
  Executor executor(place);
  for (int i = 0; i < kSteps; ++i) static_cast<void>(executor.run(main, {}, {sum}));
}

void run_eager(const Place& place) {
  for (int i = 0; i < kSteps; ++i) static_cast<void>(block({square(place)})[0].to_vector<float>());
}

void run_gradients(const Place& place) {
  Tensor w = square(place);
  w.set_requires_grad();
  for (int i = 0; i < kSteps; ++i) reduce_mean(tanh(matmul(w, w))).backward();
  static_cast<void>(w.grad().to_vector<float>());
}

void run_graph(const Place& place) {
  const Tensor x = square(place);
  Graph graph(place);
  graph.capture_begin();
  const Tensor y = block({x})[0];
  graph.capture_end();
  for (int i = 0; i < kSteps; ++i) graph.replay();
  static_cast<void>(y.to_vector<float>());
}

void run_captured(const Place& place) {
  CapturedFunction step(&block, CaptureOptions{.place = place});
  for (int i = 0; i < kSteps; ++i) static_cast<void>(step({square(place)})[0].to_vector<float>());
}

void run_compiled(const Place& place) {
  const auto step = compile(&block, {square(place)});
  for (int i = 0; i < kSteps; ++i) static_cast<void>(step({square(place)})[0].to_vector<float>());
}

void run_threads(const Place& place) {
  std::vector<std::thread> threads;
  threads.emplace_back(run_eager, place);
  threads.emplace_back(run_gradients, place);
  threads.emplace_back(run_plan, place);
  for (std::thread& thread : threads) thread.join();
}

const std::vector<Kind>& kinds() {
  static const auto& all = *new std::vector<Kind>{
      {"plan", run_plan},      {"eager", run_eager},       {"gradients", run_gradients},
      {"graph", run_graph},    {"captured", run_captured}, {"compiled", run_compiled},
      {"threads", run_threads}};
  return all;
}

class ReportFiguresTest : public ::testing::TestWithParam<std::tuple<std::size_t, const char*>> {
 protected:
  void record() {
    const auto& [kind, place] = GetParam();
    const ::loci::DeviceGuard guard{Place(place)};
    kinds()[kind].run(place);  // not of the first run
    Profiler profiler(ProfilerOptions()
                          .quality(false)
                          .reporter("json=" + file("json"))
                          .reporter("csv=" + file("csv"))
                          .reporter("trace=" + file("trace"))
                          .reporter("statset=" + file("statset"))
                          .reporter("classic=" + file("classic")));
    kinds()[kind].run(place);
    synchronize();
    for (const std::string& failure : profiler.stop()) ADD_FAILURE() << failure;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return scratch_.path(name); }
  [[nodiscard]] std::string read(const std::string& name) const { return scratch_.read(name); }

 private:
  test::ScratchDirectory scratch_;
};

// The numbers are printed with six digits.
void expect_near(std::uint64_t one, std::uint64_t other, double least, const char* what) {
  const double rounding = 2e-6 * static_cast<double>(std::max(one, other)) + least;
  EXPECT_NEAR(static_cast<double>(one), static_cast<double>(other), rounding) << what;
}

TEST_P(ReportFiguresTest, AreTheSameInAllReports) {
  record();
  const Tree tree(read("csv"));
  const ByOperator rows = of_json(read("json"));
  const ByOperator trace = of_trace(read("trace"));
  const ByOperator stats = of_statset(read("statset"));
  const ByOperator classic = of_classic(read("classic"));
  EXPECT_EQ(rows.size(), tree.operators().size());
  EXPECT_GE(rows.size(), 3U);
  for (const auto& [name, want] : tree.operators()) {
    SCOPED_TRACE(name);
    ASSERT_EQ(rows.count(name), 1U) << read("json");
    ASSERT_EQ(trace.count(name), 1U) << read("trace");
    ASSERT_EQ(stats.count(name), 1U) << read("statset");
    ASSERT_EQ(classic.count(name), 1U) << read("classic");
    EXPECT_EQ(rows.at(name).calls, want.calls) << "json";
    EXPECT_EQ(trace.at(name).calls, want.calls) << "trace";
    EXPECT_EQ(stats.at(name).calls, want.calls) << "statset";
    EXPECT_EQ(classic.at(name).calls, want.calls) << "classic";
    EXPECT_EQ(rows.at(name).host_ns, want.host_ns) << "json";
    EXPECT_EQ(rows.at(name).device_ns, want.device_ns) << "json";
    EXPECT_EQ(trace.at(name).total_ns, want.total_ns) << "trace";
    expect_near(stats.at(name).total_ns, want.total_ns, 1000, "statset");
    expect_near(classic.at(name).total_ns, want.total_ns, 1, "classic");
    expect_near(classic.at(name).all_device_ns, want.all_device_ns, 1, "classic");
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, ReportFiguresTest,
                         ::testing::Combine(::testing::Range<std::size_t>(0, kinds().size()),
                                            ::testing::Values("cpu", "sim:0")),
                         [](const auto& tested) {
                           const std::string place = std::get<1>(tested.param);
                           return fmt::format("{}_{}", kinds()[std::get<0>(tested.param)].name,
                                              place.substr(0, 3));
                         });

}  // namespace
}  // namespace loci
