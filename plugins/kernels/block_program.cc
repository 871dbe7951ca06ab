#include "plugins/kernels/block_program.h"

#include <algorithm>
#include <cstring>
#include <loci/plugin/dtype_visit.hpp>
#include <utility>

#include "plugins/kernels/grain.h"

namespace loci::kernels {
namespace {

// Blocks are a multiple of this, so that each begins at its alignment in the scratch memory.
constexpr std::int64_t kBlockUnit = 64;
// Long enough that starting a step's kernel does not count, and no longer.
constexpr std::int64_t kLongestBlock = 2048;
// The bytes that a block wants of a 32 KiB first cache: scratch, and what memory gives or gets.
constexpr std::int64_t kWantedBytes = 20480;
// Less than a second cache.
constexpr std::int64_t kCachedBytes = 1 << 20;
// A kernel that gets more to do than this would share it with other threads.
constexpr std::int64_t kMostBlockPicoseconds = 9'000'000;

constexpr std::uint64_t aligned_bytes(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// Gives places in the scratch memory, and takes them back for later results.
class ScratchPool {
 public:
  std::int64_t take(std::int64_t bytes) {
    std::vector<std::int64_t>& free = free_[static_cast<std::size_t>(bytes)];
    if (free.empty()) return std::exchange(end_, end_ + bytes);
    const std::int64_t offset = free.back();
    free.pop_back();
    return offset;
  }
  void give_back(std::int64_t bytes, std::int64_t offset) {
    free_[static_cast<std::size_t>(bytes)].push_back(offset);
  }
  [[nodiscard]] std::int64_t end() const { return end_; }

 private:
  std::array<std::vector<std::int64_t>, 9> free_;  // by bytes of an element
  std::int64_t end_ = 0;
};

template <class T>
void repeat(const void* from, void* to, std::int64_t count) {
  T element;
  std::memcpy(&element, from, sizeof element);
  std::fill_n(static_cast<T*>(to), count, element);
}

// Returns true if the step's result may lie in the memory of that value, wherever it reads it.
bool may_replace(const BlockStep& kernel, const sdk::FusedStep& step, std::uint32_t value) {
  for (std::uint32_t o = 0; o < step.operands.size(); ++o) {
    if (step.operands[o] == value && !kernel.may_replace(o)) return false;
  }
  return true;
}

void repeat_element(const void* from, void* to, std::int64_t count, std::int64_t bytes) {
  switch (bytes) {
    case 1: return repeat<std::uint8_t>(from, to, count);
    case 2: return repeat<std::uint16_t>(from, to, count);
    case 4: return repeat<std::uint32_t>(from, to, count);
    default: return repeat<std::uint64_t>(from, to, count);
  }
}

}  // namespace

BlockProgram::BlockProgram(sdk::Prepare& prepare, const sdk::FusedExpression& expression)
    : host_(&prepare.host()),
      inputs_(expression.inputs),
      count_(prepare.op().output(0).numel()),
      values_(expression.inputs + expression.steps.size()) {
  describe_inputs(prepare.op(), expression);
  describe_results(expression);
  const std::vector<BlockStep> steps = make_steps(expression);
  for (std::size_t i = 0; i < expression.steps.size(); ++i) {
    const std::vector<std::uint32_t>& operands = expression.steps[i].operands;
    operands_.insert(operands_.end(), operands.begin(), operands.end());
    steps_.push_back({static_cast<std::uint32_t>(operands.size()),
                      inputs_ + static_cast<std::uint32_t>(i), std::nullopt, std::nullopt});
  }
  place_scratch(expression, steps);
  find_streams();
  choose_block(steps);
  prepare_steps(prepare, steps);
}

void BlockProgram::describe_inputs(const sdk::OpDesc& op, const sdk::FusedExpression& expression) {
  const sdk::Dims out = op.output(0).dims();
  const auto first_result = static_cast<std::int64_t>(
      sdk::dtype_bytes(expression.steps[expression.results[0] - inputs_].dtype));
  for (std::uint32_t i = 0; i < inputs_; ++i) {
    const sdk::Arg input = op.input(0, i);
    Value& value = values_[i];
    value.argument = i;
    value.dtype = input.dtype();
    value.bytes = static_cast<std::int64_t>(sdk::dtype_bytes(value.dtype));
    const std::int64_t elements = input.numel();
    if (elements == count_) {
      value.home = Home::kInput;
      continue;
    }
    value.home = Home::kSpread;
    value.spread = sdk::plan_broadcast<1>({input.dims()}, out);
    if (elements * value.bytes != count_ * first_result) continue;
    value.workspace = static_cast<std::int64_t>(workspace_bytes_);
    workspace_bytes_ += aligned_bytes(static_cast<std::uint64_t>(elements * value.bytes));
  }
  std::vector<std::uint32_t> singles;
  for (std::uint32_t i = 0; i < inputs_; ++i) {
    if (op.input(0, i).numel() == 1 && values_[i].home == Home::kSpread) singles.push_back(i);
  }
  for (const std::uint32_t i : singles) values_[i].home = Home::kSingle;
  for (const std::uint32_t i : singles) {
    if (!can_stay_single(i, expression)) values_[i].home = Home::kSpread;
  }
}

// Returns true if each step that reads the value broadcasts it, with an operand of a whole block.
bool BlockProgram::can_stay_single(std::uint32_t value,
                                   const sdk::FusedExpression& expression) const {
  for (const sdk::FusedStep& step : expression.steps) {
    bool reads = false;
    bool has_block = false;
    for (std::size_t o = 0; o < step.operands.size(); ++o) {
      const std::uint32_t operand = step.operands[o];
      const bool is_broadcast = o < step.op->broadcast;
      if (operand == value && !is_broadcast) return false;
      reads = reads || operand == value;
      const bool is_single = operand < inputs_ && values_[operand].home == Home::kSingle;
      has_block = has_block || (is_broadcast && !is_single);
    }
    if (reads && !has_block) return false;
  }
  return true;
}

void BlockProgram::describe_results(const sdk::FusedExpression& expression) {
  for (std::size_t s = 0; s < expression.steps.size(); ++s) {
    Value& result = values_[inputs_ + s];
    result.dtype = expression.steps[s].dtype;
    result.bytes = static_cast<std::int64_t>(sdk::dtype_bytes(result.dtype));
    result.last_read = s;
    for (const std::uint32_t operand : expression.steps[s].operands) {
      values_[operand].last_read = s;
    }
  }
  for (std::size_t i = 0; i < expression.results.size(); ++i) place_result(expression, i);
}

void BlockProgram::place_result(const sdk::FusedExpression& expression, std::size_t output) {
  const std::uint32_t result = expression.results[output];
  Value& value = values_[result];
  const bool may_be_input = output == 0;
  const auto is_read_later = [&](const Value& other) {
    return other.home == Home::kInput && other.bytes == value.bytes &&
           other.last_read > result - inputs_;
  };
  if (may_be_input && std::any_of(values_.begin(), values_.begin() + inputs_, is_read_later)) {
    late_.push_back({result, static_cast<std::uint32_t>(output)});
    value.last_read = expression.steps.size();
    return;
  }
  value.home = Home::kOutput;
  value.argument = static_cast<std::uint32_t>(output);
}

std::vector<BlockStep> BlockProgram::make_steps(const sdk::FusedExpression& expression) const {
  std::vector<BlockStep> steps;
  for (const sdk::FusedStep& step : expression.steps) {
    std::vector<BlockOperand> operands;
    for (const std::uint32_t operand : step.operands) {
      const Value& value = values_[operand];
      operands.push_back({value.dtype, value.home == Home::kSingle});
    }
    steps.emplace_back(step, std::move(operands));
  }
  return steps;
}

void BlockProgram::place_scratch(const sdk::FusedExpression& expression,
                                 const std::vector<BlockStep>& steps) {
  ScratchPool pool;
  for (std::uint32_t i = 0; i < inputs_; ++i) {
    if (values_[i].home != Home::kSpread) continue;
    values_[i].offset = pool.take(values_[i].bytes);
    spread_.push_back(i);
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    Value& result = values_[steps_[s].result];
    std::set<std::uint32_t> kept_until_then;
    for (const std::uint32_t operand : last_reads(expression.steps[s], s)) {
      const Value& value = values_[operand];
      if (value.bytes == result.bytes && may_replace(steps[s], expression.steps[s], operand)) {
        pool.give_back(value.bytes, value.offset);
      } else {
        kept_until_then.insert(operand);
      }
    }
    if (result.home == Home::kScratch) result.offset = pool.take(result.bytes);
    for (const std::uint32_t operand : kept_until_then) {
      pool.give_back(values_[operand].bytes, values_[operand].offset);
    }
  }
  scratch_bytes_ = pool.end();
}

// The values in scratch memory that the step is the last to read.
std::set<std::uint32_t> BlockProgram::last_reads(const sdk::FusedStep& step,
                                                 std::size_t number) const {
  std::set<std::uint32_t> values;
  for (const std::uint32_t operand : step.operands) {
    const Value& value = values_[operand];
    const bool is_scratch = value.home == Home::kSpread || value.home == Home::kScratch;
    if (is_scratch && value.last_read == number) values.insert(operand);
  }
  return values;
}

void BlockProgram::find_streams() {
  std::int64_t bytes = 0;
  for (std::uint32_t v = 0; v < values_.size(); ++v) {
    if (values_[v].home != Home::kInput && values_[v].home != Home::kOutput) continue;
    streams_.push_back(v);
    bytes += values_[v].bytes;
  }
  is_from_memory_ = bytes * count_ > kCachedBytes;
  stream_bytes_ = bytes;
}

void BlockProgram::choose_block(const std::vector<BlockStep>& steps) {
  std::int64_t longest = 1;
  std::int64_t all = 0;
  for (const BlockStep& step : steps) {
    longest = std::max(longest, step.picoseconds());
    all += step.picoseconds();
  }
  const std::int64_t scratch = std::max<std::int64_t>(scratch_bytes_, 1);
  const std::int64_t cached = scratch + (is_from_memory_ ? stream_bytes_ : 0);
  const std::int64_t wanted =
      std::min({kWantedBytes / cached, kLongestBlock, kMostBlockPicoseconds / longest, count_});
  const std::int64_t most = kScratchBytes / scratch / kBlockUnit * kBlockUnit;
  const std::int64_t units = (wanted + kBlockUnit - 1) / kBlockUnit * kBlockUnit;
  block_ = std::clamp(units, std::min(4 * kBlockUnit, most), most);
  grain_ = grain_for(all * block_);
}

void BlockProgram::prepare_steps(sdk::Prepare& prepare, const std::vector<BlockStep>& steps) {
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (count_ >= block_) steps_[s].whole.emplace(steps[s].prepare(prepare, block_));
    if (count_ % block_ != 0) steps_[s].rest.emplace(steps[s].prepare(prepare, count_ % block_));
  }
}

std::uint64_t BlockProgram::memory_bytes() const {
  constexpr std::uint64_t kPreparedPart = 256;
  std::uint64_t bytes = sizeof *this + values_.size() * sizeof(Value);
  for (const Step& step : steps_) {
    bytes += sizeof step + (step.whole ? kPreparedPart : 0) + (step.rest ? kPreparedPart : 0);
  }
  return bytes;
}

// The part of the operator that one thread works on.
class BlockProgram::Block {
 public:
  Block(const BlockProgram& program, const sdk::Launch& launch)
      : program_(program), raw_(launch.raw()) {
    raw_.workspace = nullptr;
    for (std::size_t v = 0; v < program.values_.size(); ++v) bases_[v] = base_of(v, launch);
    for (std::size_t i = 0; i < program.late_.size(); ++i) {
      late_[i] = launch.output<char>(program.late_[i].output);
    }
    describe(program.block_);
    for (std::size_t i = 0; i < program.operands_.size(); ++i) {
      operands_[i] = &views_[program.operands_[i]];
    }
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // `next` elements of the block behind it are to be computed then.
  void run(std::int64_t begin, std::int64_t length, std::int64_t next) {
    if (length != length_) describe(length);
    place(begin);
    const bool is_whole = length == program_.block_;
    const loci_view* const* operands = operands_.data();
    std::size_t number = 0;
    for (const Step& step : program_.steps_) {
      if (next > 0) prefetch(number++, begin + length, next);
      const loci_view* result = &views_[step.result];
      raw_.inputs = operands;
      raw_.outputs = &result;
      (is_whole ? step.whole : step.rest)->launch(sdk::Launch(raw_));
      operands += step.operands;
    }
    for (std::size_t i = 0; i < program_.late_.size(); ++i) copy_out(i, begin);
  }

 private:
  char* base_of(std::size_t v, const sdk::Launch& launch) {
    const Value& value = program_.values_[v];
    switch (value.home) {
      case Home::kOutput: return launch.output<char>(value.argument);
      case Home::kScratch: return scratch_ + value.offset * program_.block_;
      default: break;
    }
    if (value.workspace >= 0) {
      return launch.workspace<char>(static_cast<std::uint64_t>(value.workspace));
    }
    return static_cast<char*>(launch.input_view(value.argument).data);
  }

  // The views of a block of that length.
  void describe(std::int64_t length) {
    length_ = length;
    for (std::size_t v = 0; v < program_.values_.size(); ++v) {
      const Value& value = program_.values_[v];
      const bool is_single = value.home == Home::kSingle;
      const auto bytes = static_cast<std::uint64_t>(value.bytes * (is_single ? 1 : length));
      views_[v] = {bases_[v],   is_single ? &kOne : &length_, nullptr, bytes, LOCI_LAYOUT_PLAIN, 1,
                   value.dtype, LOCI_RESIDENCE_DEVICE};
    }
  }

  // Moves the views to the block.
  void place(std::int64_t begin) {
    for (const std::uint32_t v : program_.streams_) {
      views_[v].data = bases_[v] + begin * program_.values_[v].bytes;
    }
    for (const std::uint32_t v : program_.spread_) {
      views_[v].data = spread(program_.values_[v], bases_[v], begin);
    }
  }

  // Where the block of the input lies, in scratch memory if its elements do not lie side by side.
  void* spread(const Value& value, char* from, std::int64_t begin) {
    char* to = scratch_ + value.offset * program_.block_;
    void* whole = nullptr;
    sdk::for_each_row(value.spread, begin, begin + length_,
                      [&](std::int64_t place, std::int64_t offset, std::int64_t count) {
                        char* row = from + offset * value.bytes;
                        char* there = to + (place - begin) * value.bytes;
                        if (!value.spread.advances[0]) {
                          repeat_element(row, there, count, value.bytes);
                        } else if (count == length_) {
                          whole = row;
                        } else {
                          std::memcpy(there, row, static_cast<std::size_t>(count * value.bytes));
                        }
                      });
    return whole != nullptr ? whole : to;
  }

  // Has a part of the next block's dense elements on the way to the cache. The parts of all steps
  // are the whole, so that memory works while they compute.
  void prefetch(std::size_t part, std::int64_t begin, std::int64_t length) const {
    constexpr std::int64_t kLine = 64;
    constexpr int kFirstCache = 3;
    const auto parts = static_cast<std::int64_t>(program_.steps_.size());
    for (const std::uint32_t v : program_.streams_) {
      const std::int64_t bytes = program_.values_[v].bytes;
      const std::int64_t lines = (length * bytes + kLine - 1) / kLine;
      const char* first = bases_[v] + begin * bytes;
      const auto at = static_cast<std::int64_t>(part);
      for (std::int64_t i = lines * at / parts; i < lines * (at + 1) / parts; ++i) {
        __builtin_prefetch(first + i * kLine, 0, kFirstCache);
      }
    }
  }

  void copy_out(std::size_t i, std::int64_t begin) {
    const std::uint32_t v = program_.late_[i].value;
    const std::int64_t bytes = program_.values_[v].bytes;
    std::memcpy(late_[i] + begin * bytes, views_[v].data,
                static_cast<std::size_t>(length_ * bytes));
  }

  static constexpr std::int64_t kOne = 1;

  const BlockProgram& program_;
  loci_launch raw_;
  std::int64_t length_ = 0;
  std::array<loci_view, kMostValues> views_;
  std::array<char*, kMostValues> bases_;
  std::array<char*, 1> late_{};
  std::array<const loci_view*, kMostOperands> operands_;
  alignas(64) char scratch_[kScratchBytes];
};

void BlockProgram::copy_inputs(const sdk::Launch& launch) const {
  for (std::uint32_t i = 0; i < inputs_; ++i) {
    const Value& value = values_[i];
    if (value.workspace < 0) continue;
    const loci_view& view = launch.input_view(value.argument);
    std::int64_t elements = 1;
    for (std::int32_t axis = 0; axis < view.rank; ++axis) elements *= view.dims[axis];
    std::memcpy(launch.workspace<char>(static_cast<std::uint64_t>(value.workspace)), view.data,
                static_cast<std::size_t>(elements * value.bytes));
  }
}

void BlockProgram::run(const sdk::Launch& launch) const {
  copy_inputs(launch);
  const std::int64_t blocks = (count_ + block_ - 1) / block_;
  host_->parallel_for(0, blocks, grain_, [&](std::int64_t first, std::int64_t last) {
    Block block(*this, launch);
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t begin = i * block_;
      const std::int64_t length = std::min(block_, count_ - begin);
      const bool has_next = is_from_memory_ && i + 1 < last;
      block.run(begin, length, has_next ? std::min(block_, count_ - begin - length) : 0);
    }
  });
}

}  // namespace loci::kernels
