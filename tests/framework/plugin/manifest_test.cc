#include "framework/plugin/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/framework/plugin/load_error_matcher.h"

namespace loci::plugin {
namespace {

using nlohmann::json;
using test::load_error_of;
using testing::ElementsAre;
using testing::HasSubstr;

json good() {
  return {{"id", "org.loci.cuda"},
          {"version", "1.20.3"},
          {"kinds", {"backend", "capture"}},
          {"device_types", {"cuda"}},
          {"isa", {"avx2"}},
          {"settings", {"", "fail_copy"}},
          {"needs",
           {{{"soname", "libcublas.so.13"},
             {"hint", "install CUDA 13"},
             {"symbols", {"cublasCreate_v2"}}}}},
          {"abi", {{"major", 1}, {"minor", 0}, {"min_host_minor", 0}, {"digest", "abc"}}},
          {"sanitizer", "none"},
          {"later", {1, 2}}};
}

template <class Edit>
std::string cause_with(Edit&& edit) {
  json manifest = good();
  edit(manifest);
  const LoadError error = load_error_of([&manifest] { parse_manifest(manifest.dump()); });
  EXPECT_EQ(error.code(), ErrorCode::kDataLoss);
  EXPECT_THAT(error.remedy(), HasSubstr("manifest.json"));
  return error.cause();
}

TEST(Manifest, ReadsEveryMember) {
  const Manifest manifest = parse_manifest(good().dump());
  EXPECT_EQ(manifest.id, "org.loci.cuda");
  EXPECT_EQ(manifest.version, "1.20.3");
  EXPECT_THAT(manifest.kinds, ElementsAre("backend", "capture"));
  EXPECT_THAT(manifest.device_types(), ElementsAre("cuda"));
  EXPECT_THAT(manifest.isa, ElementsAre("avx2"));
  EXPECT_THAT(manifest.settings, ElementsAre("", "fail_copy"));
  ASSERT_EQ(manifest.needs.size(), 1u);
  EXPECT_EQ(manifest.needs[0].soname, "libcublas.so.13");
  EXPECT_EQ(manifest.needs[0].hint, "install CUDA 13");
  EXPECT_EQ(manifest.needs[0].symbols, std::vector<std::string>{"cublasCreate_v2"});
  EXPECT_EQ(manifest.abi_major, 1u);
  EXPECT_EQ(manifest.abi_digest, "abc");
  EXPECT_TRUE(manifest.has_kind("capture"));
  EXPECT_FALSE(manifest.has_kind("reporter"));
  EXPECT_TRUE(manifest.has_device_type("cuda"));
  EXPECT_FALSE(manifest.has_device_type("cpu"));
}

TEST(Manifest, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "nonsense", "{\"id\":}", "\xff\xfe", "{} {}"}) {
    const LoadError error = load_error_of([text] { parse_manifest(text); });
    EXPECT_THAT(error.cause(), HasSubstr("its manifest is not JSON: the mistake is at byte"));
  }
  EXPECT_THAT(load_error_of([] { parse_manifest("[]"); }).cause(), HasSubstr("is not an object"));
}

TEST(Manifest, RefusesANumberThatNoDoubleHolds) {
  const std::string text = R"({"id": "org.loci.cpu", "version": 1e400})";
  EXPECT_THAT(load_error_of([&text] { parse_manifest(text); }).cause(),
              HasSubstr("its manifest has a number beyond the range of a double"));
  EXPECT_THAT(load_error_of([] { parse_manifest("-1e400:"); }).cause(), HasSubstr("its manifest"));
}

TEST(Manifest, SurvivesDeepNesting) {
  const std::string deep(30000, '[');
  EXPECT_THAT(load_error_of([&deep] { parse_manifest(deep); }).cause(), HasSubstr("not JSON"));
  const std::string closed = "{\"id\":" + deep + std::string(30000, ']') + "}";
  EXPECT_THAT(load_error_of([&closed] { parse_manifest(closed); }).cause(),
              HasSubstr("'id' is not a string"));
}

TEST(Manifest, NamesTheMemberThatIsMissing) {
  for (const char* member : {"id", "version", "abi"}) {
    EXPECT_EQ(cause_with([member](json& j) { j.erase(member); }),
              "its manifest's '" + std::string(member) + "' is missing");
  }
  EXPECT_THAT(cause_with([](json& j) { j.erase("kinds"); }), HasSubstr("'kinds' is missing"));
  EXPECT_THAT(cause_with([](json& j) { j.erase("device_types"); }),
              HasSubstr("'device_types' is missing or empty"));
  EXPECT_THAT(cause_with([](json& j) { j["abi"].erase("digest"); }),
              HasSubstr("'abi.digest' is missing"));
}

