#include "loggp/traces/goal.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>

namespace scalediag::loggp {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Splits the text into words, numbers, and the signs : { } and -; newlines count because they end statements.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  uint32_t line() const { return line_; }

  // The next token; "
  // " at the end of a line with tokens; empty at the end of the text.
  std::string_view next() {
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return {};
      const char c = text_[at_];
      if (c == '\n') {
        ++at_;
        ++line_;
        return "\n";
      }
      const size_t begin = at_;
      if (is_letter(c)) {
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      } else if (is_digit(c)) {
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      } else {
        ++at_;
      }
      return text_.substr(begin, at_ - begin);
    }
  }
  std::string_view peek() {
    const Scanner before = *this;
    const std::string_view token = next();
    *this = before;
    return token;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r') {
        ++at_;
      } else if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        line_ += static_cast<uint32_t>(
            std::count(text_.begin() + static_cast<long>(at_), text_.begin() + static_cast<long>(end), '\n'));
        at_ = std::min(end + 2, text_.size());
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_ = 1;
};

struct Edge {
  uint32_t before = 0;
  uint32_t after = 0;
  bool on_start = false;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : scanner_(text), size_(text.size()), file_(file) {}

  core::Result<Schedule> parse();

 private:
  bool parse_rank();
  bool parse_statement(std::string_view word);
  bool parse_operation(std::string_view word);
  bool parse_requirement(std::string_view label);
  bool parse_options(ScheduleOp& op);
  bool finish_rank();
  void make_graph();

  std::string_view next_word() {
    std::string_view token = scanner_.next();
    while (token == "\n") token = scanner_.next();
    return token;
  }
  bool number(const char* what, uint64_t limit, uint64_t& to) {
    const std::string_view token = scanner_.next();
    if (token == "-") return fail(std::string(what) + " is expected, found a negative number");
    if (token.empty() || !is_digit(token[0])) return fail(std::string(what) + " is expected, found " + shown(token));
    const auto [end, failed] = std::from_chars(token.data(), token.data() + token.size(), to);
    if (failed != std::errc() || to > limit) {
      return fail(std::string(token) + " is too large for " + what);
    }
    return true;
  }
  // Refuses a wildcard for a receive's rank or tag.
  bool no_wildcard() {
    if (scanner_.peek() != "-") return true;
    return fail("receives from any rank or with any tag cannot be simulated: what they meet is not in the schedule");
  }
  bool end_of_line() {
    const std::string_view token = scanner_.peek();
    if (token == "\n" || token == "}" || token.empty()) return true;
    return fail("the end of the line is expected, found " + shown(token));
  }
  static std::string shown(std::string_view token) {
    if (token.empty()) return "the end of the file";
    return token == "\n" ? "the end of the line" : "'" + std::string(token.substr(0, 40)) + "'";
  }
  bool fail(const std::string& what) {
    if (failure_) return false;
    std::string place = file_ + ", line " + std::to_string(scanner_.line());
    if (rank_) place += ", rank " + std::to_string(*rank_);
    failure_ = core::Error{core::ErrorCode::kInput, place + ": " + what, "", file_};
    return false;
  }

  Scanner scanner_;
  size_t size_;
  const std::string& file_;
  Schedule schedule_;
  std::vector<bool> seen_;
  std::optional<uint32_t> rank_;
  std::unordered_map<std::string_view, uint32_t> labels_;
  struct Requirement {
    std::string_view after, before;
    bool on_start;
    uint32_t line;
  };
  std::vector<Requirement> requirements_;
  std::vector<Edge> edges_;
  std::optional<core::Error> failure_;
};

core::Result<Schedule> Parser::parse() {
  uint64_t ranks = 0;
  if (next_word() != "num_ranks") {
    fail("num_ranks is expected first");
  } else if (number("the number of ranks", 0x7fffffff, ranks)) {
    // No block of a rank is shorter than "rank 0{}".
    if (ranks == 0 || ranks > size_ / 8) {
      fail("there are fewer blocks than the " + std::to_string(ranks) + " ranks of num_ranks");
    } else {
      schedule_.ranks.resize(ranks);
      seen_.resize(ranks);
      for (std::string_view word; !failure_ && !(word = next_word()).empty();) {
        if (word != "rank") {
          fail("a block 'rank N {' is expected, found " + shown(word));
        } else {
          parse_rank();
        }
      }
      const auto missing = std::find(seen_.begin(), seen_.end(), false);
      if (!failure_ && missing != seen_.end()) {
        fail("rank " + std::to_string(missing - seen_.begin()) + " of " + std::to_string(ranks) + " has no block");
      }
    }
  }
  if (failure_) return *failure_;
  return std::move(schedule_);
}

