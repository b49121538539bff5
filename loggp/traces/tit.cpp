#include "loggp/traces/tit.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace scalediag::loggp {
namespace {

// SimGrid's numbers of datatypes, in bytes.
constexpr std::array<uint64_t, 8> kTypeBytes = {8, 4, 1, 2, 8, 4, 1, 8};
constexpr double kLargestExact = 9007199254740992.0;  // 2^53: whole numbers are exact up to here

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

bool to_number(std::string_view word, double& to) {
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), to);
  return failed == std::errc() && end == word.data() + word.size() && std::isfinite(to);
}

// A rank's number, written as "p3" in older traces.
bool to_rank(std::string_view word, double& to) {
  if (!word.empty() && word[0] == 'p') word.remove_prefix(1);
  return to_number(word, to) && to >= 0 && to == std::floor(to) && to < static_cast<double>(kMostRanks);
}

}  // namespace

// One line, and the error in it.
struct TitReader::Line {
  std::vector<std::string_view> words;
  size_t me = 0;
  std::string failure;

  std::string_view action() const { return words[1]; }
  size_t n_arguments() const { return words.size() - 2; }
  bool fail(const std::string& what) {
    if (failure.empty()) failure = std::string(words[1].substr(0, 40)) + ": " + what;
    return false;
  }
  bool need(size_t n) {
    return n_arguments() >= n ||
           fail("needs " + std::to_string(n) + " arguments, has " + std::to_string(n_arguments()));
  }
  bool number(size_t argument, double& to) {
    if (!need(argument + 1)) return false;
    if (to_number(words[argument + 2], to) && to >= 0 && to <= kLargestExact) return true;
    return fail("argument " + std::to_string(argument + 1) + ", '" + std::string(words[argument + 2].substr(0, 40)) +
                "', is not a number from 0 to 2^53");
  }
  bool peer(size_t argument, int& to) {
    double value = 0;
    if (!need(argument + 1)) return false;
    if (!to_rank(words[argument + 2], value)) {
      return fail("'" + std::string(words[argument + 2].substr(0, 40)) +
                  "' is not a rank (receives from any rank have to be resolved)");
    }
    to = static_cast<int>(value);
    return true;
  }
  bool tag(size_t argument, int& to) {
    double value = 0;
    if (!need(argument + 1)) return false;
    if (!to_number(words[argument + 2], value) || std::abs(value) > 2147483647.0) return fail("a tag is not a number");
    to = static_cast<int>(value);
    return true;
  }
  // The size of an element by the datatype in an argument, or `otherwise` where there is none.
  bool element(size_t argument, uint64_t otherwise, uint64_t& to) {
    to = otherwise;
    if (n_arguments() <= argument) return true;
    double value = 0;
    if (!number(argument, value)) return false;
    const auto type = static_cast<size_t>(value);
    if (type < kTypeBytes.size()) to = kTypeBytes[type];
    return true;
  }
};

TitReader::Rank& TitReader::rank(size_t number) {
  if (number >= ranks_.size()) ranks_.resize(number + 1);
  return ranks_[number];
}

Status TitReader::add(std::string_view text, const std::string& file) {
  size_t n_line = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    Line line{words_of(text.substr(at, end - at)), 0, ""};
    at = end + 1;
    ++n_line;
    if (line.words.empty() || line.words[0][0] == '#') continue;
    const auto failed = [&](const std::string& what) {
      return Error{ErrorCode::kInput, file + ", line " + std::to_string(n_line) + ": " + what, "", file};
    };
    double me = 0;
    if (!to_rank(line.words[0], me)) {
      return failed("a rank is expected first, found '" + std::string(line.words[0].substr(0, 40)) + "'");
    }
    if (line.words.size() < 2)
      return failed("rank " + std::to_string(static_cast<int>(me)) + ": the action is missing");
    line.me = static_cast<size_t>(me);
    if (!add_action(line)) return failed("rank " + std::to_string(line.me) + ", " + line.failure);
  }
  return Done{};
}

void TitReader::add_flops(Rank& me, double flops) {
  if (flops > 0) me.ops.push_back(compute(flops / flops_per_s_));
}

