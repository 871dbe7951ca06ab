#include "framework/tensor/packed_forms.h"

#include <gtest/gtest.h>

namespace loci::tensor {
namespace {

std::shared_ptr<const PackedForm> form(const PackedKey& key, std::uint64_t version) {
  auto made = std::make_shared<PackedForm>();
  made->key = key;
  made->version = version;
  return made;
}

const PackedKey kKey{7, DType::kFloat32, {2, 3}, 0};

TEST(PackedFormsTest, FindsWhatWasPutInOfThatVersion) {
  PackedForms forms;
  EXPECT_EQ(forms.find(kKey, 0), nullptr);
  const auto kept = form(kKey, 4);
  forms.put(kept);
  EXPECT_EQ(forms.find(kKey, 4), kept);
  EXPECT_EQ(forms.find(kKey, 5), nullptr);
}

TEST(PackedFormsTest, AViewOrAnotherLayoutIsAnotherForm) {
  PackedForms forms;
  forms.put(form(kKey, 0));
  PackedKey other = kKey;
  other.shape = {3, 2};
  EXPECT_EQ(forms.find(other, 0), nullptr);
  other = kKey;
  other.offset = 24;
  EXPECT_EQ(forms.find(other, 0), nullptr);
  other = kKey;
  other.layout = 8;
  EXPECT_EQ(forms.find(other, 0), nullptr);
}

TEST(PackedFormsTest, ANewerOneTakesThePlaceOfTheOlder) {
  PackedForms forms;
  const std::weak_ptr<const PackedForm> older = [&] {
    const auto made = form(kKey, 1);
    forms.put(made);
    return made;
  }();
  EXPECT_FALSE(older.expired());
  forms.put(form(kKey, 2));
  EXPECT_TRUE(older.expired());
  EXPECT_NE(forms.find(kKey, 2), nullptr);
}

}  // namespace
}  // namespace loci::tensor
