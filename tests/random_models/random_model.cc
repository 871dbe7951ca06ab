#include "tests/random_models/random_model.h"

#include <algorithm>

namespace loci::test {
namespace {

constexpr std::int64_t kRowsOfTable = 9;

// The seed alone decides, so that its kinds are equally many.
bool is_exact(std::uint64_t seed) { return seed % 3 == 0; }
bool has_gradients(std::uint64_t seed) { return seed % 4 == 1; }
bool is_of_images(std::uint64_t seed) { return seed % 8 < 4; }

ModelTraits traits_of(std::uint64_t seed) {
  return {.is_smooth = has_gradients(seed) && !is_exact(seed),
          .is_exact = is_exact(seed),
          .has_halves = seed % 5 == 0};
}

// A sequence, whose first extent is the batch as that of all values is.
Variable planes_as_steps(const Variable& images) {
  const Shape& shape = images.shape();
  return reshape(images, std::vector<std::int64_t>{0, shape[1], shape[2] * shape[3]});
}

}  // namespace

RandomModel::RandomModel(std::uint64_t seed)
    : seed_(seed), builder_(seed, traits_of(seed), scope_) {
  const ProgramGuard building(program_, startup_);
  fuzz::Dice& dice = builder_.dice();
  add_inputs();
  choose_options();
  const std::size_t steps = 2 + dice.below(9);
  for (std::size_t i = 0; i < steps; ++i) {
    add_step();
    if (dice.chance(15)) fetches_.emplace_back(builder_.values().back());
  }
  fetches_.emplace_back(builder_.values().back());
  if (has_gradients(seed)) add_gradients();
  batches_ = {builder_.one_of({1, 2, 3, 5}), builder_.one_of({0, 1, 2, 4})};
  batches_.push_back(batches_.front());
}

Variable RandomModel::add_input(const Shape& shape) {
  static const std::vector<DType> kWide = {kFloat32, kFloat32, kFloat32, kFloat64};
  static const std::vector<DType> kHalves = {kFloat32, kFloat16, kBFloat16};
  const DType dtype = builder_.dice().one_of(builder_.traits().has_halves ? kHalves : kWide);
  inputs_.push_back(data("x" + std::to_string(inputs_.size()), shape, dtype));
  inputs_.back().set_stop_gradient(false);
  builder_.add(inputs_.back());
  return inputs_.back();
}

void RandomModel::add_inputs() {
  if (is_of_images(seed_)) {
    const Shape shape{-1, builder_.one_of({1, 3, 7, 16, 32, 33, 64}),
                      builder_.one_of({1, 4, 9, 12, 16, 23}), builder_.one_of({2, 8, 12, 17, 20})};
    add_input(shape);
    return;
  }
  if (builder_.dice().chance(25)) {
    add_input({-1, builder_.one_of({1, 6, 17, 64})});
    return;
  }
  const std::int64_t length = builder_.one_of({1, 2, 5, 9, 16, 33});
  const std::int64_t width = builder_.one_of({1, 3, 8, 15, 16, 32});
  const Variable steps = add_input({-1, length, width});
  if (!builder_.dice().chance(30)) return;
  const Variable ids = data("ids", {-1, length}, kInt64);
  const Variable table = builder_.parameter({kRowsOfTable, width}, steps.dtype(), 0.5);
  EmbeddingOptions options;
  options.sparse = false;
  builder_.add(steps + embedding(table, ids, options));
  inputs_.push_back(ids);
}

void RandomModel::add_step() {
  fuzz::Dice& dice = builder_.dice();
  const Variable x = builder_.some();
  if (dice.chance(20)) return builder_.add(moving_step(builder_, x));
  if (dice.chance(30)) return builder_.add(element_step(builder_, x));
  const int rank = x.shape().rank();
  if (rank == 2) return builder_.add(row_step(builder_, x));
  if (rank == 3) return builder_.add(sequence_step(builder_, x));
  if (dice.chance(10)) return builder_.add(planes_as_steps(x));
  builder_.add(image_step(builder_, x));
}

// Takes a sum of all that is fetched, weighted so that no two elements of it count the same.
void RandomModel::add_gradients() {
  Variable loss;
  for (const Fetch& fetch : std::vector<Fetch>(fetches_)) {
    const Variable value = program_.find(fetch.name());
    const Variable part = mean(cast(tanh(value) * (value + 0.5), kFloat32));
    loss = loss.defined() ? loss + part : part;
  }
  std::vector<Variable> targets = builder_.parameters();
  targets.push_back(inputs_.front());
  for (const Variable& gradient : gradients(loss, targets)) {
    if (gradient.defined()) fetches_.emplace_back(gradient);
  }
}

void RandomModel::choose_options() {
  fuzz::Dice& dice = builder_.dice();
  options_ = is_exact(seed_) ? CompileOptions::exact() : CompileOptions();
  if (dice.chance(20)) {
    const std::vector<inspect::Pass> passes = inspect::passes();
    options_.disabled_passes = {passes[dice.below(passes.size())].name};
  }
  options_.reuse_memory = !dice.chance(15);
  options_.streams = dice.chance(30) ? 1 : 4;
  if (is_exact(seed_)) {
    special_ = dice.chance(40) ? Special::kAll : Special::kNone;
    return;
  }
  // Results of an infinity may differ, as gelu knows its limit. A NaN stays one; it leaves no
  // gradient that could be compared.
  if (!has_gradients(seed_) && dice.chance(25)) special_ = Special::kNan;
  // A half on the way is the one beside the right one, now and then.
  tolerance_ = builder_.traits().has_halves ? 0.15 : 1e-4;
}

bool RandomModel::may_spread_nan() const {
  return special_ == Special::kNan && is_of_images(seed_);
}

Feed RandomModel::feed(std::size_t run) const {
  // The last run has the elements of the first.
  const std::size_t which = run + 1 == batches_.size() ? 0 : run;
  fuzz::Dice dice(seed_ * 8 + which);
  Feed feed;
  for (const Variable& input : inputs_) {
    Shape shape = input.shape();
    shape.set(0, batches_[run]);
    if (input.dtype() == kInt64) {
      std::vector<std::int64_t> ids(static_cast<std::size_t>(shape.numel()));
      for (std::int64_t& id : ids) id = static_cast<std::int64_t>(dice.below(kRowsOfTable));
      feed.emplace_back(input.name(), Tensor::from<std::int64_t>(ids, shape));
      continue;
    }
    const Tensor numbers = random_numbers(dice, shape, 1, 0, special_);
    feed.emplace_back(input.name(), cast(numbers, input.dtype()));
  }
  return feed;
}

}  // namespace loci::test
