#include "loggp/synth/signature_plan.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace scalediag::loggp {
namespace {

constexpr uint32_t kTags = 32767;  // that every MPI has, but for the last one, which the program uses itself

using RangePair = std::pair<size_t, size_t>;
using Places = std::unordered_set<uint64_t>;

uint64_t mixed(std::initializer_list<uint64_t> numbers) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint64_t n : numbers) hash = ((hash ^ n) * 0x9E3779B97F4A7C15) ^ (hash >> 29);
  return hash;
}

// Ranks in the order of their nodes, cut into ranges.
std::vector<std::vector<int>> ranges_of(int ranks, const SignatureResources& resources) {
  std::vector<int> order(static_cast<size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  const auto node = [&](int rank) { return resources.placement.node_of(rank); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return node(a) < node(b); });
  const auto of_a_node = static_cast<size_t>(
      std::count_if(order.begin(), order.end(), [&](int rank) { return node(rank) == node(order.front()); }));
  size_t size = static_cast<size_t>(std::max(1, resources.processes / 4));
  if (of_a_node < size) size = size / of_a_node * of_a_node;
  std::vector<std::vector<int>> ranges;
  for (size_t i = 0; i < order.size(); i += size) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(i);
    ranges.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, order.size() - i)));
  }
  return ranges;
}

// Pairs of ranges with whom every place is covered, those that cover most first.
std::vector<RangePair> covering(const std::map<RangePair, Places>& places) {
  Places covered;
  const auto gain = [&](const RangePair& pair) {
    size_t n = 0;
    std::set<RangePair> parts = {{pair.first, pair.first}, pair, {pair.second, pair.second}};
    for (const RangePair& part : parts) {
      const auto found = places.find(part);
      if (found == places.end()) continue;
      for (const uint64_t place : found->second) n += covered.count(place) == 0 ? 1 : 0;
    }
    return n;
  };
  // Gains only fall, so that one that is still the largest when it is looked at again is.
  using Choice = std::pair<size_t, RangePair>;
  const auto is_worse = [](const Choice& a, const Choice& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Choice, std::vector<Choice>, decltype(is_worse)> queue(is_worse);
  for (const auto& [pair, of_pair] : places) queue.push({gain(pair), pair});
  std::vector<RangePair> chosen;
  while (!queue.empty()) {
    const RangePair pair = queue.top().second;
    const size_t before = queue.top().first;
    queue.pop();
    const size_t now = gain(pair);
    if (now == 0) continue;
    if (now < before) {
      queue.push({now, pair});
      continue;
    }
    chosen.push_back(pair);
    for (const RangePair& part : {RangePair(pair.first, pair.first), pair, RangePair(pair.second, pair.second)}) {
      const auto found = places.find(part);
      if (found != places.end()) covered.insert(found->second.begin(), found->second.end());
    }
  }
  return chosen;
}

void append(std::string& text, const char* format, auto... values) {
  char line[160];
  std::snprintf(line, sizeof line, format, values...);
  text += line;
}

}  // namespace

SignaturePlanner::SignaturePlanner(const SteppedProgram& stepped, const SimulatedMessages& simulated)
    : stepped_(stepped), simulated_(simulated), happenings_(stepped.windows.size()) {
  for (uint32_t i = 0; i < simulated.messages.size(); ++i) {
    const SimulatedMessage& m = simulated.messages[i];
    for (size_t w = 0; w < happenings_.size(); ++w) {
      if (!is_in(w, m.from, m.send_op) && !is_in(w, m.to, m.receive_op) && !is_in(w, m.to, m.wait_op)) continue;
      using Kind = Happening::Kind;
      happenings_[w].push_back({Kind::kReceivePosted, m.to, m.receive_op, i, simulated.begin_s[m.to][m.receive_op]});
      happenings_[w].push_back({Kind::kSent, m.from, m.send_op, i, m.posted_s});
      happenings_[w].push_back({Kind::kReceived, m.to, m.wait_op, i, m.received_s});
    }
  }
  for (auto& of_window : happenings_) {
    std::stable_sort(of_window.begin(), of_window.end(), [](const Happening& a, const Happening& b) {
      return std::tie(a.at_s, a.rank, a.op, a.message, a.kind) < std::tie(b.at_s, b.rank, b.op, b.message, b.kind);
    });
  }
}

