#include "framework/plugin/elf_note.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tests/framework/plugin/load_error_matcher.h"
#include "tests/support/plugins/plugin_folder.h"

namespace loci::plugin {
namespace {

using test::load_error_of;
using testing::HasSubstr;

LoadError error_of(const test::fs::path& path) {
  return load_error_of([&path] { read_manifest_note(path.string()); });
}

// A file with one note segment that has one note, everything in its place.
struct Image {
  Image() {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
#if defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#elif defined(__riscv)
    header.e_machine = EM_RISCV;
#else
    header.e_machine = EM_X86_64;
#endif
    header.e_phoff = sizeof header;
    header.e_phnum = 1;
    header.e_phentsize = sizeof segment;
    segment.p_type = PT_NOTE;
    segment.p_offset = sizeof header + sizeof segment;
    segment.p_align = 4;
    note.n_namesz = 5;
    note.n_type = 1;
  }

  [[nodiscard]] std::string bytes() {
    note.n_descsz = static_cast<Elf64_Word>(text.size());
    segment.p_filesz = sizeof note + name.size() + text.size() + extra_bytes;
    std::string all;
    append(all, header);
    append(all, segment);
    append(all, note);
    return all + name + text;
  }

  template <class T>
  static void append(std::string& all, const T& part) {
    all.append(reinterpret_cast<const char*>(&part), sizeof part);
  }

  Elf64_Ehdr header{};
  Elf64_Phdr segment{};
  Elf64_Nhdr note{};
  std::string name{"LOCI\0\0\0\0", 8};
  std::string text = R"({"id":"x"})";
  std::uint64_t extra_bytes = 0;
};

class ElfNote : public testing::Test {
 protected:
  std::string read(const std::string& bytes) {
    test::write_file(file_, bytes);
    return read_manifest_note(file_.string());
  }
  LoadError error_with(const std::string& bytes) {
    test::write_file(file_, bytes);
    return error_of(file_);
  }

  test::PluginFolder folder_;
  test::fs::path file_ = folder_.path() / "image.so";
};

TEST_F(ElfNote, ReadsABuiltPlugin) {
  const std::string text = read_manifest_note(test::built_plugin("minimal").string());
  EXPECT_EQ(nlohmann::json::parse(text).at("id"), "org.loci.test.minimal");
}

TEST_F(ElfNote, ReadsWhatTheImageHolds) {
  Image image;
  EXPECT_EQ(read(image.bytes()), image.text);
  image.segment.p_align = 8;
  image.name.resize(12);  // so that the text begins at a multiple of 8
  EXPECT_EQ(read(image.bytes()), image.text);
}

TEST_F(ElfNote, SurvivesStrip) {
  const test::fs::path copy = folder_.add("minimal");
  const std::string before = read_manifest_note(copy.string());
  const auto size = test::fs::file_size(copy);
  if (std::system("command -v strip >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no strip";
  ASSERT_EQ(std::system(("strip --strip-all '" + copy.string() + "'").c_str()), 0);
  EXPECT_LT(test::fs::file_size(copy), size);
  EXPECT_EQ(read_manifest_note(copy.string()), before);
}

TEST_F(ElfNote, SurvivesLinkTimeOptimisation) {
  const test::fs::path plugin = test::built_plugin("lto");
  if (!test::fs::exists(plugin)) GTEST_SKIP() << "this compiler has no link-time optimisation";
  EXPECT_THAT(read_manifest_note(plugin.string()), HasSubstr("org.loci.test.lto"));
}

TEST_F(ElfNote, NamesWhatIsNotAPlugin) {
  EXPECT_EQ(error_of(folder_.path() / "absent.so").code(), ErrorCode::kNotFound);
  EXPECT_EQ(error_of(folder_.path()).cause(), "it is not a regular file");
  EXPECT_EQ(error_with("").cause(), "it is not an ELF file");
  EXPECT_EQ(
      error_with("#!/bin/sh\necho this is no library, but a longish script of a shell\n").cause(),
      "it is not an ELF file");
  EXPECT_THAT(error_of("/proc/self/exe").cause(), HasSubstr("it has no manifest"));
}

TEST_F(ElfNote, NamesAnotherMachine) {
  Image image;
  image.header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("another kind of machine (ELF class 1"));
  image = Image();
  image.header.e_machine = EM_S390;
  EXPECT_EQ(error_with(image.bytes()).code(), ErrorCode::kIncompatible);
  image = Image();
  image.header.e_type = ET_REL;
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("not a shared library"));
}

TEST_F(ElfNote, NamesAMissingManifest) {
  Image image;
  image.note.n_type = 2;
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("it has no manifest"));
  image = Image();
  image.name[0] = 'X';
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("it has no manifest"));
  image = Image();
  image.segment.p_type = PT_NULL;
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("it has no manifest"));
}

