// The parts of a replay under valgrind's callgrind that are counted, each into a file of its own: rounds of loops are
// told apart, and those that others stand for cost no counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace scalediag::inject {

class CountedParts {
 public:
  // "120,180,240s,5000g,5200x": the events of MPI after which a part ends, and with an "s" counting, with an "x" the
  // replay; with a "g" counting goes on there. The part after the last one ends with the program
  // (collector/inject/callgrind_counting.h). Empty: everything is one part.
  explicit CountedParts(const std::string& steps);

  // Called inside MPI, which is not counted, after a call of the thread that is. True: the replay is to end here.
  bool pass(uint64_t events) {
    bool ends = false;
    while (next_ < steps_.size() && events >= steps_[next_].events) ends = take(steps_[next_++]) || ends;
    return ends;
  }

 private:
  struct Step {
    uint64_t events = 0;
    char kind = '\0';
  };
  bool take(const Step& step);

  std::vector<Step> steps_;
  size_t next_ = 0;
  int part_ = 0;
};

}  // namespace scalediag::inject