TEST(Manifest, NamesTheMemberOfTheWrongType) {
  EXPECT_THAT(cause_with([](json& j) { j["id"] = 3; }), HasSubstr("'id' is not a string"));
  EXPECT_THAT(cause_with([](json& j) { j["kinds"] = "backend"; }),
              HasSubstr("'kinds' is not an array"));
  EXPECT_THAT(cause_with([](json& j) {
                j["kinds"] = {"backend", 4};
              }),
              HasSubstr("'kinds[1]' is not a string"));
  EXPECT_THAT(cause_with([](json& j) { j["abi"] = 1; }), HasSubstr("'abi' is not an object"));
  EXPECT_THAT(cause_with([](json& j) { j["needs"] = {"libm.so.6"}; }),
              HasSubstr("'needs[0]' is not an object"));
  EXPECT_THAT(cause_with([](json& j) { j["needs"][0]["symbols"] = "f"; }),
              HasSubstr("'needs[0].symbols' is not an array"));
  for (const json& value : {json(-1), json(1.5), json("1"), json(std::uint64_t{1} << 32)}) {
    EXPECT_THAT(cause_with([&value](json& j) { j["abi"]["minor"] = value; }),
                HasSubstr("'abi.minor' is not a whole number below 2^32"));
  }
}

TEST(Manifest, ChecksIdentity) {
  for (const char* id : {"", "plain", "Org.Loci", ".a.b", "a.b.", "a..b", "a b.c", "a/../b.c"}) {
    EXPECT_THAT(cause_with([id](json& j) { j["id"] = id; }), HasSubstr("'id' is '"));
  }
  for (const char* version : {"", "1", "1.2", "1.2.3.4", "1..3", "1.2.x", "1.2.", "1.2.3-rc"}) {
    EXPECT_THAT(cause_with([version](json& j) { j["version"] = version; }),
                HasSubstr("'version' is '"));
  }
}

TEST(Manifest, ChecksKinds) {
  EXPECT_THAT(cause_with([](json& j) { j["kinds"] = {"backends"}; }),
              HasSubstr("the unknown kind 'backends'; did you mean 'backend'"));
  json newer = good();
  newer["abi"]["minor"] = 9;
  newer["kinds"] = {"backend", "telepathy"};
  EXPECT_EQ(parse_manifest(newer.dump()).kinds.size(), 2u);
}

TEST(Manifest, ChecksDeviceTypes) {
  for (const char* type : {"", "Cuda", "1x", "a:b", "gpu"}) {
    EXPECT_THAT(cause_with([type](json& j) { j["device_types"] = {type}; }),
                HasSubstr("'device_types' has '" + std::string(type)));
  }
  json reporter = good();
  reporter["kinds"] = {"reporter"};
  reporter["reporters"] = {"lines"};
  reporter.erase("device_types");
  EXPECT_TRUE(parse_manifest(reporter.dump()).device_types().empty());
  EXPECT_EQ(parse_manifest(reporter.dump()).lists["reporters"], std::vector<std::string>{"lines"});
}

TEST(Manifest, AReporterNamesItsReporters) {
  EXPECT_THAT(cause_with([](json& j) { j["kinds"] = {"reporter"}; }),
              HasSubstr("'reporters' is missing or empty"));
}

TEST(Manifest, ChecksSettings) {
  EXPECT_THAT(cause_with([](json& j) { j["settings"] = {"Tune"}; }),
              HasSubstr("'settings' has 'Tune'; a setting is a lower-case word"));
}

TEST(Manifest, HasLimits) {
  EXPECT_THAT(cause_with([](json& j) { j["isa"] = std::vector<std::string>(65, "avx2"); }),
              HasSubstr("'isa' has 65 entries; at most 64"));
  EXPECT_THAT(cause_with([](json& j) { j["description"] = std::string(4097, 'x'); }),
              HasSubstr("'description' has 4097 bytes"));
  for (const char* text : {"a\nb", "\x1b[2J", "a\x7f"}) {
    EXPECT_THAT(cause_with([text](json& j) { j["description"] = text; }),
                HasSubstr("'description' has a control character"));
  }
  EXPECT_THAT(cause_with([](json& j) { j["sanitizer"] = "memory"; }),
              HasSubstr("'sanitizer' is 'memory'"));
}

}  // namespace
}  // namespace loci::plugin