std::vector<std::vector<int>> SignaturePlanner::measured_together(const std::vector<int>& group,
                                                                  const SignatureResources& resources) const {
  const int ranks = stepped_.program.ranks();
  if (resources.processes >= ranks) {
    std::vector<int> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }
  const std::vector<std::vector<int>> ranges = ranges_of(ranks, resources);
  std::vector<size_t> range_of(static_cast<size_t>(ranks));
  for (size_t i = 0; i < ranges.size(); ++i) {
    for (const int rank : ranges[i]) range_of[static_cast<size_t>(rank)] = i;
  }
  std::map<RangePair, Places> places;
  for (size_t w = 0; w < happenings_.size(); ++w) {
    const PhaseWindow& window = stepped_.windows[w];
    for (const Happening& h : happenings_[w]) {
      const SimulatedMessage& m = simulated_.messages[h.message];
      if (h.kind != Happening::Kind::kSent || !is_in(w, m.from, m.send_op) || !is_in(w, m.to, m.receive_op)) continue;
      const RangePair pair = std::minmax(range_of[m.from], range_of[m.to]);
      places[pair].insert(mixed({w, static_cast<uint64_t>(group[m.from]), m.send_op - window.begin[m.from],
                                 static_cast<uint64_t>(group[m.to]), m.receive_op - window.begin[m.to]}));
    }
  }
  std::vector<std::vector<int>> lists;
  std::set<int> measured_groups;
  const auto add = [&](size_t a, size_t b) {
    std::vector<int> list = ranges[a];
    if (b != a) list.insert(list.end(), ranges[b].begin(), ranges[b].end());
    for (const int rank : list) measured_groups.insert(group[static_cast<size_t>(rank)]);
    lists.push_back(std::move(list));
  };
  for (const auto& [a, b] : covering(places)) add(a, b);
  // Ranks that exchange messages with nobody compute, at least.
  const size_t nobody = ranges.size();
  size_t waiting = nobody;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const bool is_measured = std::all_of(ranges[i].begin(), ranges[i].end(), [&](int rank) {
      return measured_groups.count(group[static_cast<size_t>(rank)]) > 0;
    });
    if (is_measured) continue;
    if (waiting != nobody) {
      add(waiting, i);
      waiting = nobody;
    } else {
      waiting = i;
    }
  }
  if (waiting != nobody) add(waiting, waiting);
  return lists;
}

// Makes one run.
class SignaturePlanner::Run {
 public:
  Run(const SignaturePlanner& planner, size_t window, const std::vector<int>& ranks)
      : planner_(planner),
        w_(window),
        window_(planner.stepped_.windows[window]),
        messages_(planner.simulated_.messages),
        begin_s_(planner.simulated_.begin_s),
        process_(begin_s_.size(), -1) {
    made_.window = window;
    made_.base_s = begin_of(ranks.front());
    for (const int rank : ranks) {
      process_[static_cast<size_t>(rank)] = static_cast<int>(made_.ranks.size());
      made_.base_s = std::min(made_.base_s, begin_of(rank));
      made_.ranks.push_back({rank, -1, begin_of(rank), 0, {}, {}});
    }
    for (MeasuredRank& rank : made_.ranks) rank.begin_s -= made_.base_s;
    pending_.resize(ranks.size());
  }

  SignatureRun make() {
    follow_causes();
    int next_hole = static_cast<int>(made_.ranks.size());
    for (size_t i = 0; i < made_.ranks.size(); ++i) {
      settle_hole(i);
      if (!made_.ranks[i].hole_actions.empty()) made_.ranks[i].hole = next_hole++;
    }
    for (MeasuredRank& rank : made_.ranks) add_actions(rank);
    return std::move(made_);
  }

 private:
  // The latest message of a measured rank, to others than those that are measured, that something can depend on.
  struct Latest {
    double arrived_s = -1;
    int message = -1;
  };
  struct Pending {
    double at_s = 0;
    uint32_t message = 0;
    HoleAction action;
    Latest after;
  };

  double begin_of(int rank) const {
    const auto r = static_cast<size_t>(rank);
    return begin_s_[r][window_.begin[r]];
  }
  bool sends_it(const SimulatedMessage& m) const {
    return process_[m.from] >= 0 && planner_.is_in(w_, m.from, m.send_op);
  }
  // Also one whose receive was posted before, and is waited for here.
  bool receives_it(const SimulatedMessage& m) const {
    return process_[m.to] >= 0 && (planner_.is_in(w_, m.to, m.receive_op) ||
                                   (planner_.is_in(w_, m.to, m.wait_op) && m.receive_op < window_.begin[m.to]));
  }

