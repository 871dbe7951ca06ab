#include "framework/profiler/transfer_diff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>

#include "framework/profiler/abi_text.h"

namespace loci::profiler {
namespace {

// Variable, reason, source, target, whether the host waited.
using Key =
    std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, bool>;
using Transfers = std::map<Key, TransferDiff>;
using Side = TransferDiff::Side;

// `side` says which.
class Counter {
 public:
  Counter(const Profile& profile, std::size_t steps, Side TransferDiff::*side)
      : abi_(profile.abi()), steps_(static_cast<double>(steps)), side_(side) {}

  void count(Transfers& transfers, ProfileDiff& diff) const {
    for (std::size_t i = 0; i < abi_.copy_count; ++i) {
      const loci_profile_copy& copy = abi_.copies[i];
      if (copy.crosses == 0) continue;
      const loci_profile_label& label = abi_.labels[copy.label];
      add(transfers[key_of(label, true)], copy.waited, label.bytes);
      add(transfers[key_of(label, false)], copy.calls - copy.waited, label.bytes);
      add(diff.waited_transfers, copy.waited, label.bytes);
      add(diff.other_transfers, copy.calls - copy.waited, label.bytes);
    }
  }

 private:
  static Key key_of(const loci_profile_label& label, bool host_waited) {
    return {to_view(label.variable), to_view(label.reason), to_view(label.source),
            to_view(label.target), host_waited};
  }

  void add(TransferDiff& transfer, std::uint64_t calls, std::uint64_t bytes_of_one) const {
    Side& side = transfer.*side_;
    side.calls += calls;
    side.bytes += calls * bytes_of_one;
    side.calls_per_step = static_cast<double>(side.calls) / steps_;
    side.bytes_per_step = static_cast<double>(side.bytes) / steps_;
  }

  const loci_profile& abi_;
  const double steps_;
  Side TransferDiff::*const side_;
};

bool is_changed(const TransferDiff& transfer) {
  return transfer.a.calls_per_step != transfer.b.calls_per_step ||
         transfer.a.bytes_per_step != transfer.b.bytes_per_step;
}

// Those for which the host waits cost most.
bool comes_first(const TransferDiff& x, const TransferDiff& y) {
  const auto change = [](double a, double b) { return -std::abs(b - a); };
  const auto rank = [&](const TransferDiff& of) {
    return std::tuple(!of.host_waited, change(of.a.calls_per_step, of.b.calls_per_step),
                      change(of.a.bytes_per_step, of.b.bytes_per_step));
  };
  return rank(x) < rank(y);
}

}  // namespace

void compare_transfers(const Profile& a, std::size_t a_steps, const Profile& b, std::size_t b_steps,
                       ProfileDiff& diff) {
  Transfers transfers;
  diff.waited_transfers.host_waited = true;
  Counter(a, a_steps, &TransferDiff::a).count(transfers, diff);
  Counter(b, b_steps, &TransferDiff::b).count(transfers, diff);
  for (auto& [key, transfer] : transfers) {
    if (!is_changed(transfer)) continue;
    transfer.variable = std::get<0>(key);
    transfer.reason = std::get<1>(key);
    transfer.source = std::get<2>(key);
    transfer.target = std::get<3>(key);
    transfer.host_waited = std::get<4>(key);
    diff.transfers.push_back(transfer);
  }
  std::stable_sort(diff.transfers.begin(), diff.transfers.end(), comes_first);
}

}  // namespace loci::profiler
