#include "framework/plugin/negotiation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/abi/digest.h>

#include "framework/core/abi/error.h"
#include "framework/plugin/load_error.h"
#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

constexpr HostAbi kHost{1, 5, 3, "digest"};

Manifest manifest() {
  Manifest result;
  result.id = "org.loci.x";
  result.version = "1.0.0";
  result.abi_major = 1;
  result.abi_minor = 4;
  result.abi_digest = "digest";
  return result;
}

loci_plugin_desc desc() {
  loci_plugin_desc result{};
  result.struct_size = sizeof result;
  result.abi_minor = 4;
  result.id = core::to_abi("org.loci.x");
  result.version = core::to_abi("1.0.0");
  result.digest = core::to_abi("digest");
  result.create = [](const loci_host_api*, const loci_kv*, std::uint64_t,
                     loci_plugin**) -> loci_error* { return nullptr; };
  result.destroy = [](loci_plugin*) {};
  result.get_interface = [](loci_plugin*, loci_str, std::uint32_t, const void**) -> loci_error* {
    return nullptr;
  };
  return result;
}

template <class Edit>
std::string manifest_cause(Edit&& edit) {
  Manifest edited = manifest();
  edit(edited);
  return load_error_of([&edited] { check_manifest_abi(edited, kHost); }).cause();
}

template <class Edit>
std::string desc_cause(Edit&& edit) {
  loci_plugin_desc edited = desc();
  edit(edited);
  return load_error_of([&edited] { negotiate(&edited, manifest(), kHost); }).cause();
}

TEST(Negotiation, TheHostSaysWhatItIs) {
  const HostAbi host = this_host();
  EXPECT_EQ(host.major, static_cast<std::uint32_t>(LOCI_ABI_MAJOR));
  const loci_host_info info = host_info(host);
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.abi_minor, static_cast<std::uint32_t>(LOCI_ABI_MINOR));
  EXPECT_EQ(core::from_abi(info.digest), LOCI_ABI_DIGEST);
  EXPECT_FALSE(core::from_abi(info.version).empty());
}

TEST(Negotiation, AcceptsWhatFits) {
  check_manifest_abi(manifest(), kHost);
  const loci_plugin_desc plugin = desc();
  EXPECT_EQ(negotiate(&plugin, manifest(), kHost).create, plugin.create);
}

TEST(Negotiation, NewerAloneIsNoReasonToRefuse) {
  Manifest newer = manifest();
  newer.abi_minor = 9;
  newer.min_host_minor = 5;
  check_manifest_abi(newer, kHost);
}

TEST(Negotiation, NamesBothNumbers) {
  EXPECT_THAT(manifest_cause([](Manifest& m) { m.min_host_minor = 6; }),
              HasSubstr("too new: it needs ABI 1.6 or newer, and this Loci has 1.5"));
  EXPECT_THAT(manifest_cause([](Manifest& m) { m.abi_minor = 2; }),
              HasSubstr("too old: it was built for ABI 1.2, and this Loci takes 1.3 or newer"));
  EXPECT_THAT(manifest_cause([](Manifest& m) { m.abi_major = 2; }),
              HasSubstr("too new: it was built for ABI major 2, and this Loci has major 1"));
  EXPECT_THAT(manifest_cause([](Manifest& m) { m.abi_major = 0; }),
              HasSubstr("too old: it was built for ABI major 0"));
  EXPECT_THAT(manifest_cause([](Manifest& m) { m.abi_digest = "other"; }),
              HasSubstr("with the ABI headers other, and this Loci with digest"));
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) { d.min_host_minor = 6; }), HasSubstr("1.6"));
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) { d.abi_minor = 2; }), HasSubstr("1.2"));
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) { d.digest = core::to_abi("other"); }),
              HasSubstr("other"));
}

TEST(Negotiation, TheCodeKeepsWhatTheManifestPromised) {
  EXPECT_EQ(desc_cause([](loci_plugin_desc& d) { d.id = core::to_abi("org.loci.y"); }),
            "its manifest has the id 'org.loci.x' and its code 'org.loci.y'");
  EXPECT_EQ(desc_cause([](loci_plugin_desc& d) {
              d.version = {nullptr, 3};
            }),
            "its manifest has the version '1.0.0' and its code ''");
}

TEST(Negotiation, RefusesAnIncompleteDescriptor) {
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) { d.destroy = nullptr; }), HasSubstr("lacks"));
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) { d.struct_size = 0; }),
              HasSubstr("its loci_plugin_desc states a size of 0 bytes"));
  // One that ends before get_interface: what lies behind its end is not read.
  EXPECT_THAT(desc_cause([](loci_plugin_desc& d) {
                d.struct_size = offsetof(loci_plugin_desc, get_interface);
              }),
              HasSubstr("lacks create, destroy or get_interface"));
}

TEST(Negotiation, TablesOfOtherSizesAreCopied) {
  struct Newer {
    std::uint32_t struct_size = sizeof(Newer);
    std::uint32_t minor = 7;
    void* first = nullptr;
    void* second = nullptr;
  } newer;
  struct Older {
    std::uint32_t struct_size;
    std::uint32_t minor;
    void* first;
  };
  newer.first = &newer;
  const auto cut = copy_table<Older>(&newer, "table");
  EXPECT_EQ(cut.first, &newer);
  EXPECT_EQ(cut.minor, 7u);

  const Older older{sizeof(Older), 1, &newer};
  const auto grown = copy_table<Newer>(&older, "table");
  EXPECT_EQ(grown.first, &newer);
  EXPECT_EQ(grown.second, nullptr);
}

}  // namespace
}  // namespace loci::plugin
