// Texts of --feed, for data variables of every dtype. A file of the text is one of the scratch
// directory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <loci/io.hpp>
#include <variant>
#include <vector>

#include "framework/core/config.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/same_tensor.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/fuzz/usage_error.h"
#include "tools/loci/model/element.h"
#include "tools/loci/model/feed_spec.h"
#include "tools/loci/model/feed_tensor.h"

namespace loci::fuzz {
namespace {

using runner::FeedFile;
using runner::FeedRandom;
using runner::FeedSpec;
using runner::FeedValue;
using runner::Target;

constexpr std::uint64_t kSeed = 7;
constexpr std::size_t kTensorBytes = std::size_t{256} << 10;
constexpr const char* kPrefix = "feed_";
// Limits a file's name in the scratch directory: longer ones are cut in messages.
constexpr std::size_t kLongestName = 300;

// "float32" is float32[-1, 2], and so on.
const std::vector<Target>& variables() {
  static const std::vector<Target> kAll = [] {
    std::vector<Target> all{{"scalar", kFloat32, Shape{}},
                            {"empty", kInt32, Shape{0, 3}},
                            {"any", kFloat64, Shape{-1, -1, -1}}};
    for (const DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32,
                              kUInt64, kFloat16, kBFloat16, kFloat32, kFloat64}) {
      all.push_back({std::string(dtype_name(dtype)), dtype, Shape{-1, 2}});
    }
    return all;
  }();
  return kAll;
}

// A name that the program does not have is the runner's to refuse, before there is a tensor.
Target target_named(const std::string& name) {
  for (const Target& target : variables()) {
    if (target.name == name) return target;
  }
  return {name, kFloat32, Shape{-1, 2}};
}

// Arrays for "@float32" and so on, and one that is damaged.
class Files {
 public:
  Files() : damaged_(std::string(kPrefix) + "damaged") {
    for (const Target& target : variables()) {
      const Tensor zeros = Tensor::empty(runner::with_ones(target.shape), target.dtype);
      std::fill_n(static_cast<char*>(zeros.raw_data()), zeros.bytes(), '\0');
      const ScratchFile file(kPrefix + target.name);
      if (target.dtype != kBFloat16) io::save_npy(file.path(), zeros);
    }
    damaged_.write("\x93NUMPY");
    const ScratchFile archive(std::string(kPrefix) + "arrays.npz");
    io::save_npz(archive.path(), {{"float32", Tensor::from<float>({1, 2}, {1, 2})}});
  }

  [[nodiscard]] std::string directory() const {
    return std::filesystem::path(damaged_.path()).parent_path().string();
  }
  // In the directory, whatever the path is.
  [[nodiscard]] FeedFile there(FeedFile feed) const {
    std::string name = kPrefix + feed.file.path.substr(0, kLongestName);
    std::replace(name.begin(), name.end(), '/', '_');
    feed.file.path = directory() + "/" + name;
    return feed;
  }

