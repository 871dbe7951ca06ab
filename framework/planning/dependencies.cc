#include "framework/planning/dependencies.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::Plan;
using execution::PlanValue;
using execution::Space;
using execution::ValueId;

constexpr std::size_t kLeastAhead = 2;

// Who touched a value last.
struct Accesses {
  std::int64_t write = -1;
  std::vector<std::uint32_t> reads;  // since
};

class Finder {
 public:
  explicit Finder(const Plan& plan)
      : plan_(plan), accesses_(plan.values.size()), found_(plan.instructions.size()) {}

  Dependencies run(std::uint64_t ahead_bytes) {
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      visit(static_cast<std::uint32_t>(i));
    }
    limit_copies(ahead_bytes);
    for (std::vector<Dependency>& list : found_) make_unique(list);
    return std::move(found_);
  }

 private:
  void visit(std::uint32_t now) {
    const Instruction& instruction = plan_.instructions[now];
    for (std::size_t k = 0; k < instruction.inputs.size(); ++k) {
      if (instruction.reads(k)) {
        read(instruction.inputs[k], now);
      }
    }
    for (const ValueId id : instruction.outputs) {
      if (id >= 0) write(id, now);
    }
  }

  void read(ValueId id, std::uint32_t now) {
    Accesses& accesses = accesses_[static_cast<std::size_t>(id)];
    if (accesses.write >= 0) add(now, static_cast<std::uint32_t>(accesses.write), id);
    accesses.reads.push_back(now);
  }

  void write(ValueId id, std::uint32_t now) {
    Accesses& accesses = accesses_[static_cast<std::size_t>(id)];
    if (accesses.write >= 0) add(now, static_cast<std::uint32_t>(accesses.write), id);
    for (const std::uint32_t reader : accesses.reads) add(now, reader, id);
    accesses = {now, {}};
  }

  void add(std::uint32_t now, std::uint32_t on, ValueId id) {
    if (on == now) return;
    const bool on_host = plan_.values[static_cast<std::size_t>(id)].space == nullptr;
    found_[now].push_back({on, on_host});
  }

  // Without this, all that lies elsewhere would be brought before the first kernel has run.
  void limit_copies(std::uint64_t ahead_bytes) {
    struct Ahead {
      std::deque<std::uint32_t> copies;
      std::uint64_t bytes = 0;
    };
    const std::vector<std::vector<std::uint32_t>> readers = find_readers();
    std::map<Space, Ahead> by_space;
    for (std::size_t i = 0; i < plan_.instructions.size(); ++i) {
      const auto now = static_cast<std::uint32_t>(i);
      if (plan_.instructions[i].transfer() == nullptr || !found_[i].empty()) continue;
      const PlanValue& to = target(now);
      Ahead& ahead = by_space[to.space];
      ahead.copies.push_back(now);
      ahead.bytes += to.bytes;
      while (ahead.copies.size() > kLeastAhead && ahead.bytes > ahead_bytes) {
        const std::uint32_t oldest = ahead.copies.front();
        for (const std::uint32_t reader : readers[oldest]) {
          if (reader < now) found_[i].push_back({reader, false});
        }
        ahead.bytes -= target(oldest).bytes;
        ahead.copies.pop_front();
      }
    }
  }

  // Lists by instruction that copies: who reads the copy.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> find_readers() const {
    std::vector<std::vector<std::uint32_t>> readers(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      for (const Dependency& dependency : found_[i]) {
        if (plan_.instructions[dependency.on].transfer() == nullptr) continue;
        readers[dependency.on].push_back(static_cast<std::uint32_t>(i));
      }
    }
    return readers;
  }

  [[nodiscard]] const PlanValue& target(std::uint32_t copy) const {
    return plan_.values[static_cast<std::size_t>(plan_.instructions[copy].transfer()->to)];
  }

  static void make_unique(std::vector<Dependency>& list) {
    std::sort(list.begin(), list.end(), [](const Dependency& a, const Dependency& b) {
      return a.on != b.on ? a.on < b.on : a.host_value > b.host_value;
    });
    const auto same = [](const Dependency& a, const Dependency& b) { return a.on == b.on; };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
  }

  const Plan& plan_;
  std::vector<Accesses> accesses_;  // by value
  Dependencies found_;
};

}  // namespace

Dependencies find_dependencies(const Plan& plan, std::uint64_t ahead_bytes) {
  return Finder(plan).run(ahead_bytes);
}

}  // namespace loci::planning
