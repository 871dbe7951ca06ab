// Profiles of programs on emulated devices, and what they hold.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <loci/loci.hpp>
#include <loci/profiler.hpp>
#include <string>
#include <vector>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_file.h"
#include "tests/support/paths.h"
#include "tests/support/scratch_directory.h"

namespace loci::test {

inline std::string text(const loci_str& value) { return {value.data, value.size}; }

class CudaProfileFixture : public ::testing::Test {
 protected:
  // The plugin reads its settings when a process first uses it.
  static void set_up(const std::string& cupti) {
    ::setenv("LOCI_CUDA_DRIVER", build_path("lib/loci/cuda_double/libcuda.so.1").c_str(), 1);
    ::setenv("LOCI_CUDA_CUPTI", cupti.c_str(), 1);
    ::setenv("LOCI_CUDA_DOUBLE", "checks=all,devices=2", 1);
  }

  template <class Body>
  profiler::Profile profile_of(ProfilerOptions options, Body&& body) {
    const std::string path = scratch_.path("some.profile");
    synchronize();  // what was launched before would be nobody's
    Profiler profiler(options.no_reporter().profile_path(path));
    body();
    EXPECT_THAT(profiler.stop(), ::testing::IsEmpty());
    return profiler::Profile(profiler::read_profile(path));
  }

  static std::vector<loci_profile_device_span> work_of(const loci_profile& profile,
                                                       std::uint32_t kind) {
    std::vector<loci_profile_device_span> work;
    for (std::uint64_t i = 0; i < profile.device_span_count; ++i) {
      if (profile.device_spans[i].kind == kind) work.push_back(profile.device_spans[i]);
    }
    return work;
  }
  // The operator or copy that launched it, by name.
  static std::string launcher(const loci_profile& profile, const loci_profile_device_span& work) {
    for (std::uint32_t i = work.span; i != LOCI_PROFILE_NONE; i = profile.spans[i].parent) {
      const loci_profile_label& label = profile.labels[profile.spans[i].label];
      if (label.kind == LOCI_SPAN_OP || label.kind == LOCI_SPAN_COPY) return text(label.name);
    }
    return "nobody";
  }

  static std::vector<std::string> notes_of(const loci_profile& profile) {
    std::vector<std::string> notes;
    for (std::uint64_t i = 0; i < profile.quality->note_count; ++i) {
      notes.push_back(text(profile.quality->notes[i]));
    }
    return notes;
  }
  static std::uint64_t dropped_of(const loci_profile& profile) {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < profile.quality->drop_count; ++i) {
      count += profile.quality->drops[i].count;
    }
    return count;
  }

  // Waits for it and fetches it.
  static void compute(const Tensor& x) { static_cast<void>(x.to_vector<float>()); }
  static Tensor ones() { return Tensor::from<float>(std::vector<float>(600, 1), {600}); }

  ScratchDirectory scratch_;
};

}  // namespace loci::test