bool TitReader::add_action(Line& line) {
  // Numbers of ranks that do not exist would use memory.
  if (line.me > 2 * ranks_.size() + 1024) return line.fail("ranks have to begin near 0 and without large gaps");
  Rank& me = rank(line.me);
  me.seen = true;
  const std::string_view action = line.action();
  double value = 0;
  if (me.finalized) return line.fail("comes after the rank's finalize");
  if (action == "init") {
    me.element_bytes = line.n_arguments() > 0 ? 8 : 1;
    me.began = true;
    return true;
  }
  if (action == "finalize") {
    me.finalized = true;
    return true;
  }
  for (const char* name : {"comm_size", "comm_split", "comm_dup", "location", "test"}) {
    if (action == name) return true;
  }
  if (action == "compute") {
    if (!line.number(0, value)) return false;
    add_flops(me, value);
    return true;
  }
  if (action == "sleep") {
    if (!line.number(0, value)) return false;
    me.ops.push_back(compute(value));
    return true;
  }
  if (action == "send") return add_message(line, me, OpKind::kSend);
  if (action == "recv") return add_message(line, me, OpKind::kRecv);
  if (action == "isend") return add_message(line, me, OpKind::kIsend);
  if (action == "irecv") return add_message(line, me, OpKind::kIrecv);
  if (action == "wait") return add_wait(line, me);
  if (action == "waitall") {
    me.open.clear();
    me.ops.push_back(wait_for(kAllGroups));
    return true;
  }
  if (action.size() > 1 && (action.back() == 'v' || action == "reducescatter")) return add_v_collective(line, me);
  return add_collective(line, me);
}

bool TitReader::add_message(Line& line, Rank& me, OpKind kind) {
  if (!line.need(2)) return false;
  int peer = 0;
  int tag = 0;
  double count = 0;
  uint64_t element = 0;
  const bool has_tag = line.n_arguments() > 2;
  if (!line.peer(0, peer) || (has_tag && !line.tag(1, tag)) || !line.number(has_tag ? 2 : 1, count) ||
      !line.element(3, me.element_bytes, element)) {
    return false;
  }
  Op op = message(kind, peer, static_cast<uint64_t>(count) * element, tag);
  if (kind == OpKind::kIsend || kind == OpKind::kIrecv) {
    op.group = me.n_requests++ % kLargestGroup;
    const int self = static_cast<int>(line.me);
    const bool sends = kind == OpKind::kIsend;
    me.open.push_back({sends ? self : peer, sends ? peer : self, tag, op.group});
  }
  me.ops.push_back(op);
  return true;
}

bool TitReader::add_wait(Line& line, Rank& me) {
  if (me.open.empty()) return line.fail("there is no isend or irecv to wait for");
  auto found = std::prev(me.open.end());  // older traces: the latest request
  if (line.n_arguments() > 0) {
    int from = 0;
    int to = 0;
    int tag = 0;
    if (!line.peer(0, from) || !line.peer(1, to) || !line.tag(2, tag)) return false;
    found = std::ranges::find_if(me.open,
                                 [&](const OpenRequest& r) { return r.from == from && r.to == to && r.tag == tag; });
    if (found == me.open.end()) return true;  // a test before this wait found it complete
  }
  me.ops.push_back(wait_for(found->group));
  me.open.erase(found);
  return true;
}

bool TitReader::add_collective(Line& line, Rank& me) {
  const auto kind = collective_named(std::string(line.action()));
  if (!kind) return line.fail("there is no such action");
  double count = 0;
  double flops = 0;
  double root = 0;
  uint64_t element = 0;
  size_t at = 0;
  if (*kind == Collective::kBarrier) {
    me.ops.push_back(collective(*kind, 0));
    return true;
  }
  if (!line.number(at++, count)) return false;
  const bool reduces = *kind == Collective::kReduce || *kind == Collective::kAllreduce || *kind == Collective::kScan ||
                       *kind == Collective::kExscan;
  double received = 0;
  if (reduces && !line.number(at++, flops)) return false;
  if (!reduces && *kind != Collective::kBcast && !line.number(at++, received)) return false;
  if (has_root(*kind) && line.n_arguments() > at && !line.number(at, root)) return false;
  if (has_root(*kind)) ++at;
  if (!line.element(at, me.element_bytes, element)) return false;
  if (root > 2147483647.0) return line.fail("the root is too large");
  me.ops.push_back(collective(*kind, static_cast<uint64_t>(count) * element, static_cast<int>(root)));
  add_flops(me, flops);
  return true;
}

// Lines of these collectives hold a count for each rank, and the number of ranks is known only at the end.
bool TitReader::add_v_collective(Line& line, Rank& me) {
  const std::string_view action = line.action();
  VCollective v;
  v.op = me.ops.size();
  for (size_t i = 0; i < line.n_arguments(); ++i) {
    double value = 0;
    if (!line.number(i, value)) return false;
    v.arguments.push_back(value);
  }
  if (action == "reducescatter") {
    v.kind = Collective::kReduceScatter;
  } else {
    const auto kind = collective_named(std::string(action.substr(0, action.size() - 1)));
    if (!kind || (*kind != Collective::kGather && *kind != Collective::kAllgather && *kind != Collective::kScatter &&
                  *kind != Collective::kAlltoall)) {
      return line.fail("there is no such action");
    }
    v.kind = *kind;
  }
  v.element_bytes = me.element_bytes;
  me.v_collectives.push_back(std::move(v));
  me.ops.push_back(collective(me.v_collectives.back().kind, 0));
  if (action == "reducescatter") me.ops.push_back(compute(0));  // for its operations, which are not known yet
  return true;
}

