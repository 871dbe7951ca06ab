// Descriptors: made, set, and given to calls by their address.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tools/cuda_double/cudnn/refusal.h"

namespace loci::cudnn_double {

template <std::uint64_t mark_of_kind>
struct Marked {
  static constexpr std::uint64_t kMark = mark_of_kind;
  std::uint64_t mark = kMark;
  bool is_set = false;
};

struct Tensor : Marked<0x54656e736f720001> {
  static constexpr const char* kName = "tensor descriptor";
  int type = 0;
  std::array<int, 4> extents{};  // images, channels, height, width
};

struct Filter : Marked<0x46696c7465720002> {
  static constexpr const char* kName = "filter descriptor";
  int type = 0;
  std::array<int, 4> extents{};  // filters, channels of a group, height, width
};

struct Convolution : Marked<0x436f6e766f6c0003> {
  static constexpr const char* kName = "convolution descriptor";
  std::array<int, 2> padding{};
  std::array<int, 2> stride{};
  std::array<int, 2> dilation{};
  int compute = 0;
  int groups = 1;
  int math = kDefaultMath;
};

struct Activation : Marked<0x4163746976610004> {
  static constexpr const char* kName = "activation descriptor";
  int mode = 0;
};

// Throws Refusal for null, and for something else.
template <class Descriptor>
Descriptor& made(Descriptor* descriptor) {
  require(descriptor != nullptr && descriptor->mark == Descriptor::kMark,
          std::string("no ") + Descriptor::kName + ", or none any more");
  return *descriptor;
}

// And for one that was never set.
template <class Descriptor>
const Descriptor& given(Descriptor* descriptor) {
  require(made(descriptor).is_set, std::string("a ") + Descriptor::kName + " was never set");
  return *descriptor;
}

template <class Descriptor>
void create(Descriptor** place) {
  require(place != nullptr, std::string("there is no place for the ") + Descriptor::kName);
  *place = new Descriptor;
}

template <class Descriptor>
void destroy(Descriptor* descriptor) {
  made(descriptor).mark = 0;
  delete descriptor;
}

}  // namespace loci::cudnn_double
