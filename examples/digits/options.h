// Command line of the example.
#pragma once

#include <string>

namespace digits {

struct Options {
  std::string data = "examples/digits/data";
  std::string output = ".";
  std::string device = "cpu";
  int epochs = 30;
  double learning_rate = 0.1;
  std::string profile;   // a report of the training, such as "summary" or "html=digits.html"
  double require = 0.0;  // test accuracy below which the program fails
};

// Throws std::invalid_argument that says what is wrong and what the options are.
Options parse(int argc, char** argv);

}  // namespace digits