// gatherv, allgatherv: COUNT COUNTS... [ROOT] [TYPE]; scatterv: COUNTS... COUNT [ROOT] [TYPE]; alltoallv: SIZE
// COUNTS... SIZE COUNTS... [TYPE]; reducescatter: COUNTS... FLOPS [TYPE]. All ranks have to cost the same collective;
// those with different lines (alltoallv) get the mean over ranks.
Status TitReader::resolve_v_collectives() {
  const size_t n = ranks_.size();
  std::vector<double> totals;  // of the k-th alltoallv, over ranks
  std::vector<size_t> seen(n, 0);
  for (const bool second_pass : {false, true}) {
    std::fill(seen.begin(), seen.end(), 0);
    for (size_t r = 0; r < n; ++r) {
      for (const VCollective& v : ranks_[r].v_collectives) {
        const bool all = v.kind == Collective::kAlltoall;
        const size_t first = v.kind == Collective::kScatter || v.kind == Collective::kReduceScatter ? 0 : 1;
        size_t after = first + n;  // the position behind the counts
        if (all) after = 2 * n + 2;
        if (v.kind == Collective::kScatter) ++after;
        if (v.arguments.size() < after + (v.kind == Collective::kReduceScatter ? 1 : 0)) {
          return Error{ErrorCode::kInput, "rank " + std::to_string(r) + ", event " + std::to_string(v.op) + " (" +
                                              name_of(v.kind) + "v): has fewer counts than the " + std::to_string(n) +
                                              " ranks of the trace"};
        }
        double sum = 0;
        for (size_t i = first; i < first + n; ++i) sum += v.arguments[i];
        const bool reduces = v.kind == Collective::kReduceScatter;
        size_t type_at = after + (reduces || has_root(v.kind) ? 1 : 0);
        uint64_t element = v.element_bytes;
        if (v.arguments.size() > type_at && v.arguments[type_at] < static_cast<double>(kTypeBytes.size())) {
          element = kTypeBytes[static_cast<size_t>(v.arguments[type_at])];
        }
        sum *= static_cast<double>(element);
        if (all) {
          if (totals.size() <= seen[r]) totals.resize(seen[r] + 1);
          if (!second_pass) totals[seen[r]] += sum;
          sum = totals[seen[r]++] / static_cast<double>(n);
        }
        Op& op = ranks_[r].ops[v.op];
        op.bytes = static_cast<uint64_t>(std::min(kLargestExact, reduces ? sum : sum / static_cast<double>(n)));
        if (has_root(v.kind) && v.arguments.size() > after) {
          op.peer = static_cast<int>(std::min(v.arguments[after], 2147483647.0));
        }
        if (reduces) ranks_[r].ops[v.op + 1].seconds = v.arguments[after] / flops_per_s_;
      }
    }
  }
  return Done{};
}

Result<ListProgram> TitReader::finish() {
  if (ranks_.empty()) return Error{ErrorCode::kInput, "the trace is empty"};
  for (size_t r = 0; r < ranks_.size(); ++r) {
    if (!ranks_[r].seen) {
      return Error{ErrorCode::kInput,
                   "the trace has no action of rank " + std::to_string(r) + " of " + std::to_string(ranks_.size())};
    }
    if (ranks_[r].began && !ranks_[r].finalized) {
      return Error{ErrorCode::kInput, "rank " + std::to_string(r) + ", event " + std::to_string(ranks_[r].ops.size()) +
                                          ": the trace ends without finalize: it is truncated"};
    }
  }
  TRY(resolve_v_collectives());
  ListProgram program(static_cast<int>(ranks_.size()));
  for (size_t r = 0; r < ranks_.size(); ++r) {
    // At the end the replay waits for all requests that are left.
    if (!ranks_[r].open.empty()) ranks_[r].ops.push_back(wait_for(kAllGroups));
    program.of(static_cast<int>(r)) = std::move(ranks_[r].ops);
  }
  ranks_.clear();
  return program;
}

bool looks_like_tit(std::string_view text) {
  const auto words = words_of(text.substr(0, text.find('\n')));
  double rank = 0;
  return words.size() >= 2 && to_rank(words[0], rank);
}

}  // namespace scalediag::loggp