  // Goes through the phase in the order of time, and notes what each rank's next message can depend on.
  void follow_causes() {
    const size_t n = made_.ranks.size();
    std::vector<Latest> latest(begin_s_.size() * n);  // by rank and measured rank
    std::map<uint32_t, std::vector<Latest>> under_way;
    const auto of = [&](uint32_t rank) { return latest.begin() + static_cast<std::ptrdiff_t>(rank * n); };
    for (const Happening& h : planner_.happenings_[w_]) {
      const SimulatedMessage& m = messages_[h.message];
      const bool sends = sends_it(m);
      const bool receives = receives_it(m);
      switch (h.kind) {
        case Happening::Kind::kReceivePosted:
          if (sends && !receives) {
            const auto by = static_cast<size_t>(process_[m.from]);
            pending_[by].push_back(
                {h.at_s, h.message, {false, tag_of(h.message), m.bytes, -1, 0}, of(m.to)[process_[m.from]]});
          }
          break;
        case Happening::Kind::kSent:
          under_way[h.message].assign(of(m.from), of(m.from) + static_cast<std::ptrdiff_t>(n));
          if (receives && !sends) {
            const auto by = static_cast<size_t>(process_[m.to]);
            pending_[by].push_back(
                {h.at_s, h.message, {true, tag_of(h.message), m.bytes, -1, 0}, of(m.from)[process_[m.to]]});
          }
          break;
        case Happening::Kind::kReceived: {
          auto& with_it = under_way[h.message];
          for (size_t i = 0; i < with_it.size(); ++i) {
            if (with_it[i].arrived_s > of(m.to)[static_cast<std::ptrdiff_t>(i)].arrived_s)
              of(m.to)[static_cast<std::ptrdiff_t>(i)] = with_it[i];
          }
          under_way.erase(h.message);
          if (sends && !receives && m.arrived_s > of(m.to)[process_[m.from]].arrived_s) {
            of(m.to)[process_[m.from]] = {m.arrived_s, static_cast<int>(h.message)};
          }
          break;
        }
      }
    }
  }

  int tag_of(uint32_t message) {
    const auto [at, is_new] = tags_.try_emplace(message, static_cast<int>(tags_.size() % kTags));
    return at->second;
  }

  void settle_hole(size_t i) {
    std::vector<Pending>& pending = pending_[i];
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Pending& a, const Pending& b) { return a.at_s < b.at_s; });
    std::map<uint32_t, int> receives;
    for (size_t k = 0; k < pending.size(); ++k) {
      if (!pending[k].action.is_send) receives[pending[k].message] = static_cast<int>(k);
    }
    for (Pending& p : pending) {
      const auto anchor = p.after.message < 0 ? receives.end() : receives.find(static_cast<uint32_t>(p.after.message));
      p.action.anchor = anchor == receives.end() ? -1 : anchor->second;
      p.action.seconds = std::max(0.0, p.at_s - (p.action.anchor < 0 ? made_.base_s : p.after.arrived_s));
      made_.ranks[i].hole_actions.push_back(p.action);
    }
  }

  void add_actions(MeasuredRank& rank) {
    const auto r = static_cast<uint32_t>(rank.rank);
    std::map<uint32_t, uint32_t> of_op;  // messages by operation
    std::vector<std::pair<uint32_t, uint32_t>> posted_before;
    for (const Happening& h : planner_.happenings_[w_]) {
      const SimulatedMessage& m = messages_[h.message];
      if (h.kind == Happening::Kind::kSent && m.from == r && sends_it(m)) of_op[m.send_op] = h.message;
      if (h.kind == Happening::Kind::kReceived && m.to == r && receives_it(m)) {
        of_op[m.receive_op] = h.message;
        if (m.receive_op < window_.begin[r]) posted_before.emplace_back(m.receive_op, h.message);
      }
    }
    std::sort(posted_before.begin(), posted_before.end());
    const std::vector<Op>& ops = planner_.stepped_.program.of(rank.rank);
    std::vector<std::pair<uint32_t, uint32_t>> open;  // groups and requests
    const auto begin_message = [&](const Op& op, uint32_t message) {
      const SimulatedMessage& m = messages_[message];
      const bool is_send = op.kind == OpKind::kIsend;
      const int other =
          is_send ? (receives_it(m) ? process_[m.to] : rank.hole) : (sends_it(m) ? process_[m.from] : rank.hole);
      open.emplace_back(op.group, rank.n_requests);
      rank.actions.push_back({is_send ? RankAction::Kind::kSend : RankAction::Kind::kReceive,
                              other,
                              tag_of(message),
                              rank.n_requests++,
                              m.bytes,
                              0,
                              {}});
    };
    for (const auto& [op, message] : posted_before) begin_message(ops[op], message);
    for (uint32_t i = window_.begin[r];; ++i) {
      if (i == window_.measured[r]) rank.actions.push_back({RankAction::Kind::kMark, 0, 0, 0, 0, 0, {}});
      if (i >= window_.end[r]) break;
      const Op& op = ops[i];
      if (op.kind == OpKind::kCompute) {
        rank.actions.push_back({RankAction::Kind::kCompute, 0, 0, 0, 0, op.seconds, {}});
      } else if (op.kind != OpKind::kWait) {
        begin_message(op, of_op.at(i));
      } else {
        RankAction wait{RankAction::Kind::kWait, 0, 0, 0, 0, 0, {}};
        std::erase_if(open, [&](const auto& one) {
          const bool ends = op.group == kAllGroups || op.group == one.first;
          if (ends) wait.requests.push_back(one.second);
          return ends;
        });
        if (!wait.requests.empty()) rank.actions.push_back(std::move(wait));
      }
    }
  }

  const SignaturePlanner& planner_;
  const size_t w_;
  const PhaseWindow& window_;
  const std::vector<SimulatedMessage>& messages_;
  const std::vector<std::vector<double>>& begin_s_;
  std::vector<int> process_;  // by rank; -1: it is not measured
  SignatureRun made_;
  std::vector<std::vector<Pending>> pending_;  // by measured rank
  std::map<uint32_t, int> tags_;
};

