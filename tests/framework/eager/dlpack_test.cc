#include <loci/dlpack.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "tests/framework/eager/eager_fixture.h"

// An application that includes the standard's header sees these declarations.
extern "C" {
typedef struct DLManagedTensorVersioned {
  struct {
    std::uint32_t major, minor;
  } version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  std::uint64_t flags;
  struct {
    void* data;
    struct {
      std::int32_t device_type, device_id;
    } device;
    std::int32_t ndim;
    struct {
      std::uint8_t code, bits;
      std::uint16_t lanes;
    } dtype;
    std::int64_t* shape;
    std::int64_t* strides;
    std::uint64_t byte_offset;
  } dl_tensor;
} DLManagedTensorVersioned;
}

namespace loci::eager {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

static_assert(sizeof(DLManagedTensorVersioned) == sizeof(dlpack::ManagedTensor));
static_assert(offsetof(DLManagedTensorVersioned, flags) == offsetof(dlpack::ManagedTensor, flags));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor.dtype) ==
              offsetof(dlpack::ManagedTensor, tensor.dtype));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor.strides) ==
              offsetof(dlpack::ManagedTensor, tensor.strides));
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor.byte_offset) ==
              offsetof(dlpack::ManagedTensor, tensor.byte_offset));

// A tensor of another library: floats on the host unless a test changes it.
class Foreign {
 public:
  Foreign(std::vector<float> elements, std::vector<std::int64_t> shape,
          std::vector<std::int64_t> strides = {})
      : elements_(std::move(elements)), shape_(std::move(shape)), strides_(std::move(strides)) {
    managed.version = {1, 1};
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Foreign*>(self->manager_ctx)->deleted;
    };
    managed.dl_tensor.data = elements_.data();
    managed.dl_tensor.device = {dlpack::kCpu, 0};
    managed.dl_tensor.ndim = static_cast<std::int32_t>(shape_.size());
    managed.dl_tensor.dtype = {dlpack::kFloat, 32, 1};
    managed.dl_tensor.shape = shape_.data();
    managed.dl_tensor.strides = strides_.empty() ? nullptr : strides_.data();
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

  [[nodiscard]] float* elements() { return elements_.data(); }

  DLManagedTensorVersioned managed{};
  int deleted = 0;

 private:
  std::vector<float> elements_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
};

class DlpackTest : public EagerTest {
 protected:
  // That it is refused with this in the message, and given back.
  static void expect_refusal(Foreign& foreign, ErrorCode code, const std::string& message,
                             bool copy = false) {
    try {
      (void)from_dlpack(&foreign.managed, copy);
      ADD_FAILURE() << "no error with " << message;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("[from_dlpack]"));
      EXPECT_THAT(error.what(), HasSubstr(message));
      EXPECT_EQ(error.code(), code);
    }
    EXPECT_EQ(foreign.deleted, 1);
  }
};

TEST_F(DlpackTest, AnExportSharesTheMemoryAndKeepsIt) {
  Tensor x = vector({1, 2, 3, 4, 5, 6}).reshaped({3, 2});
  const void* memory = x.raw_data();
  DLManagedTensorVersioned* managed = to_dlpack(x);
  x = Tensor();
  EXPECT_EQ(managed->version.major, 1U);
  EXPECT_EQ(managed->flags, 0U);
  const auto& view = managed->dl_tensor;
  EXPECT_EQ(view.data, memory);
  EXPECT_EQ(view.byte_offset, 0U);
  EXPECT_EQ(view.device.device_type, 1);
  EXPECT_EQ(view.dtype.code, 2);
  EXPECT_EQ(view.dtype.bits, 32);
  EXPECT_EQ(view.dtype.lanes, 1);
  ASSERT_EQ(view.ndim, 2);
  EXPECT_THAT(std::vector<std::int64_t>(view.shape, view.shape + 2), ElementsAre(3, 2));
  EXPECT_THAT(std::vector<std::int64_t>(view.strides, view.strides + 2), ElementsAre(2, 1));
  EXPECT_EQ(static_cast<const float*>(view.data)[5], 6);
  managed->deleter(managed);
}

