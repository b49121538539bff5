#include "cli/diagnostics.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "cli/few_doubts.h"
#include "cli/terminal_text.h"
#include "core/exit_status.h"
#include "core/text/printable.h"
#include "core/text/shortening.h"

namespace scalediag::cli {
namespace {

// Prints a message on one line, so that a text that it quotes cannot begin another one.
void print_labelled(const char* label, const std::string& color, const std::string& text) {
  const std::string line = core::printable(text) + "\n";
  say(use_color_on_stderr() ? "\033[" + color + "m" + label + ":\033[0m " + line : std::string(label) + ": " + line);
}

void print_hint(const std::string& hint);

struct HeldDoubt {
  bool is_warning = false;
  std::string text, hint;
  size_t length() const { return core::display_width(text) + (is_warning ? sizeof "warning: " : sizeof "note: ") - 1; }
};

// Messages that wait while FewDoubts lives.
std::unique_ptr<std::vector<HeldDoubt>> held;

// The text to the end of the last word that fits, with "..." where there is more.
std::string shortened(const std::string& text, size_t width) {
  if (core::display_width(text) <= width) return text;
  const size_t blank = text.rfind(' ', width - 4);
  return (blank == std::string::npos ? core::shorten_middle(text, width) : text.substr(0, blank) + " ...");
}

// Prints the messages that wait; later ones are printed at once.
void print_held() {
  if (held == nullptr) return;
  std::vector<HeldDoubt> all = std::move(*held);
  held.reset();
  constexpr size_t kMostLines = 5;
  constexpr size_t kWidth = 100;
  std::stable_partition(all.begin(), all.end(), [](const HeldDoubt& w) { return w.is_warning; });
  size_t lines = 0;
  for (const HeldDoubt& w : all) lines += (w.length() + kWidth - 1) / kWidth + (w.hint.empty() ? 0 : 1);
  if (lines <= kMostLines) {
    for (const HeldDoubt& w : all) w.is_warning ? warn(w.text, w.hint) : note(w.text);
    return;
  }
  const size_t shown = std::min(all.size(), kMostLines - 1);
  for (size_t i = 0; i < shown; ++i) {
    const size_t room = kWidth - (all[i].length() - core::display_width(all[i].text));
    all[i].is_warning ? warn(shortened(all[i].text, room)) : note(shortened(all[i].text, room));
  }
  note((shown < all.size() ? std::to_string(all.size() - shown) + " more, and these in full"
                           : std::string("these in full")) +
       ": --details");
}

void print_hint(const std::string& hint) {
  if (!hint.empty()) print_labelled("hint", "36", hint);
}

class PrintedNotices : public launch::Notices {
 public:
  void note(const std::string& message) override { cli::note(message); }
  void warn(const std::string& message, const std::string& hint) override { cli::warn(message, hint); }
};

}  // namespace

int exit_status_of(ErrorCode code) {
  return code == ErrorCode::kEnvironment ? core::kExitEnvironment : core::kExitUsage;
}

FewDoubts::FewDoubts(bool all) {
  if (all || held != nullptr) return;
  held = std::make_unique<std::vector<HeldDoubt>>();
  is_first_ = true;
}

FewDoubts::~FewDoubts() {
  if (is_first_) print_held();
}

int report(const Error& error) {
  print_held();
  // Many messages name their file or option already.
  const bool name_where = !error.where.empty() && error.message.find(error.where) == std::string::npos;
  print_labelled("error", "1;31", name_where ? error.where + ": " + error.message : error.message);
  print_hint(error.hint);
  return exit_status_of(error.code);
}

void warn(const std::string& message, const std::string& hint) {
  if (held != nullptr) {
    held->push_back({true, message, hint});
    return;
  }
  static std::set<std::string> printed;
  print_labelled("warning", "1;33", message);
  if (printed.insert(hint).second) print_hint(hint);
}

void note(const std::string& message) {
  if (held != nullptr) {
    held->push_back({false, message, ""});
    return;
  }
  print_labelled("note", "1", message);
}

launch::Notices& notices() {
  static PrintedNotices printed;
  return printed;
}

}  // namespace scalediag::cli
