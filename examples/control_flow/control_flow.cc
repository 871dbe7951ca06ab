// Why a program with branches copies between host and device, and how a device guard ends it.
//
//   build/release/bin/control_flow [DEVICE]     # sim:0
//
// The program takes two branches by comparisons of constants, 100 times. Which branch runs is read
// by the host: where the comparisons are made on the device, each one that is asked for is a copy
// on which the host waits; under DeviceGuard("cpu") there is none. The same program is built twice:
// with case_of(), which reads each predicate once and copies no result, and with its branches
// spelled out, as frameworks do that have no such operator: a conditional_block for a predicate and
// one for its opposite, whose results select_input() joins by a mask. That one makes 400 more
// copies within the device, by assign and select_input, which a report shows as operators: with
// those 1,200 and, guarded, 600.
#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kIterations = 100;

using loci::Variable;

Variable fn_1() { return loci::fill_constant({1, 2}, 1); }
Variable fn_2() { return loci::fill_constant({2, 2}, 2, loci::kInt32); }
Variable fn_3() { return loci::fill_constant({3}, 3, loci::kInt32); }

struct Predicates {
  Variable z_below_x;   // 0.2 < 0.3
  Variable x_below_y;   // not 0.3 < 0.1
  Variable x_equals_y;  // not 0.3 == 0.1
};

Predicates predicates() {
  const Variable x = loci::fill_constant({1}, 0.3);
  const Variable y = loci::fill_constant({1}, 0.1);
  const Variable z = loci::fill_constant({1}, 0.2);
  return {loci::less_than(z, x), loci::less_than(x, y), loci::equal(x, y)};
}

std::vector<Variable> with_cases(const Predicates& given, bool /*guarded*/) {
  return {loci::case_of({{given.z_below_x, fn_1}, {given.x_below_y, fn_2}}, fn_3),
          // Without a default the last branch is it.
          loci::case_of({{given.x_below_y, fn_2}, {given.x_equals_y, fn_3}})};
}

// Spells out what a choice by a predicate comes down to without cond().
Variable spelled_out(const Variable& predicate, bool guarded,
                     const std::function<Variable()>& if_true,
                     const std::function<Variable()>& if_false) {
  const auto listed = [](const std::function<Variable()>& branch) {
    return [branch] { return std::vector<Variable>{branch()}; };
  };
  Variable opposite;
  Variable mask;
  {
    std::optional<loci::DeviceGuard> on_cpu;
    if (guarded) on_cpu.emplace("cpu");
    opposite = loci::logical_not(predicate);
    mask = loci::cast(predicate, loci::kInt32);
  }
  const Variable yes = loci::conditional_block(predicate, listed(if_true)).front();
  const Variable no = loci::conditional_block(opposite, listed(if_false)).front();
  return loci::select_input(mask, {no, yes});
}

std::vector<Variable> with_blocks(const Predicates& given, bool guarded) {
  // Out of its block a result is handed as a copy.
  const auto copied = [](Variable (*branch)()) {
    return [branch] { return loci::assign(branch()); };
  };
  const auto otherwise = [&] {
    return spelled_out(given.x_below_y, guarded, copied(fn_2), copied(fn_3));
  };
  return {spelled_out(given.z_below_x, guarded, copied(fn_1), otherwise), otherwise()};
}

using Build = std::vector<Variable> (*)(const Predicates&, bool);

// Copies between places in all iterations.
std::size_t copies(const std::string& device, Build build, bool guarded,
                   const loci::CompileOptions& options) {
  const loci::Program program;
  const loci::ProgramGuard building(program);
  Predicates given;
  {
    std::optional<loci::DeviceGuard> on_cpu;
    if (guarded) on_cpu.emplace("cpu");
    given = predicates();
  }
  const std::vector<Variable> outs = build(given, guarded);
  loci::Executor executor(device, options, loci::Scope());
  const std::size_t before = loci::inspect::transfers().size();
  std::vector<loci::Tensor> results;
  for (int i = 0; i < kIterations; ++i) {
    results = executor.run(program, {}, {outs[0], outs[1]});
  }
  if (results[0].to_vector<float>() != std::vector<float>{1, 1} ||
      results[1].to_vector<std::int32_t>() != std::vector<std::int32_t>{3, 3, 3}) {
    throw std::runtime_error("wrong results");
  }
  return loci::inspect::transfers().size() - before;
}

void report(const std::string& device, const char* title, Build build) {
  const auto none = loci::CompileOptions::none();
  std::printf("%-28s %12zu %12zu %12zu %12zu\n", title, copies(device, build, false, none),
              copies(device, build, true, none), copies(device, build, false, {}),
              copies(device, build, true, {}));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string device = argc > 1 ? argv[1] : "sim:0";
    std::printf("copies between places in %d runs at %s\n", kIterations, device.c_str());
    std::printf("%-28s %12s %12s %12s %12s\n", "", "as written", "guarded", "default", "guarded");
    report(device, "case_of", with_cases);
    report(device, "conditional_block, select", with_blocks);
    std::printf("[[1. 1.]]\n[3 3 3]\n");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "control_flow: %s\n", error.what());
    return 1;
  }
}