SignatureRun SignaturePlanner::run(size_t window, const std::vector<int>& ranks) const {
  return Run(*this, window, ranks).make();
}

std::string plan_text(const std::vector<SignatureRun>& runs, const std::vector<PhaseWindow>& windows, int processes) {
  std::string text;
  append(text, "scalediag-synth-plan 1 processes %d runs %zu\n", processes, runs.size());
  const auto add_part = [&](int process, const std::string& part) {
    append(text, "part %d %zu\n", process, part.size());
    text += part;
  };
  for (size_t i = 0; i < runs.size(); ++i) {
    const PhaseWindow& window = windows[runs[i].window];
    const auto n_holes = std::count_if(runs[i].ranks.begin(), runs[i].ranks.end(),
                                       [](const MeasuredRank& rank) { return rank.hole >= 0; });
    append(text, "run %zu %d %zu\n", i, window.executions(), runs[i].ranks.size() + static_cast<size_t>(n_holes));
    for (size_t p = 0; p < runs[i].ranks.size(); ++p) {
      const MeasuredRank& rank = runs[i].ranks[p];
      size_t n_waited = 0;
      for (const RankAction& a : rank.actions) n_waited += a.requests.size();
      std::string part;
      append(part, "rank %.9f %zu %u %zu\n", rank.begin_s, rank.actions.size(), rank.n_requests, n_waited);
      for (const RankAction& a : rank.actions) {
        switch (a.kind) {
          case RankAction::Kind::kCompute:
            append(part, "c %.9g\n", a.seconds);
            break;
          case RankAction::Kind::kMark:
            part += "m\n";
            break;
          case RankAction::Kind::kWait:
            append(part, "w %zu", a.requests.size());
            for (const uint32_t request : a.requests) append(part, " %u", request);
            part += "\n";
            break;
          case RankAction::Kind::kSend:
          case RankAction::Kind::kReceive:
            append(part, "%c %d %d %llu %u\n", a.kind == RankAction::Kind::kSend ? 's' : 'r', a.process, a.tag,
                   static_cast<unsigned long long>(a.bytes), a.request);
            break;
        }
      }
      add_part(static_cast<int>(p), part);
    }
    for (size_t p = 0; p < runs[i].ranks.size(); ++p) {
      const MeasuredRank& rank = runs[i].ranks[p];
      if (rank.hole < 0) continue;
      std::string part;
      append(part, "hole 0 %zu %zu 0\n", rank.hole_actions.size(), rank.hole_actions.size());
      for (const HoleAction& a : rank.hole_actions) {
        append(part, "%c %zu %d %llu %d %.9f\n", a.is_send ? 's' : 'r', p, a.tag,
               static_cast<unsigned long long>(a.bytes), a.anchor, a.seconds);
      }
      add_part(rank.hole, part);
    }
  }
  return text;
}

}  // namespace scalediag::loggp
