// Instructions of a program's phases at any number of ranks, as P3S predicts them (Panadero et al. 2018, section 3.3).
//
// Ranks that execute a similar number of instructions in a phase, at least 95 % of the most, are a group.
//
//   total T(P) = sum over the group's ranks of instructions in one execution of the phase, times the phase's weight
//   instructions of a rank in one execution, at N ranks = T / n / weight(N),    n ranks of N in the group         (Eq.
//   4)
//
// The paper takes T to be constant (its total in Eq. 4 has the weight in it, unlike that of Eq. 3), and T of the
// largest measured P for it. T(P) of many programs is not constant, since ranks repeat one another's work, or work on
// the borders of their blocks. So from three scales on the mean of a rank, T / n, is fitted by sums of at most three
// terms with coefficients that are not negative: 1/P, a constant, and 1 over the number of ranks along one or two sides
// of the program's grid. Usually several sums meet all measured scales; their median is taken, and their range is told.
// One number of ranks says nothing of T: the range is then from work that is divided to work that is repeated.
//
// Single ranks differ from the mean by their place in the grid (rank_deviation.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/equations/process_grid.h"
#include "loggp/phases/equations/rank_deviation.h"
#include "loggp/phases/program_phases.h"
#include "loggp/phases/scaling_model.h"

namespace scalediag::loggp {

constexpr double kGroupSimilarity = 0.95;

struct RankInstructions {
  int rank = 0;
  double instructions = 0;  // in all executions of the phase
  int counted_for = 1;      // ranks that it stands for
};

// What was counted in a phase at one number of ranks.
struct CountedPhase {
  double weight = 1;
  std::vector<RankInstructions> ranks;  // rising; those that execute the phase

  double total() const;  // of all ranks
  double mean() const;   // of a rank
};

struct InstructionGroup {
  std::map<int, double> ranks;    // that are in it, by number of ranks
  std::map<int, double> of_rank;  // mean instructions of one of them in one execution, by number of ranks
  std::map<int, double> totals;   // T, by number of ranks
  double ranks_at_target = 0;
  double by_constant_total = 0;  // Eq. 4: of a rank in one execution, at the target
  double at_target = 0;          // the same by the model that was taken
  double low = 0, high = 0;      // the range of the models that meet the measured scales as well, or the drift

  // The total that differs most from that of the largest scale, as a relative difference.
  double drift() const;
};

struct PhaseInstructions {
  int phase = 1;                        // in the order of the program
  std::map<int, CountedPhase> counted;  // by number of ranks
  int target = 0;
  double target_weight = 1;
  std::vector<InstructionGroup> groups;  // most instructions first
  bool is_one_group = false;             // since groups differ from scale to scale, or their shares of the ranks
  std::string formula;                   // of the mean of all ranks
  double mean_at_target = 0;             // of a rank, in all executions
  double low = 0, high = 0;              // as of a group
  RankDeviation deviation;               // of ranks from the mean, in all executions

  double ranks_at_target = 0;  // that execute the phase

  // Of each rank in all executions, at the target.
  std::vector<double> of_ranks_at_target() const;
};

// Eq. 4.
double instructions_of_rank(double total, double ranks, double weight);

// `counted`: at least one number of ranks. `weight`: of the phase at the target.
PhaseInstructions predict_instructions(int phase, const std::map<int, CountedPhase>& counted, int target, double weight,
                                       core::GridKind grid);

// What was counted in each phase, in the order of phases_of(); nothing at scales where no rank of it was counted.
std::vector<std::map<int, CountedPhase>> counted_phases(const std::vector<ProgramPhase>& phases,
                                                        const std::vector<int>& scales);

// The phases whose instructions were counted at one scale at least.
std::vector<PhaseInstructions> instructions_of(const ScalingModel& model);

// The longest sequence of phases with the same routines, by their numbers from 0 in `a` and in `b`; where both have as
// many, all.
std::map<size_t, size_t> same_phases(const std::vector<ProgramPhase>& a, const std::vector<ProgramPhase>& b);

// A phase that was counted at the target too, held against what was predicted; relative differences.
struct InstructionCheck {
  int phase = 1;            // of the prediction
  int ranks = 0;            // that were counted
  double counted_mean = 0;  // of a rank, in all executions
  double difference = 0;    // of the predicted mean
  double worst = 0;         // of the rank with the largest
};

struct InstructionChecks {
  std::vector<InstructionCheck> phases;
  // Of all phases and ranks, also of phases that one side does not have.
  double counted = 0, predicted = 0;
};

// `model`: of which `predicted` are the instructions. `with_target`: of the same program, with the target among its
// scales. Where it has other phases, those are held against each other that have the same routines, in the same order.
InstructionChecks check_instructions(const std::vector<PhaseInstructions>& predicted, const ScalingModel& model,
                                     const ScalingModel& with_target);

}  // namespace scalediag::loggp
