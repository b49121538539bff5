// The shape of text that is printed for people.
#pragma once

#include <cstddef>
#include <string>

namespace scalediag::report {

// What makes an answer surer: a command, and what it will do with the times of that. Without a command it is what the
// findings say.
struct NextStep {
  std::string command = {};
  std::string steps = {};
};

struct TerminalOptions {
  size_t top = 15;     // kernels a target and metric; 0: all
  size_t width = 100;  // of the terminal; kUnlimited leaves names as long as they are
  bool color = false;
  NextStep next = {};
};

inline std::string heading_text(const std::string& text, bool color) {
  return color ? "\033[1;36m" + text + "\033[0m" : text;
}

// "note: "; `code`: the terminal's number of the colour.
inline std::string label_text(const std::string& text, const std::string& code, bool color) {
  return color ? "\033[" + code + "m" + text + ":\033[0m " : text + ": ";
}

// "conj_grad.f:120", without folders; without a line where it is 0. Empty: no file is known.
inline std::string place_text(const std::string& file, int line) {
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.empty() || line <= 0 ? name : name + ":" + std::to_string(line);
}

}  // namespace scalediag::report
