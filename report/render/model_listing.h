// The models themselves, as `scalediag models` prints them: formula, and the evidence for and against it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/result.h"
#include "fit/application/communication_cost.h"
#include "fit/counts/count_model.h"
#include "fit/curves/model.h"
#include "report/point.h"

namespace scalediag::report {

struct ListedModel {
  std::string kernel;
  std::string metric;
  fit::Model model;
  // The hypotheses of an operation's calls or bytes, the best first: predictions use it instead of the model, and the
  // others count for the interval. Most models have none.
  fit::MetHypotheses counts = {};
  bool is_chance = false;  // little that samples leave over, of which no trend is printed
};

// The whole program at one target, as `predict` has it from these models and all else that is known.
struct TotalAt {
  Point at;
  Estimate run_s, total_s;  // from MPI_Init to MPI_Finalize, and with start and end
};

struct ModelListing {
  std::string input;
  std::vector<ListedModel> models;
  std::vector<std::string> notes;  // series that could not be modelled
  std::vector<TotalAt> totals = {};
  // The forms of Ding et al. 2018, by MPI operation.
  std::map<std::string, fit::PaperForm> communication = {};
};

// For people: a paragraph a model, then the notes.
std::string models_text(const ModelListing& listing);
// Schema scalediag-models/1. Error: a value is not finite.
core::Result<std::string> models_json(const ModelListing& listing);
// A table of formulas for a paper (packages: booktabs, longtable); without the notes.
std::string models_latex(const ModelListing& listing);

// "1.2e-05 p^-0.5" as LaTeX: "1.2 \cdot 10^{-5}\, p^{-0.5}".
std::string latex_formula(const std::vector<fit::Coefficient>& coefficients);

}  // namespace scalediag::report
