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
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // Of the next token.
  uint32_t line() const { return is_peeked_ ? peeked_line_ : line_; }

  // The next token; "
  // " at the end of a line with tokens; empty at the end of the text.
  std::string_view next() {
    if (!is_peeked_) return scan();
    is_peeked_ = false;
    return peeked_;
  }
  std::string_view peek() {
    if (!is_peeked_) {
      peeked_line_ = line_;
      peeked_ = scan();
      is_peeked_ = true;
    }
    return peeked_;
  }

 private:
  std::string_view scan() {
    skip_blanks();
    if (at_ == end_) return {};
    const char* begin = at_++;
    if (*begin == '\n') {
      ++line_;
    } else if (is_letter(*begin)) {
      while (at_ != end_ && (is_letter(*at_) || is_digit(*at_))) ++at_;
    } else if (is_digit(*begin)) {
      while (at_ != end_ && is_digit(*at_)) ++at_;
    }
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  void skip_blanks() {
    while (at_ != end_) {
      if (*at_ == ' ' || *at_ == '\t' || *at_ == '\r') {
        ++at_;
      } else if (*at_ != '/' || !skip_comment()) {
        return;
      }
    }
  }
  // False: none begins here. A comment of one line ends before the newline.
  bool skip_comment() {
    const std::string_view rest(at_, static_cast<size_t>(end_ - at_));
    const bool is_long = rest.starts_with("/*");
    if (!is_long && !rest.starts_with("//")) return false;
    const size_t end = is_long ? rest.find("*/", 2) : rest.find('\n');
    const size_t length = end == rest.npos ? rest.size() : end + (is_long ? 2 : 0);
    line_ += static_cast<uint32_t>(std::count(at_, at_ + length, '\n'));
    at_ += length;
    return true;
  }

  const char* at_;
  const char* end_;
  uint32_t line_ = 1;
  bool is_peeked_ = false;
  std::string_view peeked_;
  uint32_t peeked_line_ = 1;
};

// The operations of a rank by their labels. Most are l and a number, as converters write them.
class Labels {
 public:
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  // False: there is one with this label.
  bool add(std::string_view label, uint32_t op) {
    const uint32_t number = number_of(label);
    if (number == kNone) return others_.emplace(label, op).second;
    if (number >= numbered_.size()) numbered_.resize(std::max<size_t>(number + 1, 2 * numbered_.size()), kNone);
    if (numbered_[number] != kNone) return false;
    numbered_[number] = op;
    used_.push_back(number);
    return true;
  }
  uint32_t find(std::string_view label) const {
    const uint32_t number = number_of(label);
    if (number != kNone) return number < numbered_.size() ? numbered_[number] : kNone;
    const auto at = others_.find(label);
    return at == others_.end() ? kNone : at->second;
  }
  void clear() {
    for (const uint32_t number : used_) numbered_[number] = kNone;
    used_.clear();
    others_.clear();
  }

 private:
  // Of l1, l2, ... without zeros before; kNone for all others.
  static uint32_t number_of(std::string_view label) {
    if (label.size() < 2 || label.size() > 7 || label[0] != 'l' || label[1] == '0') return kNone;
    uint32_t number = 0;
    for (const char c : label.substr(1)) {
      if (!is_digit(c)) return kNone;
      number = 10 * number + static_cast<uint32_t>(c - '0');
    }
    return number;
  }

  std::vector<uint32_t> numbered_;
  std::vector<uint32_t> used_;
  std::unordered_map<std::string_view, uint32_t> others_;
};

struct Edge {
  uint32_t before = 0;
  uint32_t after = 0;
  bool on_start = false;
};

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : scanner_(text), size_(text.size()), file_(file) {}

  Result<Schedule> parse();

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
    if (failed != std::errc() || to > limit) return fail(std::string(token) + " is too large for " + what);
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
    failure_ = Error{ErrorCode::kInput, place + ": " + what, "", file_};
    return false;
  }

  Scanner scanner_;
  size_t size_;
  const std::string& file_;
  Schedule schedule_;
  std::vector<bool> seen_;
  std::optional<uint32_t> rank_;
  Labels labels_;
  std::vector<ScheduleOp> ops_;  // of the rank
  struct Requirement {
    std::string_view after, before;
    bool on_start;
    uint32_t line;
  };
  std::vector<Requirement> requirements_;
  std::vector<Edge> edges_;
  std::optional<Error> failure_;
};

Result<Schedule> Parser::parse() {
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
  ops_.clear();
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
  if (!labels_.add(word, static_cast<uint32_t>(ops_.size()))) {
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
  ops_.push_back(op);
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
    const uint32_t after = labels_.find(r.after);
    const uint32_t before = labels_.find(r.before);
    if (after == Labels::kNone || before == Labels::kNone) {
      return fail("line " + std::to_string(r.line) + " names the label " +
                  shown(after == Labels::kNone ? r.after : r.before) + ", which no operation has");
    }
    edges_.push_back({before, after, r.on_start});
  }
  make_graph();
  return true;
}

// Sorts the edges by their first operation, so that the operations that one releases stand together, in the order of
// the text.
void Parser::make_graph() {
  if (ops_.empty()) return;
  Schedule::Rank& rank = schedule_.ranks[*rank_];
  ops_.push_back({});
  for (const Edge& e : edges_) {
    ++ops_[e.before + 1].first_dependent;
    ++ops_[e.after].n_requirements;
  }
  for (size_t i = 1; i < ops_.size(); ++i) ops_[i].first_dependent += ops_[i - 1].first_dependent;
  rank.ops = ops_;
  rank.dependents.resize(edges_.size());
  for (const Edge& e : edges_) rank.dependents[ops_[e.before].first_dependent++] = {e.after, e.on_start};
}

}  // namespace

Result<Schedule> parse_goal(std::string_view text, const std::string& file) { return Parser(text, file).parse(); }

bool looks_like_goal(std::string_view text) {
  Scanner scanner(text);
  std::string_view token = scanner.next();
  while (token == "\n") token = scanner.next();
  return token == "num_ranks";
}

}  // namespace scalediag::loggp
