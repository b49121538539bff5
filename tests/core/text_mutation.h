// Damaged copies of a text, the same ones every time, for tests of readers.
#pragma once

#include <random>
#include <string>

namespace scalediag::core {

// A character on which readers of our text formats are likely to fail: of numbers, names and brackets.
inline char likely_character(std::mt19937& random) {
  constexpr char kLikely[] = "0129.-+eE(){}[]\",:# \n\\pAnN\xff\x00";
  return random() % 2 == 0 ? kLikely[random() % (sizeof kLikely - 1)] : static_cast<char>(random() % 256);
}

// One to four changes: a character replaced, a piece dropped, a piece repeated, or the rest cut off.
inline std::string mutate_text(std::string text, std::mt19937& random) {
  for (auto steps = 1 + random() % 4; steps > 0 && !text.empty(); --steps) {
    const size_t at = random() % text.size();
    switch (random() % 8) {
      case 0:
        text.resize(at + 1);
        break;
      case 1:
        text.erase(at, 1 + random() % 20);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 30));
        break;
      default:
        text[at] = likely_character(random);
        break;
    }
  }
  return text;
}

}  // namespace scalediag::core