bool Parser::parse_rank() {
  uint64_t rank = 0;
  if (!number("a rank", 0x7fffffff, rank)) return false;
  if (rank >= schedule_.ranks.size()) return fail("there is no rank " + std::to_string(rank));
  if (seen_[rank]) return fail("rank " + std::to_string(rank) + " has a block already");
  seen_[rank] = true;
  if (next_word() != "{") return fail("'{' is expected after 'rank " + std::to_string(rank) + "'");
  rank_ = static_cast<uint32_t>(rank);
  labels_.clear();
  requirements_.clear();
  edges_.clear();
  for (;;) {
    const std::string_view word = next_word();
    if (word.empty()) return fail("the block is not closed: the file is truncated");
    if (word == "}") break;
    if (!parse_statement(word)) return false;
  }
  const bool finished = finish_rank();
  rank_.reset();
  return finished;
}

bool Parser::parse_statement(std::string_view word) {
  const bool operation = word == "calc" || word == "send" || word == "recv";
  if (operation && scanner_.peek() != ":") return parse_operation(word);
  if (!is_letter(word[0])) return fail("an operation or a label is expected, found " + shown(word));
  const std::string_view after = scanner_.peek();
  if (after != ":") return parse_requirement(word);
  scanner_.next();
  if (!labels_.emplace(word, static_cast<uint32_t>(schedule_.ranks[*rank_].ops.size())).second) {
    return fail("the label " + shown(word) + " is used twice");
  }
  return parse_operation(scanner_.next());
}

bool Parser::parse_operation(std::string_view word) {
  ScheduleOp op;
  op.line = scanner_.line();
  uint64_t value = 0;
  if (word == "calc") {
    if (!number("a number of nanoseconds", uint64_t{1} << 53, value)) return false;
    op.seconds = static_cast<double>(value) * 1e-9;
  } else if (word == "send" || word == "recv") {
    const bool sends = word == "send";
    op.kind = sends ? ScheduleOp::Kind::kSend : ScheduleOp::Kind::kRecv;
    if (!number("a size", uint64_t{1} << 53, op.bytes)) return false;
    if (scanner_.next() != "b") return fail("'b' is expected after the size");
    const char* direction = sends ? "to" : "from";
    if (scanner_.next() != direction) return fail(std::string("'") + direction + "' is expected after the size");
    if (!sends && !no_wildcard()) return false;
    if (!number("a rank", 0x7fffffff, value)) return false;
    if (value >= schedule_.ranks.size()) return fail("there is no rank " + std::to_string(value));
    op.peer = static_cast<int32_t>(value);
  } else {
    return fail("calc, send or recv is expected, found " + shown(word));
  }
  if (!parse_options(op)) return false;
  schedule_.ranks[*rank_].ops.push_back(op);
  return end_of_line();
}

bool Parser::parse_options(ScheduleOp& op) {
  for (;;) {
    const std::string_view word = scanner_.peek();
    if (word != "tag" && word != "cpu" && word != "nic") return true;
    scanner_.next();
    uint64_t value = 0;
    if (word == "tag" && op.kind == ScheduleOp::Kind::kRecv && !no_wildcard()) return false;
    if (!number("a number", word == "cpu" ? 255 : 0x7fffffff, value)) return false;
    if (word == "tag") op.tag = static_cast<int32_t>(value);
    if (word == "cpu") op.cpu = static_cast<uint8_t>(value);
  }
}

bool Parser::parse_requirement(std::string_view label) {
  const std::string_view word = scanner_.next();
  if (word != "requires" && word != "irequires") {
    return fail("':', requires or irequires is expected after " + shown(label) + ", found " + shown(word));
  }
  const std::string_view before = scanner_.next();
  if (before.empty() || !is_letter(before[0])) return fail("a label is expected, found " + shown(before));
  requirements_.push_back({label, before, word == "irequires", scanner_.line()});
  return end_of_line();
}

bool Parser::finish_rank() {
  for (const Requirement& r : requirements_) {
    const auto after = labels_.find(r.after);
    const auto before = labels_.find(r.before);
    if (after == labels_.end() || before == labels_.end()) {
      return fail("line " + std::to_string(r.line) + " names the label " +
                  shown(after == labels_.end() ? r.after : r.before) + ", which no operation has");
    }
    edges_.push_back({before->second, after->second, r.on_start});
  }
  make_graph();
  return true;
}

// Sorts the edges by their first operation, so that the operations that one releases stand together.
void Parser::make_graph() {
  Schedule::Rank& rank = schedule_.ranks[*rank_];
  if (rank.ops.empty()) return;
  std::stable_sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.before < b.before; });
  rank.ops.push_back({});
  rank.ops.shrink_to_fit();
  rank.dependents.reserve(edges_.size());
  size_t e = 0;
  for (uint32_t i = 0; i < rank.ops.size(); ++i) {
    rank.ops[i].first_dependent = static_cast<uint32_t>(rank.dependents.size());
    for (; e < edges_.size() && edges_[e].before == i; ++e) {
      rank.dependents.push_back({edges_[e].after, edges_[e].on_start});
      ++rank.ops[edges_[e].after].n_requirements;
    }
  }
}

}  // namespace

core::Result<Schedule> parse_goal(std::string_view text, const std::string& file) { return Parser(text, file).parse(); }

bool looks_like_goal(std::string_view text) {
  Scanner scanner(text);
  std::string_view token = scanner.next();
  while (token == "\n") token = scanner.next();
  return token == "num_ranks";
}

}  // namespace scalediag::loggp
