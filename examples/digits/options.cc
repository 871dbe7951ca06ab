#include "options.h"

#include <stdexcept>

namespace digits {
namespace {

constexpr const char* kUsage =
    "options: [--data DIR] [--output DIR] [--device PLACE] [--epochs N] [--learning-rate R] "
    "[--require ACCURACY] [--profile REPORTER]";

double number(const std::string& option, const std::string& text) {
  std::size_t read = 0;
  double value = 0;
  try {
    value = std::stod(text, &read);
  } catch (const std::exception&) {
    read = 0;
  }
  if (read == 0 || read != text.size()) {
    throw std::invalid_argument(option + " takes a number, not '" + text + "'\n" + kUsage);
  }
  return value;
}

}  // namespace

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(option + " needs a value\n" + kUsage);
    const std::string value = argv[++i];
    if (option == "--data") {
      options.data = value;
    } else if (option == "--output") {
      options.output = value;
    } else if (option == "--device") {
      options.device = value;
    } else if (option == "--epochs") {
      options.epochs = static_cast<int>(number(option, value));
    } else if (option == "--learning-rate") {
      options.learning_rate = number(option, value);
    } else if (option == "--profile") {
      options.profile = value;
    } else if (option == "--require") {
      options.require = number(option, value);
    } else {
      throw std::invalid_argument("there is no option " + option + "\n" + kUsage);
    }
  }
  return options;
}

}  // namespace digits
