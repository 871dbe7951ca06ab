// Values of attributes: ordinary ones, those at the ends of their range, and nonsense.
#pragma once

#include <loci/attribute.hpp>
#include <string>
#include <vector>

#include "tests/fuzz/dice.h"

namespace loci::fuzz {

class RandomAttribute {
 public:
  // `words` are strings that some op takes.
  RandomAttribute(Dice& dice, std::vector<std::string> words)
      : dice_(dice), words_(std::move(words)) {}

  // One of the kind of `like`.
  Attribute of_kind(const Attribute& like);
  // Returns an attribute of any kind.
  Attribute any();
  // Near `value`: an element more or less, or another one; or of_kind().
  Attribute near(const Attribute& value);

 private:
  std::int64_t integer();
  double number();
  template <class T, class Make>
  std::vector<T> list(const Make& make);
  template <class T, class Make>
  std::vector<T> near_list(std::vector<T> values, const Make& make);

  Dice& dice_;
  std::vector<std::string> words_;
};

}  // namespace loci::fuzz
