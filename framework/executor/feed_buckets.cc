#include "framework/executor/feed_buckets.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/passes/pass.h"
#include "framework/program/builder.h"
#include "framework/program/row_buckets.h"
#include "framework/program/row_independence.h"
#include "framework/tensor/tensor_impl.h"
#include "framework/transfer/transfer.h"

namespace loci::executor {
namespace {

using program::Block;
using program::VarDesc;
using program::VarId;
using tensor::TensorImpl;

constexpr program::BucketUser kBucketUser{"executor", "CompileOptions"};
constexpr std::size_t kMostForms = 1024;

// Returns true if its dimension 0 is dynamic, as the program says. Other faults of a feed are told
// where it is bound.
bool has_rows(const Block& block, const Feed::value_type& feed) {
  const VarId id = block.find(feed.first);
  if (id == program::kNoVar || !block.var(id).is_data) return false;
  const Shape& shape = block.var(id).type.shape;
  return shape.rank() > 0 && shape[0] == kDynamicDim && feed.second.shape().rank() == shape.rank();
}

std::optional<std::int64_t> rows_of(const Block& block, const Feed& feed) {
  const Feed::value_type* first = nullptr;
  for (const auto& each : feed) {
    if (!has_rows(block, each)) continue;
    if (first == nullptr) {
      first = &each;
    } else if (each.second.shape()[0] != first->second.shape()[0]) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[executor] '{}' is fed {}, and '{}' {}: with CompileOptions::buckets, feeds of "
                  "data whose dimension 0 is dynamic have the same extent there",
                  each.first, each.second.shape().to_string(), first->first,
                  first->second.shape().to_string());
    }
  }
  if (first == nullptr) return std::nullopt;
  return first->second.shape()[0];
}

Shape with_extent(const Shape& shape, std::int64_t rows) {
  Shape other = shape;
  other.set(0, rows);
  return other;
}

Shape filled_shape(const Block& block, const Feed::value_type& feed, std::int64_t rows) {
  const Shape& shape = feed.second.shape();
  return has_rows(block, feed) ? with_extent(shape, rows) : shape;
}

void copy_bytes(const Tensor& from, const transfer::End& to, const transfer::Labels& labels) {
  void* data = tensor::settled_data(from);
  const std::uint64_t bytes = from.bytes();
  if (bytes == 0) return;
  transfer::copy({from.impl()->storage()->device, data}, to, bytes, labels, /*stream=*/nullptr,
                 /*wait=*/true);
}

// With further rows, which are zeros, where it lies.
Tensor filled_up(const std::string& name, const Tensor& given, std::int64_t bucket) {
  const transfer::Labels labels{transfer::intern(name), "", "", transfer::Reason::kFeed,
                                given.dtype()};
  Tensor filled = tensor::make_tensor(given.dtype(), with_extent(given.shape(), bucket),
                                      given.place(), labels.variable);
  const Tensor zeros =
      tensor::make_tensor(given.dtype(), with_extent(given.shape(), bucket - given.shape()[0]),
                          Place(), labels.variable);
  std::fill_n(static_cast<char*>(tensor::settled_data(zeros)), zeros.bytes(), char{0});
  const transfer::End begin{filled.impl()->storage()->device, tensor::settled_data(filled)};
  copy_bytes(given, begin, labels);
  copy_bytes(zeros, {begin.device, static_cast<char*>(begin.data) + given.bytes()}, labels);
  return filled;
}

// Returns the part of the program that the fetches need, with the types that such feeds give it.
Block typed_block(const Program& program, const Feed& feed, const std::vector<Fetch>& fetch,
                  std::int64_t rows) {
  Block block = program.impl()->main();
  passes::PassContext context;
  context.kept.resize(block.vars.size());
  for (const Fetch& wanted : fetch) {
    const VarId id = block.find(wanted.name());
    if (id != program::kNoVar) context.kept[static_cast<std::size_t>(id)] = true;
  }
  passes::run_pass("dead_code_elimination", block, context);
  for (const Feed::value_type& each : feed) {
    const VarId id = block.find(each.first);
    if (id == program::kNoVar || block.var(id).persistable) continue;
    block.var(id).type = {each.second.dtype(), filled_shape(program.impl()->main(), each, rows)};
  }
  for (const program::Operator& op : block.ops) {
    const auto types = program::infer_outputs(block, op);
    for (std::size_t slot = 0; slot < op.outputs.size(); ++slot) {
      for (std::size_t i = 0; i < op.outputs[slot].size(); ++i) {
        VarDesc& var = block.var(op.outputs[slot][i]);
        if (!var.persistable) var.type = types[slot][i];
      }
    }
  }
  return block;
}

program::RowForm row_form(const Block& block, const Program& program, const Feed& feed,
                          const std::vector<Fetch>& fetch, std::int64_t rows) {
  program::RowForm form;
  form.block = &block;
  form.rows = rows;
  for (const Feed::value_type& each : feed) {
    if (has_rows(program.impl()->main(), each)) form.inputs.push_back(block.find(each.first));
  }
  for (const Fetch& wanted : fetch) {
    const VarId id = block.find(wanted.name());
    if (id != program::kNoVar) form.outputs.push_back(id);
  }
  return form;
}

