// Which devices the kernels of the plugin run on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loci::cuda {

// "9.0" of 90.
[[nodiscard]] std::string version_of(int capability);

// The kernels' code for the architectures that LOCI_CUDA_ARCHITECTURES names: "80,90-real".
class CarriedCode {
 public:
  explicit CarriedCode(std::string_view architectures);

  // Why a device of a compute capability, 90 for 9.0, runs none of it: "8.0 is needed". Empty if it
  // does.
  [[nodiscard]] std::string refusal(int capability) const;

 private:
  struct Target {
    int capability = 0;
    bool is_text = false;     // PTX, which the driver compiles for later devices too
    bool is_machine = false;  // for devices of its generation alone
    char likeness = '\0';     // 'a': that capability alone; 'f': its generation alone
  };
  static Target parse(std::string_view architecture);
  static bool runs(const Target& target, int capability);

  std::vector<Target> targets_;
};

}  // namespace loci::cuda
