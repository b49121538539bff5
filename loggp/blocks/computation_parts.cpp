#include "loggp/blocks/computation_parts.h"

#include <algorithm>
#include <vector>

namespace scalediag::loggp {
namespace {

// Names a computation by the last two routines that differ, before it, and by the event after it. Loops of the folded
// trace say nothing here: where sizes of messages vary, a loop of the program is none of the trace.
class Places {
 public:
  Places(const RankTrace& trace, const TagRanges& ranges) : trace_(trace), ranges_(ranges) {}

  std::string before(const TraceEvent& event) const {
    std::string name = before_ + " -> " + trace_.routines[event.routine];
    if (has_tag(event.kind)) name += " " + tag_text(event.tag, ranges_);
    return name;
  }
  std::string before_end() const { return before_ + " -> end"; }

  void pass(const TraceEvent& event) {
    const std::string& routine = trace_.routines[event.routine];
    if (routine == last_) return;
    before_ = last_ + ", " + routine;
    last_ = routine;
  }

 private:
  const RankTrace& trace_;
  const TagRanges& ranges_;
  std::string last_ = "start", before_ = "start";
};

// Divides computations at marks. Regions may go on from one computation to the next.
class Divider {
 public:
  Divider(const RankTrace& trace, bool at_marks, const std::function<void(const ComputationPart& part)>& visit)
      : trace_(trace), visit_(visit), next_mark_(at_marks ? 0 : trace.marks.size()) {}

  // `place` names the computation; `whole` has its number, times and the event after it.
  void divide(const std::string& place, const ComputationPart& whole) {
    double at_s = 0, at_instructions = 0;
    const auto pass = [&](double to_s, double to_instructions) {
      Level& level = levels_.back();
      level.seconds += std::max(0.0, to_s - at_s);
      if (whole.instructions < 0 || to_instructions < 0) level.is_counted = false;
      level.instructions += std::max(0.0, to_instructions - at_instructions);
      at_s = std::max(at_s, to_s);
      at_instructions = std::max(at_instructions, to_instructions);
    };
    for (; next_mark_ < trace_.marks.size() && trace_.marks[next_mark_].computation == whole.computation;
         ++next_mark_) {
      const TraceMark& mark = trace_.marks[next_mark_];
      const std::string& name = trace_.mark_names[mark.name];
      pass(std::min(mark.after_s, whole.seconds), mark.after_instructions);
      if (mark.kind == trace::Mark::kParameter) {
        levels_.back().parameters[name] = mark.value;
      } else if (mark.kind == trace::Mark::kBegin) {
        levels_.push_back({name, whole.computation, 0, 0, true, {}});
      } else {
        end_region(name, place, whole);
      }
    }
    pass(whole.seconds, whole.instructions);
    for (size_t i = levels_.size(); i-- > 0;) emit(levels_[i], place, whole, i == 0, false);
    levels_.front().parameters.clear();
  }

 private:
  // A region that is open; the first one is what lies outside of all.
  struct Level {
    std::string name;
    uint64_t begun_in = 0;
    // In the present computation:
    double seconds = 0;
    double instructions = 0;
    bool is_counted = true;
    std::map<std::string, double> parameters;
  };

  // Ends the innermost region of the name; others that began later go on. An end without a beginning is ignored.
  void end_region(const std::string& name, const std::string& place, const ComputationPart& whole) {
    size_t i = levels_.size() - 1;
    while (i > 0 && levels_[i].name != name) --i;
    if (i == 0) return;
    emit(levels_[i], place, whole, false, true);
    levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void emit(Level& level, const std::string& place, const ComputationPart& whole, bool is_last, bool ends) {
    ComputationPart part = whole;
    if (level.name.empty()) {
      part.block = place;
    } else {
      const bool is_within = ends && level.begun_in == whole.computation;
      part.block = is_within ? level.name : level.name + ": " + place;
    }
    part.seconds = level.seconds;
    part.instructions = level.is_counted ? level.instructions : -1;
    part.parameters = level.parameters;
    part.is_last = is_last;
    visit_(part);
    level.seconds = level.instructions = 0;
    level.is_counted = true;
  }

  const RankTrace& trace_;
  const std::function<void(const ComputationPart& part)>& visit_;
  std::vector<Level> levels_ = {Level{}};
  size_t next_mark_;
};

}  // namespace

void each_part(const RankTrace& trace, bool at_marks, const TagRanges& ranges,
               const std::function<void(const ComputationPart& part)>& visit) {
  Places places(trace, ranges);
  Divider divider(trace, at_marks, visit);
  ComputationPart whole;
  each_occurrence(trace.steps, [&](const TraceStep& step, uint64_t number) {
    const TraceEvent& event = trace.events[step.event];
    whole.seconds = static_cast<double>(step.computations_s[number]);
    whole.instructions = step.each_instructions.empty() ? -1 : step.each_instructions[number];
    whole.next = &event;
    divider.divide(places.before(event), whole);
    ++whole.computation;
    places.pass(event);
  });
  whole.seconds = static_cast<double>(trace.tail_ns) * 1e-9;
  whole.instructions = -1;
  whole.next = nullptr;
  divider.divide(places.before_end(), whole);
}

}  // namespace scalediag::loggp