// Empty if each row of each result is proven to hang on the same row of the feeds alone.
std::string row_objection(const Program& program, const Feed& feed, const std::vector<Fetch>& fetch,
                          std::int64_t rows) {
  // One fewer, as a caller may give; or one more, where fewer are none.
  const std::int64_t other_rows = rows > 1 ? rows - 1 : 2;
  try {
    const Block block = typed_block(program, feed, fetch, rows);
    const Block other = typed_block(program, feed, fetch, other_rows);
    return program::row_dependence(row_form(block, program, feed, fetch, rows),
                                   row_form(other, program, feed, fetch, other_rows));
  } catch (const Error& error) {
    return error.what();
  }
}

// Describes feeds that have been filled up.
std::string form_text(const Program& program, const Feed& feed, std::int64_t bucket) {
  std::string text;
  for (const Feed::value_type& each : feed) {
    const auto& [name, tensor] = each;
    text += fmt::format(
        "{}{} {}{} at {}", text.empty() ? "" : ", ", name, dtype_name(tensor.dtype()),
        filled_shape(program.impl()->main(), each, bucket).to_string(), tensor.place().to_string());
  }
  return text;
}

// One for all that are too large, however many they are.
std::string key_of(const Program& program, const Feed& feed, const std::vector<Fetch>& fetch,
                   std::optional<std::int64_t> bucket) {
  std::string key = fmt::format("{}.{}", program.impl()->uid(), program.impl()->version());
  for (const Fetch& wanted : fetch) key += fmt::format("|{}", wanted.name());
  return key + "|" + (bucket ? form_text(program, feed, *bucket) : std::string());
}

}  // namespace

FeedBuckets::FeedBuckets(CompileOptions* options)
    : buckets_(std::exchange(options->buckets, {})),
      rows_are_independent_(std::exchange(options->rows_are_independent, false)) {
  program::check_buckets(buckets_, kBucketUser);
}

std::string FeedBuckets::refusal(const Program& program, const Feed& feed,
                                 const std::vector<Fetch>& fetch,
                                 std::optional<std::int64_t> bucket) const {
  if (!bucket) return program::too_many_rows(buckets_);
  if (rows_are_independent_) return {};
  const std::string reason = row_objection(program, feed, fetch, *bucket);
  if (reason.empty()) return {};
  return fmt::format("{}: {}", form_text(program, feed, *bucket),
                     program::unproven(reason, kBucketUser));
}

bool FeedBuckets::may_fill(const Program& program, const Feed& feed,
                           const std::vector<Fetch>& fetch, std::optional<std::int64_t> bucket) {
  std::string key = key_of(program, feed, fetch, bucket);
  core::RecentMap<std::string>::Entries dropped;
  const std::lock_guard lock(mutex_);
  if (const std::string* known = refusals_.find(key)) return known->empty();
  std::string reason = refusal(program, feed, fetch, bucket);
  if (!reason.empty()) {
    core::log(core::Module::kExecutor, core::Level::kWarn, "a program's feeds: {}", reason);
  }
  while (refusals_.size() >= kMostForms) refusals_.remove(std::prev(refusals_.end()), &dropped);
  return refusals_.insert(std::move(key), std::move(reason)).empty();
}

std::optional<FeedBuckets::Filled> FeedBuckets::fill(const Program& program, const Feed& feed,
                                                     const std::vector<Fetch>& fetch) {
  const bool are_defined =
      std::all_of(feed.begin(), feed.end(), [](const auto& each) { return each.second.defined(); });
  if (!are_defined) return std::nullopt;
  const Block& block = program.impl()->main();
  const std::optional<std::int64_t> rows = rows_of(block, feed);
  if (!rows) return std::nullopt;
  const std::optional<std::int64_t> bucket = program::bucket_of(buckets_, *rows);
  if (bucket == rows || !may_fill(program, feed, fetch, bucket)) return std::nullopt;
  Filled filled{feed, *bucket, *rows};
  for (Feed::value_type& each : filled.feed) {
    if (has_rows(block, each)) each.second = filled_up(each.first, each.second, *bucket);
  }
  return filled;
}

void FeedBuckets::cut(const Filled& filled, std::vector<Tensor>* fetched) {
  for (std::size_t i = 0; i < fetched->size(); ++i) {
    Tensor& result = (*fetched)[i];
    program::check_result(i, result.shape(), filled.bucket, kBucketUser);
    const TensorImpl& impl = *result.impl();
    result = Tensor(std::make_shared<TensorImpl>(
        impl.dtype(), with_extent(impl.shape(), filled.rows), impl.storage(), impl.offset()));
  }
}

std::vector<std::string> FeedBuckets::refusals() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> refusals;
  for (const auto& entry : refusals_) {
    if (!entry.value.empty()) refusals.push_back(entry.value);
  }
  std::reverse(refusals.begin(), refusals.end());
  return refusals;
}

}  // namespace loci::executor
