#include "tools/conformance/verify/launch/launch_copy.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace loci::verify {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 12;
constexpr std::size_t kAlignment = 64;

std::uint64_t element_bytes(const loci_view& view) {
  std::int64_t count = 1;
  for (std::int32_t i = 0; i < view.rank; ++i) count *= view.dims[i];
  return count == 0 ? 0 : view.bytes / static_cast<std::uint64_t>(count);
}

bool is_float(loci_dtype dtype) {
  return dtype == LOCI_DTYPE_F16 || dtype == LOCI_DTYPE_BF16 || dtype == LOCI_DTYPE_F32 ||
         dtype == LOCI_DTYPE_F64;
}

// Plain or in a layout of the plugin's own: nothing but those bytes. A device that works in the
// host's memory has its arguments there.
bool is_dense(const loci_view& view, bool host_memory) {
  const bool is_there = view.residence == LOCI_RESIDENCE_DEVICE ||
                        (host_memory && view.residence == LOCI_RESIDENCE_HOST);
  return is_there && view.strides == nullptr;
}
// Returns true if its elements are floating numbers that lie one behind the other.
bool has_floats(const loci_view& view) {
  return view.layout == LOCI_LAYOUT_PLAIN && is_float(view.dtype);
}

bool overlap(const loci_view& a, const loci_view& b) {
  const auto first = reinterpret_cast<std::uintptr_t>(a.data);
  const auto second = reinterpret_cast<std::uintptr_t>(b.data);
  if (first == 0 || second == 0 || a.residence != b.residence) return false;
  return first < second + b.bytes && second < first + a.bytes;
}

// From the outputs of one slot to those of the next: aligned as memory of its own, and more than
// the outputs have, so that it shows who writes behind them.
std::uint64_t slot_bytes(const loci_view& view) {
  return (view.bytes + kAlignment + kChunk - 1) / kChunk * kChunk;
}

// The bytes behind the outputs have this value as long as nobody writes there.
constexpr std::byte kBehind{0xA5};

void mark_ends(const loci_view& view, std::vector<std::byte>* slots) {
  const std::uint64_t step = slot_bytes(view);
  for (std::uint64_t end = step; end <= slots->size(); end += step) {
    const auto last = slots->begin() + static_cast<std::ptrdiff_t>(end);
    std::fill(last - static_cast<std::ptrdiff_t>(step - view.bytes), last, kBehind);
  }
}

void turn_elements(std::vector<std::byte>& content, std::uint64_t element) {
  if (element == 0 || content.size() < 2 * element) return;
  const std::uint64_t half = content.size() / element / 2 * element;
  std::rotate(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(half), content.end());
}

}  // namespace

// Memory, and what a reset puts there.
struct LaunchCopy::Piece {
  void* memory = nullptr;
  std::vector<std::byte> content;
};

bool LaunchCopy::suits(const LaunchPlace& place, const loci_launch& launch,
                       const ArgumentCounts& counts, std::uint64_t most_bytes) {
  bool writes = false;
  for (std::uint32_t o = 0; o < counts.outputs; ++o) {
    const loci_view& output = *launch.outputs[o];
    if (output.data == nullptr) continue;
    if (!is_dense(output, place.host_memory)) return false;
    writes = true;
    for (std::uint32_t i = 0; i < counts.inputs; ++i) {
      if (overlap(output, *launch.inputs[i])) return false;
    }
  }
  return writes && bytes_of(launch, counts) <= most_bytes;
}

std::uint64_t LaunchCopy::bytes_of(const loci_launch& launch, const ArgumentCounts& counts) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < counts.inputs; ++i) bytes += launch.inputs[i]->bytes;
  for (std::uint32_t o = 0; o < counts.outputs; ++o) {
    if (launch.outputs[o]->data != nullptr) bytes += launch.outputs[o]->bytes;
  }
  return bytes;
}

LaunchCopy::LaunchCopy(const LaunchPlace& place, const loci_launch& launch,
                       const ArgumentCounts& counts, bool turns, std::size_t slots)
    : place_(place), slots_(slots) {
  if (place.api.stream_create != nullptr && launch.stream != nullptr &&
      !succeeds(place.api.stream_create(place.device, 0, &own_stream_))) {
    own_stream_ = nullptr;
    return;
  }
  usable_ = add_inputs(launch, counts.inputs, turns) && add_outputs(launch, counts.outputs);
}

