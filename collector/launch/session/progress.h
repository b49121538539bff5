// One line with the progress of `scalediag profile`: rewritten in place on a terminal, otherwise one plain
// line at the end of each run.
#pragma once

#include <string>

namespace scalediag::launch {

// "12.3 s", "4 min 05 s", "2 h 03 min".
std::string format_duration(double seconds);

class Progress {
 public:
  // `fd` is what the line is written to, such as stderr.
  Progress(int fd, bool is_terminal) : fd_(fd), is_terminal_(is_terminal) {}

  // A run begins; `label` is "np=4 grid=64 repeat 0". `expected_s` and `left_s` are estimates for this run and for all
  // that are left, this one included; negative when nothing is known yet. Without a `total` runs are not counted.
  void begin_run(int number, int total, const std::string& label, double expected_s, double left_s);
  void tick(double elapsed_s);
  // `result` is "complete" or the problem.
  void end_run(double elapsed_s, const std::string& result);

  // Called when the application's output is about to be written to a terminal with the line, and when it was written.
  void make_way();
  void resume(bool line_ended);

 private:
  void draw(double elapsed_s);
  std::string head() const;

  int fd_;
  bool is_terminal_;
  bool drawn_ = false;
  double drawn_at_s_ = -1;  // elapsed time of the run; negative: not yet
  bool cursor_at_line_start_ = true;
  int number_ = 0;
  int total_ = 0;
  std::string label_;
  double expected_s_ = -1;
  double left_s_ = -1;
};

}  // namespace scalediag::launch
