#include "loggp/phases/scaled/rank_questions.h"

#include <algorithm>

#include "core/equations/terms.h"

namespace scalediag::loggp {
namespace {

// Whether the value depends on the rank's place. Yes where that is not known.
bool differs_between_ranks(const ValueHypothesis& hypothesis) {
  if (!hypothesis.exact) return false;
  if (hypothesis.face || hypothesis.cells || hypothesis.part) return true;
  return std::any_of(hypothesis.terms.begin(), hypothesis.terms.end(), [](const ValueHypothesis::Term& term) {
    const core::RankTerm& t = core::rank_terms()[term.feature];
    return term.elements > 0 ? !term.is_rounded_down : t.is_of_place();
  });
}

auto find_answer(const std::vector<std::pair<double, uint32_t>>& answers, double wanted) {
  return std::find_if(answers.begin(), answers.end(), [wanted](const auto& known) { return known.first == wanted; });
}

}  // namespace

double RankFacts::answer(const RankQuestion& question, int rank) const {
  if (question.value != nullptr) return question.value->at(ranks, rank, question.round);
  if (question.computation != nullptr) return question.computation->at(ranks, rank);
  if (question.left_out_slot >= 0) return left_out.count({question.left_out_slot, rank}) > 0 ? 1 : 0;
  return partners.of(static_cast<int>(question.relation), rank) != kNobody ? 1 : 0;
}

bool RankAnswers::is_left_out(int slot) {
  const auto first = facts_.left_out.lower_bound({slot, 0});
  const bool on_any = first != facts_.left_out.end() && first->first == slot;
  return on_any && ask({nullptr, nullptr, 0, slot, 0}) != 0;
}

double RankAnswers::value(const ValueHypothesis& hypothesis, int round) {
  const RankQuestion question{&hypothesis, nullptr, 0, -1, round};
  return differs_between_ranks(hypothesis) ? ask(question) : facts_.answer(question, rank_);
}

double RankAnswers::value(const ComputationHypothesis& hypothesis) {
  const RankQuestion question{nullptr, &hypothesis, 0, -1, 0};
  return hypothesis.depends_on_rank() ? ask(question) : facts_.answer(question, rank_);
}

double RankAnswers::ask(const RankQuestion& question) {
  const auto [known, is_new] = known_.try_emplace(question, 0);
  if (is_new) asked_.emplace_back(question, known->second = facts_.answer(question, rank_));
  return known->second;
}

std::optional<uint32_t> QuestionTree::class_of(const RankFacts& facts, int rank) const {
  if (nodes_.empty()) return std::nullopt;
  const Node* node = &nodes_.front();
  while (!node->rank_class) {
    const auto found = find_answer(node->answers, facts.answer(node->question, rank));
    if (found == node->answers.end()) return std::nullopt;
    node = &nodes_[found->second];
  }
  return node->rank_class;
}

void QuestionTree::add_class(const std::vector<std::pair<RankQuestion, double>>& asked, uint32_t rank_class) {
  if (nodes_.empty()) nodes_.emplace_back();
  uint32_t at = 0;
  for (const auto& [question, answer] : asked) {
    nodes_[at].question = question;
    if (const auto found = find_answer(nodes_[at].answers, answer); found != nodes_[at].answers.end()) {
      at = found->second;
      continue;
    }
    const auto next = static_cast<uint32_t>(nodes_.size());
    nodes_[at].answers.emplace_back(answer, next);
    nodes_.emplace_back();
    at = next;
  }
  nodes_[at].rank_class = rank_class;
}

}  // namespace scalediag::loggp
