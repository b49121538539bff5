// Equations of communication partners: which rank a rank of P talks to, for any P.
//
//   offset          the rank that is a step away along each side of a process grid, which is open (beyond its border is
//                   nobody: MPI_PROC_NULL) or wraps around; along the line of all ranks by up to three steps
//                   In a box that is halved again and again only open ones, of a number of ranks that is a power of two
//   at an end       the same along one side for those ranks only that are first, last, or either along another side
//   bit exchange    coordinate XOR 2^j ("low": butterflies that begin with the neighbour), or XOR side / 2^j ("high":
//                   those that begin with the opposite half); nobody where the side has no such bit
//   power           the rank 2^j behind or before, modulo P: dissemination
//   transposition   row and column exchanged in a square plane; in one of two to one, those of the pairs of ranks
//   fixed           rank 0, 1, 2 or the last one, which talks to nobody, or to itself as well
//   each other      rank 0 talks to all others, one after another, as a master does with its workers
//   coarse level    of a side of d > n ranks only n take part, the first or the last ones of n blocks of d / n, as on
//                   the coarse grids of multigrid programs, which have fewer cells than there are ranks. Who takes part
//                   along all sides talks to the next one along a side. Where the next finer level has 2n, those that
//                   take part there only are given data by those of n beside them along that side
//
// The set of all of them is the vocabulary; what is communicated with one partner at one scale obeys many of them, at
// all ranks of several scales few.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/equations/process_grid.h"

namespace scalediag::loggp {

// The neighbour beyond the last rank of a side: nobody, or the first one; where a side has one rank only, that is the
// rank itself, to which some programs send and others do not.
enum class Border { kOpen, kAround, kAroundItself };

enum class RelationKind {
  kOffset,
  kOffsetAtEnd,
  kExchangeLow,
  kExchangeHigh,
  kPower,
  kTransposition,
  kFixed,
  kLast,
  kEachOther,
  kCoarse,      // the next rank of a coarse level
  kCoarseGive,  // from a rank of a coarse level to one that only the next finer level has
  kCoarseTake   // the same the other way
};

struct Relation {
  RelationKind kind = RelationKind::kOffset;
  core::GridKind grid = core::GridKind::kLine;
  Border border = Border::kOpen;
  std::array<int, 3> step = {0, 0, 0};   // kOffset*; kPower and kCoarse*: step[0] is the sign
  int side = 0;                          // kExchange*, kCoarse*: which coordinate; kOffsetAtEnd: whose end
  bool at_first = true, at_last = true;  // kOffsetAtEnd
  int bit = 0;                           // kExchange*, kPower: j; kFixed: the rank; kCoarse*: log2 n
  bool is_last_of_block = true;          // kCoarse*: who of a block takes part
};

constexpr int kNobody = -1;
constexpr int kEachInTurn = -2;  // all other ranks, one after another

// The partner of `rank` among `ranks`, or kNobody; kEachInTurn where there are several.
int partner(const Relation& relation, int ranks, int rank);

std::string text_of(const Relation& relation);  // "(+1, 0) of a plane, open"

constexpr size_t kMostRelations = 2816;
using RelationSet = std::bitset<kMostRelations>;

// In the order of preference: where several explain everything, the first is taken.
const std::vector<Relation>& vocabulary();

// The number in the vocabulary of the relation by which partners talk back, the same steps the other way or the
// exchange itself; nothing: not every partner has one.
std::optional<size_t> inverse_of(size_t relation);

bool is_coarse(const Relation& relation);
const RelationSet& coarse_relations();

// Exchanges along the line of all ranks.
const RelationSet& exchanges_of_ranks();

// Without those of coarse levels and of ends of a side where there are others: a coarse level of more ranks than a side
// has is no different from all ranks, and along sides of two ranks all are at an end, so that nothing but ranks that do
// not take part speaks for them.
RelationSet plain_if_any(const RelationSet& set);

// The relations by which `rank` of `ranks` talks to `other` (kNobody: to nobody).
RelationSet relations_between(int ranks, int rank, int other);

}  // namespace scalediag::loggp