// The result is the same as if the source had been copied first.
TEST_F(DlpackTest, ImportsOfOverlappingMemoryAreReadAsTheyWere) {
  const auto changed = [](const auto& change) {
    Foreign one({1, 2, 4, 8}, {3});
    Foreign other({}, {3});
    one.managed.dl_tensor.byte_offset = sizeof(float);
    other.managed.dl_tensor.data = one.elements();
    change(from_dlpack(&one.managed), from_dlpack(&other.managed));
    synchronize();
    return std::vector<float>(one.elements(), one.elements() + 4);
  };
  using T = Tensor;
  const Tensor rate = vector({1});
  EXPECT_THAT(changed([](const T& x, const T& y) { x.add_(y); }), ElementsAre(1, 3, 6, 12));
  EXPECT_THAT(changed([](const T& x, const T& y) { x.copy_(y); }), ElementsAre(1, 1, 2, 4));
  EXPECT_THAT(changed([&](const T& x, const T& y) { sgd(x, y, rate); }), ElementsAre(1, 1, 2, 4));
}

TEST_F(DlpackTest, ATensorThatComesBackIsKnown) {
  const Tensor t = vector({1, 2, 4, 8});
  const Tensor back = from_dlpack(to_dlpack(t));
  t.rows(1, 4).add_(back.rows(0, 3));
  EXPECT_THAT(floats(t), ElementsAre(1, 3, 6, 12));
}

TEST_F(DlpackTest, AnExportIsComplete) {
  Tensor sum = zeros({1 << 18});
  for (int i = 0; i < 50; ++i) sum = sum + 1.0;
  DLManagedTensorVersioned* managed = to_dlpack(sum.rows(-1, 1 << 18));
  EXPECT_EQ(*static_cast<const float*>(managed->dl_tensor.data), 50);
  managed->deleter(managed);
}

TEST_F(DlpackTest, AnExportThrowsWhatTheWorkFailedWith) {
  const Tensor label = Tensor::from<std::int64_t>({7}, {1, 1});
  const Tensor loss = cross_entropy(full({1, 2}, 0.5), label);
  EXPECT_THAT([&] { (void)to_dlpack(loss); }, ThrowsMessage<Error>(HasSubstr("[cross_entropy]")));
}

TEST_F(DlpackTest, RefusesToExportWhatAnotherLibraryCannotUse) {
  EXPECT_THROW((void)to_dlpack(Tensor()), Error);
  const Tensor x = variable({1, 2});
  EXPECT_THAT(
      [&] { (void)to_dlpack(x); },
      ThrowsMessage<Error>(AllOf(HasSubstr("[to_dlpack] float32 [2]"), HasSubstr("detach()"))));
  EXPECT_THAT([&] { (void)to_dlpack(x * x); }, ThrowsMessage<Error>(HasSubstr("gradient")));
  DLManagedTensorVersioned* managed = to_dlpack(x.detach());
  managed->deleter(managed);
}

TEST_F(DlpackTest, AnImportSharesTheMemoryUntilItsLastUse) {
  Foreign foreign({1, 2, 3, 4, 5, 6}, {2, 3}, {3, 1});
  {
    const Tensor x = from_dlpack(&foreign.managed);
    EXPECT_EQ(x.shape(), Shape({2, 3}));
    EXPECT_EQ(x.raw_data(), foreign.elements());
    const Tensor row = x[1];
    x.add_(x);
    EXPECT_THAT(floats(row), ElementsAre(8, 10, 12));
    EXPECT_EQ(foreign.deleted, 0);
  }
  synchronize();
  EXPECT_EQ(foreign.elements()[5], 12);
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(DlpackTest, TheOffsetIsInBytes) {
  Foreign foreign({1, 2, 3, 4}, {2});
  foreign.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  EXPECT_THAT(floats(from_dlpack(&foreign.managed)), ElementsAre(3, 4));
}

TEST_F(DlpackTest, ADeleterIsNotNeeded) {
  Foreign foreign({1}, {});
  foreign.managed.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&foreign.managed).item<float>(), 1);
}

TEST_F(DlpackTest, StridesOfExtentOneDoNotMatter) {
  Foreign foreign({1, 2}, {1, 2, 1}, {77, 1, -5});
  EXPECT_EQ(from_dlpack(&foreign.managed).raw_data(), foreign.elements());
}

TEST_F(DlpackTest, StridesOfExtentOneDoNotMatterInACopyEither) {
  Foreign foreign({1, 2, 3, 4}, {2, 1, 2}, {1, INT64_MAX, 2});
  EXPECT_THAT(floats(from_dlpack(&foreign.managed)), ElementsAre(1, 3, 2, 4));
}

