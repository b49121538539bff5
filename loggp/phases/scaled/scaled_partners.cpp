#include "loggp/phases/scaled/scaled_partners.h"

#include "core/parallel.h"

namespace scalediag::loggp {
namespace {

bool is_rank(int relation) { return relation >= ScaledPartners::to_rank(0); }

}  // namespace

ScaledPartners::ScaledPartners(int ranks) : ranks_(ranks), peers_(vocabulary().size()) {
  // Steps in rows with open borders are as far for all.
  for (const Relation& r : vocabulary()) {
    const bool is_step = (r.kind == RelationKind::kOffset || r.kind == RelationKind::kOffsetAtEnd) &&
                         r.border == Border::kOpen && r.grid != core::GridKind::kSpaceBisected;
    distances_.push_back(is_step ? process_grid(r.grid, ranks).rank(r.step) : 0);
  }
}

int ScaledPartners::of(int relation, int rank) const {
  if (is_rank(relation)) return relation - to_rank(0);
  return partner(vocabulary()[static_cast<size_t>(relation)], ranks_, rank);
}

void ScaledPartners::list(int relation) {
  if (relation == kNobody || is_rank(relation) || distances_[static_cast<size_t>(relation)] != 0) return;
  std::vector<int>& peers = peers_[static_cast<size_t>(relation)];
  if (!peers.empty()) return;
  constexpr size_t kWorthAThread = 16384;
  peers.resize(static_cast<size_t>(ranks_));
  const auto list = [&](size_t begin, size_t end) {
    for (size_t rank = begin; rank < end; ++rank) peers[rank] = of(relation, static_cast<int>(rank));
  };
  core::in_parallel(peers.size(), 0, list, kWorthAThread);
}

}  // namespace scalediag::loggp