LaunchCopy::~LaunchCopy() {
  if (own_stream_ != nullptr) succeeds(place_.api.stream_synchronize(own_stream_));
  for (auto* pieces : {&input_pieces_, &output_pieces_}) {
    for (const auto& piece : *pieces) {
      if (piece != nullptr) free(piece->memory);
    }
  }
  if (workspace_ != nullptr) free(workspace_->memory);
  if (own_stream_ != nullptr) place_.api.stream_destroy(own_stream_);
}

bool LaunchCopy::succeeds(loci_error* error) {
  if (error == nullptr) return true;
  if (error_.empty()) {
    const loci_str message = place_.host.error_message(error);
    error_.assign(message.data == nullptr ? "" : message.data, message.size);
  }
  is_lost_ = is_lost_ || place_.host.error_code(error) == LOCI_CODE_DEVICE_LOST;
  place_.host.error_release(error);
  return false;
}

void* LaunchCopy::allocate(std::uint64_t bytes) {
  const std::uint64_t rounded = (std::max<std::uint64_t>(bytes, 1) + kChunk - 1) / kChunk * kChunk;
  if (place_.host_memory) return std::aligned_alloc(kAlignment, rounded);
  void* pointer = nullptr;
  return succeeds(
             place_.api.mem_alloc(place_.device, LOCI_MEMORY_DEVICE, rounded, nullptr, &pointer))
             ? pointer
             : nullptr;
}

void LaunchCopy::free(void* pointer) {
  if (pointer == nullptr) return;
  if (place_.host_memory) return std::free(pointer);
  succeeds(place_.api.mem_free(place_.device, LOCI_MEMORY_DEVICE, pointer, nullptr));
}

bool LaunchCopy::copy(void* target, std::uint32_t target_end, const void* source,
                      std::uint32_t source_end, std::uint64_t bytes, loci_stream* stream) {
  if (bytes == 0) return true;
  if (place_.host_memory) {
    std::memcpy(target, source, bytes);
    return true;
  }
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = source_end;
  copy.target_end = target_end;
  copy.source = source;
  copy.target = target;
  copy.row_bytes = copy.source_pitch = copy.target_pitch = bytes;
  copy.rows = 1;
  std::uint32_t blocked = 0;
  return succeeds(place_.api.copy(place_.device, &copy, stream, &blocked)) &&
         succeeds(place_.api.stream_synchronize(stream));
}

bool LaunchCopy::add_inputs(const loci_launch& launch, std::uint32_t count, bool turns) {
  for (std::uint32_t i = 0; i < count; ++i) {
    inputs_.push_back(*launch.inputs[i]);
    input_pieces_.emplace_back();
    loci_view& view = inputs_.back();
    if (!is_dense(view, place_.host_memory) || view.data == nullptr || view.bytes == 0) continue;
    auto piece = std::make_unique<Piece>();
    piece->content.resize(view.bytes);
    if (!copy(piece->content.data(), LOCI_END_HOST, view.data, LOCI_END_DEVICE, view.bytes,
              launch.stream)) {
      return false;
    }
    if (turns && has_floats(view)) turn_elements(piece->content, element_bytes(view));
    view.data = piece->memory = allocate(view.bytes);
    input_pieces_.back() = std::move(piece);
    if (view.data == nullptr) return false;
  }
  return true;
}

bool LaunchCopy::add_outputs(const loci_launch& launch, std::uint32_t count) {
  for (std::uint32_t o = 0; o < count; ++o) {
    outputs_.push_back(*launch.outputs[o]);
    output_pieces_.emplace_back();
    loci_view& view = outputs_.back();
    if (view.data == nullptr) continue;
    output_pieces_.back() = std::make_unique<Piece>();
    view.data = scratch(*output_pieces_.back(), slots_ * slot_bytes(view));
    mark_ends(view, &output_pieces_.back()->content);
    if (view.data == nullptr) return false;
  }
  return true;
}

void* LaunchCopy::scratch(Piece& piece, std::uint64_t bytes) {
  piece.content.assign(bytes, std::byte{0});
  if (piece.memory == nullptr) piece.memory = allocate(bytes);
  return piece.memory;
}

bool LaunchCopy::can_alias(const loci_alias& alias) const {
  return alias.input < inputs_.size() && alias.output < outputs_.size() &&
         input_pieces_[alias.input] != nullptr && output_pieces_[alias.output] != nullptr &&
         inputs_[alias.input].bytes == outputs_[alias.output].bytes;
}

