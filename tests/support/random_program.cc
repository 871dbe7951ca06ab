#include "tests/support/random_program.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>

#include "tests/support/program_steps.h"
#include "tests/support/scratch_directory.h"

namespace loci::test {
namespace {

using Integers = std::vector<std::int64_t>;

// One element, a few, and enough that a copy of it takes a while.
constexpr std::array<std::int64_t, 4> kExtents{1, 3, 8, 40};
constexpr std::size_t kFeeds = 3;
constexpr std::uint64_t kSteps = 3;

std::string feed_name(std::size_t i) { return fmt::format("x{}", i); }

Tensor feed_value(const Shape& shape, std::uint64_t seed) {
  fuzz::Dice dice(seed);
  std::vector<float> values(static_cast<std::size_t>(shape.numel()));
  for (float& value : values) value = static_cast<float>(dice.below(2001)) / 1000.0F - 1.0F;
  return Tensor::from(values, shape);
}

std::vector<char> bytes_of(const Tensor& tensor) {
  const Tensor host = tensor.to("cpu");
  const auto* first = static_cast<const char*>(host.raw_data());
  return {first, first + host.bytes()};
}

void append(const std::vector<Tensor>& tensors, std::vector<std::vector<char>>* bytes) {
  for (const Tensor& tensor : tensors) bytes->push_back(bytes_of(tensor));
}

void append(const Scope& scope, std::vector<std::vector<char>>* bytes) {
  for (const std::string& name : scope.names()) bytes->push_back(bytes_of(scope.find(name)));
}

}  // namespace

RandomProgram::RandomProgram(std::uint64_t seed, const std::vector<std::string>& places,
                             bool shapes_on_host)
    : dice_(seed),
      place_dice_(~seed),
      seed_(seed),
      places_(places),
      shapes_on_host_(shapes_on_host) {
  const ProgramGuard building(main_, startup_);
  for (std::size_t i = 0; i < kFeeds; ++i) {
    const Shape shape{dice_.one_of(kExtents), dice_.one_of(kExtents)};
    values_.push_back(data(feed_name(i), shape, kFloat32));
  }
  const std::size_t operators = 5 + dice_.below(20);
  for (std::size_t i = 0; i < operators; ++i) {
    std::optional<DeviceGuard> guard;
    if (!places_.empty() && place_dice_.chance(70))
      guard.emplace(Place(place_dice_.one_of(places_)));
    add_operator();
    if (dice_.chance(20)) fetched_.push_back(values_.back());
  }
  fetched_.push_back(values_.back());
  if (dice_.chance(50)) train();
}

Variable RandomProgram::parameter(const Shape& shape) {
  return create_parameter(shape, kFloat32, initializer::uniform(-1.0, 1.0));
}

Variable RandomProgram::same_shape_as(const Variable& x) {
  std::vector<Variable> fitting;
  for (const Variable& value : values_) {
    if (value.shape() == x.shape()) fitting.push_back(value);
  }
  return dice_.chance(25) ? parameter(x.shape()) : dice_.one_of(fitting);
}

void RandomProgram::add_operator() {
  const Variable x = dice_.one_of(values_);
  switch (dice_.below(12)) {
    case 0: values_.push_back(elementwise_add(x, same_shape_as(x))); break;
    case 1: values_.push_back(elementwise_mul(x, same_shape_as(x))); break;
    case 2: values_.push_back(elementwise_sub(x, parameter({1, x.shape()[1]}))); break;
    case 3: values_.push_back(tanh(x)); break;
    case 4: values_.push_back(scale(x, -0.5, 0.25)); break;
    case 5: values_.push_back(softmax(x)); break;
    case 6: values_.push_back(dropout(x, 0.25)); break;
    case 7: values_.push_back(cast(cast(x, kFloat64), kFloat32)); break;
    case 8: values_.push_back(cast(cast(x, kFloat16), kFloat32)); break;
    case 9: add_product(x); break;
    case 10: add_rearrangement(x); break;
    default: add_host_read(x); break;
  }
}

void RandomProgram::add_product(const Variable& x) {
  values_.push_back(tanh(matmul(x, parameter({x.shape()[1], dice_.one_of(kExtents)}))));
}

void RandomProgram::add_rearrangement(const Variable& x) {
  switch (dice_.below(4)) {
    case 0: values_.push_back(transpose(x, Integers{1, 0})); break;
    case 1: values_.push_back(concat(std::vector<Variable>{x, same_shape_as(x)}, 1)); break;
    case 2: values_.push_back(reduce_sum(x, {0}, /*keep_dim=*/true)); break;
    default: values_.push_back(reshape(x, {x.shape()[1], x.shape()[0]})); break;
  }
  // Else concat grows without limit.
  if (values_.back().shape()[1] > 200) values_.pop_back();
}

// Shapes travel to the host, and decide what is computed next.
void RandomProgram::add_host_read(const Variable& x) {
  const Variable smaller = reduce_sum(x, {1}, /*keep_dim=*/true);
  std::optional<DeviceGuard> guard;
  if (shapes_on_host_) guard.emplace(Place("cpu"));
  const Variable extents = slice(shape(smaller), {0}, Integers{0}, Integers{2});
  guard.reset();
  fetched_.push_back(crop_tensor(x, extents));  // of extents that the program does not know
  values_.push_back(smaller);
}

void RandomProgram::train() {
  const Variable& last = values_.back();
  Variable loss = mean(square(matmul(last, parameter({last.shape()[1], 2}))));
  for (const Variable& value : fetched_) loss = elementwise_add(loss, mean(square(value)));
  optimizer::Momentum(0.05).minimize(loss);
  fetched_.push_back(loss);
}

Feed RandomProgram::feed_of(std::uint64_t step) const {
  Feed feed;
  for (std::size_t i = 0; i < kFeeds; ++i) {
    feed.emplace_back(feed_name(i), feed_value(values_[i].shape(), seed_ + step * kFeeds + i));
  }
  return feed;
}

std::vector<std::string> RandomProgram::fetch_names() const {
  std::vector<std::string> names;
  for (const Variable& variable : fetched_) names.push_back(variable.name());
  return names;
}

Scope RandomProgram::initialised(const Place& place) const {
  Scope scope;
  Executor(place, CompileOptions::none(), scope).run(startup_);
  return scope;
}

bool RandomProgram::uses_streams(const Place& place, const CompileOptions& options) const {
  const Scope scope = initialised(place);
  Executor executor(place, options, scope);
  const std::vector<Fetch> fetch(fetched_.begin(), fetched_.end());
  const auto plan = inspect::plan(executor, main_, feed_of(0), fetch);
  return std::any_of(plan.operators.begin(), plan.operators.end(),
                     [](const auto& op) { return op.stream != 0; });
}

std::vector<std::vector<char>> RandomProgram::run(const Place& place,
                                                  const CompileOptions& options) const {
  const Scope scope = initialised(place);
  Executor executor(place, options, scope);
  const std::vector<Fetch> fetch(fetched_.begin(), fetched_.end());
  std::vector<std::vector<char>> bytes;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    append(executor.run(main_, feed_of(step), fetch), &bytes);
  }
  append(scope, &bytes);
  return bytes;
}

