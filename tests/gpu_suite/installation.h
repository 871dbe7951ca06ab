// Where the programs, plugins and data of the suite lie: in a build folder, or in an archive of
// tools/package, which has the same folders.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace loci::gpu_suite {

class Installation {
 public:
  explicit Installation(std::filesystem::path root) : root_(std::move(root)) {}
  // The folder above that of this program.
  static Installation of_this_program();

  [[nodiscard]] std::string program(const std::string& name) const;
  [[nodiscard]] std::string plugin(const std::string& name) const;
  [[nodiscard]] std::string plugins() const;
  // Returns the file of the driver's double or of a library on it.
  [[nodiscard]] std::string double_of(const std::string& library) const;
  // Data of the suite: "digits", "peers", "rules".
  [[nodiscard]] std::string data(const std::string& name) const;
  [[nodiscard]] std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
};

// The file of that name in a folder of PATH, or in one of `more`; empty if there is none.
std::string find_program(const std::string& name, const std::vector<std::string>& more = {});

}  // namespace loci::gpu_suite