void LaunchCopy::reset(const loci_alias* alias) {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    if (output_pieces_[o] == nullptr) continue;
    Piece& piece = *output_pieces_[o];
    outputs_[o].data = piece.memory;
    copy(piece.memory, LOCI_END_DEVICE, piece.content.data(), LOCI_END_HOST, piece.content.size(),
         own_stream_);
  }
  for (const auto& piece : input_pieces_) {
    if (piece == nullptr) continue;
    copy(piece->memory, LOCI_END_DEVICE, piece->content.data(), LOCI_END_HOST,
         piece->content.size(), own_stream_);
  }
  if (alias != nullptr) outputs_[alias->output].data = input_pieces_[alias->input]->memory;
}

void LaunchCopy::turn() {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (input_pieces_[i] == nullptr || !has_floats(inputs_[i])) continue;
    turn_elements(input_pieces_[i]->content, element_bytes(inputs_[i]));
  }
}

bool LaunchCopy::start(const PreparedKernel& kernel, loci_stream* stream, std::uint64_t flags) {
  if (workspace_ == nullptr) workspace_ = std::make_unique<Piece>();
  if (workspace_->content.size() < kernel.workspace_bytes) {
    free(workspace_->memory);
    workspace_->memory = nullptr;
    if (scratch(*workspace_, kernel.workspace_bytes) == nullptr) return false;
  }
  state_.assign(kernel.state_bytes / sizeof(std::uint64_t) + 1, 0);
  std::vector<const loci_view*> inputs;
  std::vector<const loci_view*> outputs;
  for (const loci_view& view : inputs_) inputs.push_back(&view);
  for (const loci_view& view : outputs_) outputs.push_back(&view);
  loci_launch launch{};
  launch.inputs = inputs.data();
  launch.outputs = outputs.data();
  launch.workspace = kernel.workspace_bytes == 0 ? nullptr : workspace_->memory;
  launch.state = state_.data();
  launch.stream = stream == nullptr ? own_stream_ : stream;
  launch.flags = flags;
  return succeeds(kernel.launch(kernel.object, &launch));
}

bool LaunchCopy::start_in_slot(const PreparedKernel& kernel, std::size_t slot) {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    if (output_pieces_[o] == nullptr) continue;
    auto* first = static_cast<std::byte*>(output_pieces_[o]->memory);
    outputs_[o].data = first + slot * slot_bytes(outputs_[o]);
  }
  return start(kernel);
}

bool LaunchCopy::finish(loci_stream* stream) {
  if (stream == nullptr) stream = own_stream_;
  if (stream != nullptr && !succeeds(place_.api.stream_synchronize(stream))) return false;
  if (place_.api.take_async_error == nullptr) return true;
  std::uint64_t correlation = 0;
  return succeeds(place_.api.take_async_error(place_.device, &correlation));
}

Contents LaunchCopy::read() {
  Contents contents;
  for (const loci_view& view : outputs_) {
    std::vector<std::byte>& content = contents.emplace_back(view.data == nullptr ? 0 : view.bytes);
    if (!copy(content.data(), LOCI_END_HOST, view.data, LOCI_END_DEVICE, content.size(),
              own_stream_)) {
      return {};
    }
  }
  return contents;
}

std::optional<std::uint64_t> LaunchCopy::overrun_output() {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    if (output_pieces_[o] == nullptr) continue;
    const Piece& piece = *output_pieces_[o];
    std::vector<std::byte> behind(slot_bytes(outputs_[o]) - outputs_[o].bytes);
    if (!copy(behind.data(), LOCI_END_HOST,
              static_cast<const std::byte*>(piece.memory) + outputs_[o].bytes, LOCI_END_DEVICE,
              behind.size(), own_stream_)) {
      return {};
    }
    const bool is_kept =
        std::all_of(behind.begin(), behind.end(), [](std::byte one) { return one == kBehind; });
    if (!is_kept) return o;
  }
  return {};
}

bool LaunchCopy::all_hold(const Contents& expected) {
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    if (output_pieces_[o] == nullptr) continue;
    const Piece& piece = *output_pieces_[o];
    std::vector<std::byte> all(piece.content.size());
    if (!copy(all.data(), LOCI_END_HOST, piece.memory, LOCI_END_DEVICE, all.size(), own_stream_)) {
      return false;
    }
    for (std::size_t slot = 0; slot < slots_; ++slot) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(slot * slot_bytes(outputs_[o]));
      if (!std::equal(expected[o].begin(), expected[o].end(), from)) return false;
    }
  }
  return true;
}

Contents LaunchCopy::run(const PreparedKernel& kernel, const loci_alias* alias) {
  reset(alias);
  return start(kernel) && finish() ? read() : Contents();
}

}  // namespace loci::verify
