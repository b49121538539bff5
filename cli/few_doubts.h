// At most five lines of warnings and notes (diagnostics.h) from a command.
#pragma once

namespace scalediag::cli {

// While it lives, warnings and notes wait. At its end, or before an error, those are printed that fit into five lines,
// warnings before notes; where not all of them do, each is shortened to a line, and the others are counted.
class FewDoubts {
 public:
  // `all`: nothing waits and nothing is left out.
  explicit FewDoubts(bool all);
  ~FewDoubts();
  FewDoubts(const FewDoubts&) = delete;
  FewDoubts& operator=(const FewDoubts&) = delete;

 private:
  bool is_first_ = false;  // of those that live: the others leave all to it
};

}  // namespace scalediag::cli
