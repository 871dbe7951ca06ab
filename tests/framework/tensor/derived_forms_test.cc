#include "framework/tensor/derived_forms.h"

#include <gtest/gtest.h>

#include "framework/tensor/packed_form.h"
#include "framework/tensor/replica.h"

namespace loci::tensor {
namespace {

template <class Form, class Key>
std::shared_ptr<const Form> form(const Key& key, std::uint64_t version) {
  auto made = std::make_shared<Form>();
  made->key = key;
  made->version = version;
  return made;
}

const PackedKey kPacked{7, DType::kFloat32, {2, 3}, 0};
const ReplicaKey kReplica{Place("cpu"), DType::kFloat32, {2, 3}, 0};

TEST(DerivedFormsTest, FindsWhatWasPutIn) {
  DerivedForms<PackedForm> forms;
  EXPECT_EQ(forms.find(kPacked), nullptr);
  const auto kept = form<PackedForm>(kPacked, 4);
  forms.put(kept);
  EXPECT_EQ(forms.find(kPacked), kept);
}

TEST(DerivedFormsTest, AViewOrAnotherLayoutIsAnotherForm) {
  DerivedForms<PackedForm> forms;
  forms.put(form<PackedForm>(kPacked, 0));
  PackedKey other = kPacked;
  other.shape = {3, 2};
  EXPECT_EQ(forms.find(other), nullptr);
  other = kPacked;
  other.offset = 24;
  EXPECT_EQ(forms.find(other), nullptr);
  other = kPacked;
  other.layout = 8;
  EXPECT_EQ(forms.find(other), nullptr);
}

TEST(DerivedFormsTest, AnotherPlaceIsAnotherForm) {
  DerivedForms<Replica> forms;
  const auto kept = form<Replica>(kReplica, 0);
  forms.put(kept);
  ReplicaKey other = kReplica;
  other.place = Place("toy:1");
  EXPECT_EQ(forms.find(other), nullptr);
  EXPECT_EQ(forms.find(kReplica), kept);
}

TEST(DerivedFormsTest, ANewerOneTakesThePlaceOfTheOlder) {
  DerivedForms<PackedForm> forms;
  const std::weak_ptr<const PackedForm> older = [&] {
    const auto made = form<PackedForm>(kPacked, 1);
    forms.put(made);
    return made;
  }();
  EXPECT_FALSE(older.expired());
  forms.put(form<PackedForm>(kPacked, 2));
  EXPECT_TRUE(older.expired());
  EXPECT_EQ(forms.find(kPacked)->version, 2U);
}

}  // namespace
}  // namespace loci::tensor