 private:
  ScratchFile damaged_;
};

std::string shape_text(const FeedRandom& random) {
  return random.shape ? fmt::format("{}", fmt::join(*random.shape, "x")) : std::string();
}

bool same_random(const FeedRandom& a, const FeedRandom& b) {
  return a.shape == b.shape && a.low == b.low && a.high == b.high;
}

void check_random_spec(const FeedSpec& spec, const FeedRandom& random) {
  std::string text = fmt::format("{}=random:{}", spec.name, shape_text(random));
  demand(random.low.has_value() == random.high.has_value(), "there is one bound");
  if (random.low) {
    demand(std::isfinite(*random.low) && *random.low < *random.high, "the bounds are none");
    text += fmt::format(":{}:{}", *random.low, *random.high);
  }
  const FeedSpec again = runner::parse_feed(text);
  const auto* read = std::get_if<FeedRandom>(&again.source);
  demand(read != nullptr && same_random(*read, random),
         "the feed is another one when it is written and read");
}

void check_spec(const FeedSpec& spec, std::string_view text) {
  demand(!spec.name.empty() && spec.name.find('=') == std::string::npos, "the name is none");
  demand(spec.name + "=" + spec.text == text, "a part of the text is lost");
  if (const auto* random = std::get_if<FeedRandom>(&spec.source)) check_random_spec(spec, *random);
}

void check_type(const Tensor& tensor, const Target& target) {
  demand(tensor.dtype() == target.dtype, "the tensor has another dtype");
  demand(tensor.shape().rank() == target.shape.rank(), "the tensor has another rank");
  for (int axis = 0; axis < target.shape.rank(); ++axis) {
    const std::int64_t wanted = target.shape[axis];
    demand(wanted == kDynamicDim || wanted == tensor.shape()[axis], "the tensor does not fit");
  }
}

template <class T>
double value_of(T element) {
  if constexpr (runner::is_float_element<T>) {
    return runner::float_value(element);
  } else {
    return static_cast<double>(element);
  }
}

// Within the bounds, as far as the dtype can say.
template <class T>
bool is_between(T element, const FeedRandom& random) {
  const double value = value_of(element);
  if constexpr (runner::is_float_element<T>) {
    return value >= value_of(runner::float_element<T>(random.low.value_or(0))) &&
           value <= value_of(runner::float_element<T>(random.high.value_or(1)));
  } else if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else {
    return value >= random.low.value_or(0) && value < random.high.value_or(2);
  }
}

template <class T>
T standard_number(const char* text, char** end) {
  if constexpr (std::is_same_v<T, double>) {
    return std::strtod(text, end);
  } else if constexpr (runner::is_float_element<T>) {
    return runner::float_element<T>(std::strtof(text, end));
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(std::strtoll(text, end, 10));
  } else {
    return static_cast<T>(std::strtoull(text, end, 10));
  }
}

// Returns true if all of the text is the number in the standard library's eyes.
template <class T>
bool is_number(T element, const std::string& text) {
  if constexpr (std::is_same_v<T, bool>) {
    return element == (text == "true" || text == "1");
  } else {
    char* end = nullptr;
    const T number = standard_number<T>(text.c_str(), &end);
    if (end != text.c_str() + text.size()) return false;
    if constexpr (!runner::is_float_element<T>) return number == element;
    const double value = value_of(number);
    return value == value_of(element) || (std::isnan(value) && std::isnan(value_of(element)));
  }
}

void check_elements(const Tensor& tensor, const FeedSpec& spec) {
  runner::visit_dtype(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const auto* elements = static_cast<const T*>(tensor.raw_data());
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      if (const auto* random = std::get_if<FeedRandom>(&spec.source)) {
        demand(is_between(elements[i], *random), "an element lies beyond its bounds");
      } else if (const auto* value = std::get_if<FeedValue>(&spec.source)) {
        demand(is_number(elements[i], value->text), "an element is not the number of the text");
      }
    }
  });
}

// Tensors come from where LOCI_MEMORY_LIMIT applies, which is read once.
bool limit_tensors() {
  core::set_config_value("MEMORY_LIMIT", std::to_string(kTensorBytes));
  return true;
}

void check(const std::string& text) {
  static const bool kLimited = limit_tensors();
  static const Files kFiles;
  (void)kLimited;
  FeedSpec spec;
  Tensor tensor;
  Reading reading{text.size(), "[--feed] ", kFeedErrors};
  const auto parse = [&] {
    with_usage_errors([&] {
      spec = runner::parse_feed(text);
      if (auto* file = std::get_if<FeedFile>(&spec.source)) {
        *file = kFiles.there(*file);
        reading.named = kFiles.directory() + "/";  // what is wrong now is wrong with the file
      }
      tensor = runner::feed_tensor(spec, target_named(spec.name), kSeed);
    });
  };
  if (!accepts(reading, parse)) return;
  check_spec(spec, text);
  check_type(tensor, target_named(spec.name));
  check_elements(tensor, spec);
  if (tensor.bytes() > kTensorBytes / 4) return;  // there may be no memory for another one
  demand(same(runner::feed_tensor(spec, target_named(spec.name), kSeed), tensor),
         "the tensor is another one the second time");
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(std::string(loci::fuzz::as_text(data, size)));
  return 0;
}