TEST_F(DlpackTest, WhatIsNotDenseIsCopied) {
  Foreign transposed({1, 2, 3, 4, 5, 6}, {3, 2}, {1, 3});
  const Tensor x = from_dlpack(&transposed.managed);
  EXPECT_THAT(floats(x), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_EQ(transposed.deleted, 1);
  Foreign repeated({1, 2}, {2, 2}, {0, 1});
  EXPECT_THAT(floats(from_dlpack(&repeated.managed)), ElementsAre(1, 2, 1, 2));
  Foreign backwards({1, 2, 3}, {3}, {-1});
  backwards.managed.dl_tensor.byte_offset = 2 * sizeof(float);
  EXPECT_THAT(floats(from_dlpack(&backwards.managed)), ElementsAre(3, 2, 1));
}

TEST_F(DlpackTest, WhatIsNotAlignedIsCopied) {
  Foreign foreign({0, 0, 0}, {2});
  const std::vector<float> expected{5, 6};
  std::memcpy(reinterpret_cast<char*>(foreign.elements()) + 2, expected.data(), 8);
  foreign.managed.dl_tensor.byte_offset = 2;
  EXPECT_EQ(floats(from_dlpack(&foreign.managed)), expected);
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(DlpackTest, WhatMayOnlyBeReadIsCopiedIfAsked) {
  Foreign refused({1, 2}, {2});
  refused.managed.flags = dlpack::kReadOnly;
  expect_refusal(refused, ErrorCode::kUnsupported, "from_dlpack(managed, true)");
  Foreign copied({1, 2}, {2});
  copied.managed.flags = dlpack::kReadOnly;
  const Tensor x = from_dlpack(&copied.managed, /*copy=*/true);
  EXPECT_EQ(copied.deleted, 1);
  x.add_(x);
  EXPECT_THAT(floats(x), ElementsAre(2, 4));
  EXPECT_EQ(copied.elements()[0], 1);
}

TEST_F(DlpackTest, WithoutElementsThereNeedBeNoMemory) {
  Foreign foreign({}, {0, 3});
  foreign.managed.dl_tensor.data = nullptr;
  const Tensor x = from_dlpack(&foreign.managed);
  EXPECT_EQ(x.shape(), Shape({0, 3}));
  EXPECT_TRUE(floats(x).empty());
}

TEST_F(DlpackTest, WithoutElementsExtentsMayBeOfAnySize) {
  const Shape shape{0, INT64_MAX, INT64_MAX};
  DLManagedTensorVersioned* managed = to_dlpack(Tensor::empty(shape, kFloat32));
  EXPECT_THAT(std::vector<std::int64_t>(managed->dl_tensor.strides, managed->dl_tensor.strides + 3),
              ElementsAre(1, 1, 1));
  EXPECT_EQ(from_dlpack(managed).shape(), shape);
}

TEST_F(DlpackTest, EveryDtypeComesBack) {
  for (const DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                            kFloat16, kBFloat16, kFloat32, kFloat64}) {
    const Tensor x = Tensor::empty({2}, dtype);
    const Tensor back = from_dlpack(to_dlpack(x));
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.raw_data(), x.raw_data());
  }
}

TEST_F(DlpackTest, RefusesOtherVersions) {
  Foreign foreign({1}, {1});
  foreign.managed.version = {2, 5};
  expect_refusal(foreign, ErrorCode::kIncompatible, "version 2.5; version 1.x");
}

TEST_F(DlpackTest, RefusesDtypesThatATensorCannotHave) {
  Foreign complex({1, 2}, {1});
  complex.managed.dl_tensor.dtype = {5, 64, 1};
  expect_refusal(complex, ErrorCode::kUnsupported, "code 5, 64 bits and 1 lanes");
  Foreign lanes({1, 2, 3, 4}, {1});
  lanes.managed.dl_tensor.dtype.lanes = 4;
  expect_refusal(lanes, ErrorCode::kUnsupported, "32 bits and 4 lanes");
}

TEST_F(DlpackTest, RefusesWhatBreaksTheRules) {
  EXPECT_THAT([] { (void)from_dlpack(nullptr); }, ThrowsMessage<Error>(HasSubstr("null pointer")));
  Foreign rank({1}, {1});
  rank.managed.dl_tensor.ndim = -1;
  expect_refusal(rank, ErrorCode::kInvalidArgument, "-1 dimensions");
  Foreign shape({1}, {1});
  shape.managed.dl_tensor.shape = nullptr;
  expect_refusal(shape, ErrorCode::kInvalidArgument, "1 dimensions without a shape");
  Foreign extent({1}, {1, -1});
  expect_refusal(extent, ErrorCode::kInvalidArgument, "dimension 1 has -1 elements");
  Foreign data({1}, {1});
  data.managed.dl_tensor.data = nullptr;
  expect_refusal(data, ErrorCode::kInvalidArgument, "float32 [1] has a null pointer");
  Foreign deep({1}, std::vector<std::int64_t>(9, 1));
  expect_refusal(deep, ErrorCode::kUnsupported, "9 dimensions");
}

