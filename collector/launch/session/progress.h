// One line with the progress of `scalediag profile`: rewritten in place on a terminal, otherwise a plain
// line for each first run of a configuration and each failure.
#pragma once

#include <string>

namespace scalediag::launch {

// "12.3 s", "4 min 05 s", "2 h 03 min".
std::string format_duration(double seconds);

class Progress {
 public:
  // `fd` is what the line is written to, such as stderr.
  Progress(int fd, bool is_terminal) : fd_(fd), is_terminal_(is_terminal) {}

  // A run begins; `label` is "np=4 grid=64". `expected_s` and `left_s` are estimates for this run and for all that are
  // left, this one included; negative when nothing is known yet.
  void begin_run(const std::string& label, double expected_s, double left_s);
  void tick(double elapsed_s);
  // A run ended well: no line stays on a terminal; elsewhere one does where `is_told`.
  void complete_run(double elapsed_s, bool is_told);
  // A run ended with a problem, which stays.
  void fail_run(double elapsed_s, const std::string& problem);

  // Called when the application's output is about to be written to a terminal with the line, and when it was written.
  void make_way();
  void resume(bool line_ended);

 private:
  void draw(double elapsed_s);
  void write_line(const std::string& text);

  int fd_;
  bool is_terminal_;
  bool drawn_ = false;
  double drawn_at_s_ = -1;  // elapsed time of the run; negative: not yet
  bool cursor_at_line_start_ = true;
  std::string label_;
  double expected_s_ = -1;
  double left_s_ = -1;
};

}  // namespace scalediag::launch
