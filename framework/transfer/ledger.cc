#include "framework/transfer/ledger.h"

#include <atomic>
#include <mutex>

#include "framework/core/context.h"
#include "framework/core/log.h"

namespace loci::transfer {
namespace {

constexpr std::size_t kMaxRows = 65536;

// A ring once it is full.
struct Ledger {
  static constexpr auto kContextSlot = core::ContextSlot::kTransfers;

  std::mutex mutex;
  std::vector<Row> rows;
  std::size_t oldest = 0;
  Totals totals;
  std::atomic<std::uint64_t> local_copies{0};
  std::atomic<std::uint64_t> local_bytes{0};
};

Ledger& ledger() { return core::in_context<Ledger>(); }

void log_row(const Row& row) {
  if (!core::log_enabled(core::Module::kTransfer, core::Level::kDebug)) return;
  const std::string_view dtype =
      row.labels.dtype == DType::kNone ? "bytes" : dtype_name(row.labels.dtype);
  core::log(core::Module::kTransfer, core::Level::kDebug,
            "{}: '{}' from {} to {}, {} bytes, {} dense to {} {}, producer '{}', consumer '{}', "
            "{}, {:.1f}us",
            reason_name(row.labels.reason), row.labels.variable, row.from.to_string(),
            row.to.to_string(), row.bytes, dtype, dtype, row.layout, row.labels.producer,
            row.labels.consumer, row.host_waited ? "waited" : "enqueued",
            static_cast<double>(row.duration_ns) / 1000);
}

// With the lock.
void keep(Ledger& all, const Row& row) {
  if (all.rows.capacity() == 0) all.rows.reserve(kMaxRows);  // touched only as it fills
  if (all.rows.size() < kMaxRows) {
    all.rows.push_back(row);
  } else {
    all.rows[all.oldest] = row;
    all.oldest = (all.oldest + 1) % kMaxRows;
  }
}

}  // namespace

std::string_view reason_name(Reason reason) {
  switch (reason) {
    case Reason::kFeed: return "feed";
    case Reason::kFetch: return "fetch";
    case Reason::kPrepareData: return "prepare_data";
    case Reason::kHostRead: return "host_read";
    case Reason::kFallback: return "fallback";
    case Reason::kExplicit: return "explicit";
    case Reason::kWriteBack: return "write_back";
    case Reason::kLoad: return "load";
    case Reason::kPack: return "pack";
  }
  return "unknown";
}

void record(const Row& row) {
  log_row(row);
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  ++all.totals.transfers;
  all.totals.bytes += row.bytes;
  all.totals.synchronous += row.host_waited ? 1 : 0;
  keep(all, row);
}

void record_pack(const Row& row) {
  log_row(row);
  record_local(row.bytes);
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  keep(all, row);
}

void record_local(std::uint64_t bytes) {
  ledger().local_copies.fetch_add(1, std::memory_order_relaxed);
  ledger().local_bytes.fetch_add(bytes, std::memory_order_relaxed);
}

Totals totals() {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  Totals sums = all.totals;
  sums.local_copies = all.local_copies.load(std::memory_order_relaxed);
  sums.local_bytes = all.local_bytes.load(std::memory_order_relaxed);
  return sums;
}

std::vector<Row> rows() {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  std::vector<Row> ordered;
  ordered.reserve(all.rows.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    ordered.push_back(all.rows[(all.oldest + i) % all.rows.size()]);
  }
  return ordered;
}

void clear_rows() {
  Ledger& all = ledger();
  const std::lock_guard lock(all.mutex);
  all.rows.clear();
  all.oldest = 0;
}

}  // namespace loci::transfer