TEST_F(DlpackTest, RefusesWhatIsBeyondTheAddressSpace) {
  constexpr std::int64_t kMost = INT64_MAX;
  const std::string message = "does not fit into the address space";
  Foreign elements({1}, {kMost, 2});
  expect_refusal(elements, ErrorCode::kInvalidArgument, message);
  Foreign bytes({1}, {kMost / 2});
  expect_refusal(bytes, ErrorCode::kInvalidArgument, message);
  Foreign stride({1, 2}, {2}, {kMost / 2});
  expect_refusal(stride, ErrorCode::kInvalidArgument, message);
  Foreign steps({1, 2}, {3}, {kMost});
  expect_refusal(steps, ErrorCode::kInvalidArgument, message);
  Foreign sum({1, 2}, {2, 2}, {kMost, 1});
  expect_refusal(sum, ErrorCode::kInvalidArgument, message);
  Foreign backwards({1, 2}, {2}, {-kMost / 8});
  expect_refusal(backwards, ErrorCode::kInvalidArgument, message);
  Foreign copy({1}, {kMost / 2}, {0});
  expect_refusal(copy, ErrorCode::kInvalidArgument, message);
  Foreign offset({1}, {1});
  offset.managed.dl_tensor.byte_offset = UINT64_MAX;
  expect_refusal(offset, ErrorCode::kInvalidArgument,
                 "float32 [1] with its strides and an offset of 18446744073709551615 bytes");
}

TEST_F(DlpackTest, RefusesUnknownDevices) {
  Foreign unknown({1}, {1});
  unknown.managed.dl_tensor.device = {99, 0};
  expect_refusal(unknown, ErrorCode::kUnsupported, "device type 99");
  Foreign absent({1}, {1});
  absent.managed.dl_tensor.device = {dlpack::kExtension, 40};
  EXPECT_THROW((void)from_dlpack(&absent.managed), Error);
  EXPECT_EQ(absent.deleted, 1);
}

TEST_F(DlpackTest, DeviceMemoryGoesOutAndBack) {
  DLManagedTensorVersioned* managed = to_dlpack(vector({1, 2, 3}).to("sim:1"));
  EXPECT_EQ(managed->dl_tensor.device.device_type, dlpack::kExtension);
  EXPECT_EQ(managed->dl_tensor.device.device_id, 1);
  const Tensor x = from_dlpack(managed);
  EXPECT_EQ(x.place(), Place("sim:1"));
  EXPECT_THAT(floats(x + x), ElementsAre(2, 4, 6));
}

// A foreign tensor in the memory of `resident`.
void place_in(const Tensor& resident, Foreign* foreign) {
  foreign->managed.dl_tensor.data = resident.raw_data();
  foreign->managed.dl_tensor.device = {dlpack::kExtension, 0};
}

TEST_F(DlpackTest, DeviceMemoryIsGivenBackBehindTheWork) {
  const Tensor resident = full({1 << 16}, 1.0, kFloat32, "sim:0");
  Foreign foreign({}, {1 << 16});
  place_in(resident, &foreign);
  Tensor x = from_dlpack(&foreign.managed);
  const Tensor y = x + x;
  x = Tensor();
  EXPECT_EQ(foreign.deleted, 0);  // the device may be at work still
  EXPECT_EQ(y.to_vector<float>()[9], 2);
  synchronize("sim:0");
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(DlpackTest, DeviceMemoryIsCopiedThere) {
  const Tensor resident = full({4}, 1.0, kFloat32, "sim:0");
  Foreign foreign({}, {4});
  place_in(resident, &foreign);
  foreign.managed.flags = dlpack::kReadOnly;
  const Tensor x = from_dlpack(&foreign.managed, /*copy=*/true);
  EXPECT_NE(x.raw_data(), resident.raw_data());
  EXPECT_EQ(x.place(), Place("sim:0"));
  EXPECT_THAT(floats(x), ElementsAre(1, 1, 1, 1));
  synchronize("sim:0");
  EXPECT_EQ(foreign.deleted, 1);
}

TEST_F(DlpackTest, DeviceMemoryThatIsNotDenseIsRefused) {
  const Tensor resident = full({4}, 1.0, kFloat32, "sim:0");
  Foreign foreign({}, {2, 2}, {1, 2});
  place_in(resident, &foreign);
  expect_refusal(foreign, ErrorCode::kUnsupported, "float32 [2, 2] at sim:0");
}

}  // namespace
}  // namespace loci::eager