TEST_F(ElfNote, NamesAnyTruncation) {
  const std::string whole = test::read_file(test::built_plugin("minimal"));
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{1000},
                                 std::size_t{100}, std::size_t{63}, std::size_t{5}}) {
    const LoadError error = error_with(whole.substr(0, size));
    EXPECT_EQ(error.code(), ErrorCode::kDataLoss) << size;
    EXPECT_THAT(error.cause(), HasSubstr("damaged or cut short")) << size;
  }
}

TEST_F(ElfNote, RefusesHostileNumbers) {
  const auto damaged = [this](auto&& change) {
    Image image;
    std::string bytes = image.bytes();
    change(image);
    bytes.replace(0, sizeof image.header, reinterpret_cast<char*>(&image.header),
                  sizeof image.header);
    bytes.replace(sizeof image.header, sizeof image.segment,
                  reinterpret_cast<char*>(&image.segment), sizeof image.segment);
    bytes.replace(sizeof image.header + sizeof image.segment, sizeof image.note,
                  reinterpret_cast<char*>(&image.note), sizeof image.note);
    EXPECT_THAT(error_with(bytes).cause(), HasSubstr("damaged or cut short"));
  };
  damaged([](Image& i) { i.header.e_phoff = ~std::uint64_t{0}; });
  damaged([](Image& i) { i.header.e_phnum = 0xffff; });
  damaged([](Image& i) { i.header.e_phentsize = 1; });
  damaged([](Image& i) {
    i.header.e_shoff = ~std::uint64_t{0} - 4;
    i.header.e_shnum = 3;
  });
  damaged([](Image& i) {
    i.segment.p_offset = ~std::uint64_t{0} - 4;
    i.segment.p_filesz = 16;
  });
  damaged([](Image& i) { i.segment.p_filesz = ~std::uint64_t{0}; });
  damaged([](Image& i) {
    i.segment.p_type = PT_LOAD;
    i.segment.p_filesz = 1 << 20;
  });
  damaged([](Image& i) {
    i.segment.p_filesz = 30;
    i.note.n_namesz = 0xffffffff;
  });
  damaged([](Image& i) {
    i.segment.p_filesz = 30;
    i.note.n_descsz = 0xffffffff;
  });
}

TEST_F(ElfNote, CapsTheManifest) {
  Image image;
  image.text.assign(kMaxManifestBytes, ' ');
  EXPECT_EQ(read(image.bytes()).size(), kMaxManifestBytes);
  image.text.push_back(' ');
  EXPECT_EQ(error_with(image.bytes()).cause(),
            "its manifest has 65537 bytes; at most 65536 are allowed");
  image.text.assign(std::size_t{1} << 20, ' ');
  EXPECT_THAT(error_with(image.bytes()).cause(), HasSubstr("a note segment of"));
}

TEST_F(ElfNote, NoDamageCrashesIt) {
  constexpr int kRounds = 5000;
  const std::string whole = test::read_file(folder_.add("minimal", file_.filename()));
  const std::size_t headers = std::min<std::size_t>(whole.size(), 2048);
  std::fstream file(file_, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&file](std::size_t at, char byte) {
    file.seekp(static_cast<std::streamoff>(at)).put(byte);
  };
  std::mt19937 random(1);  // the same damage in every run
  int read_anyway = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::size_t> damaged(1 + random() % 8);
    for (std::size_t& at : damaged) put(at = random() % headers, static_cast<char>(random()));
    file.flush();
    try {
      EXPECT_LE(read_manifest_note(file_.string()).size(), kMaxManifestBytes);
      ++read_anyway;
    } catch (const LoadError& error) {
      ASSERT_FALSE(error.cause().empty());
    }
    for (const std::size_t at : damaged) put(at, whole[at]);
  }
  EXPECT_GT(read_anyway, 0);
  EXPECT_LT(read_anyway, kRounds);
}

TEST_F(ElfNote, ReadsTheBuildIdInHexadecimal) {
  const test::PluginFolder folder;
  const test::fs::path path = folder.path() / "image.so";
  Image image;
  image.note.n_namesz = 4;
  image.note.n_type = NT_GNU_BUILD_ID;
  image.name = std::string("GNU\0", 4);
  image.text = std::string("\x00\x1f\xff\x0a", 4);
  test::write_file(path, image.bytes());
  EXPECT_EQ(read_build_id(path.string()), "001fff0a");
  image.note.n_type = NT_GNU_ABI_TAG;
  test::write_file(path, image.bytes());
  EXPECT_EQ(read_build_id(path.string()), "");
  test::write_file(path, "no library");
  EXPECT_EQ(load_error_of([&path] { read_build_id(path.string()); }).cause(),
            "it is not an ELF file");
}

}  // namespace
}  // namespace loci::plugin