std::vector<std::vector<char>> RandomProgram::run_imperatively(const Place& place) const {
  const Scope scope = initialised(place);
  const ProgramSteps steps(main_, scope, place);
  std::vector<std::vector<char>> bytes;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    append(steps.run(feed_of(step), fetch_names()), &bytes);
  }
  append(scope, &bytes);
  return bytes;
}

std::vector<std::vector<char>> RandomProgram::run_traced(const Place& place,
                                                         const CompileOptions& options,
                                                         bool saves) const {
  const Scope scope = initialised(place);
  const ProgramSteps steps(main_, scope, place);
  const Feed first = feed_of(0);
  std::vector<Tensor> examples;
  TraceOptions names;
  for (const auto& [name, tensor] : first) {
    examples.push_back(tensor);
    names.input_names.push_back(name);
  }
  Traced traced = trace(
      [&](const std::vector<Tensor>& inputs) {
        Feed fed;
        for (std::size_t i = 0; i < inputs.size(); ++i) fed.emplace_back(feed_name(i), inputs[i]);
        return steps.run(fed, fetch_names(), /*advances=*/false);
      },
      examples, names);
  std::vector<Fetch> fetch;
  for (const Variable& output : traced.outputs) fetch.emplace_back(output.name());
  Program program = traced.program;
  if (saves) {
    const ScratchDirectory scratch;
    io::save_program(scratch.path("saved"), program, Program(), nullptr);
    program = io::load_model(scratch.path("saved")).main;
  }
  Executor executor(place, options, traced.scope);
  std::vector<std::vector<char>> bytes;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    append(executor.run(program, feed_of(step), fetch), &bytes);
  }
  // The program updates the tensors themselves. A file does not say where they lie, so that one
  // that is elsewhere moves to the executor's place, within the scope of the trace.
  for (const std::string& name : scope.names()) {
    const bool is_held = saves && traced.scope.has(name);
    bytes.push_back(bytes_of((is_held ? traced.scope : scope).find(name)));
  }
  return bytes;
}

}  // namespace loci::test
