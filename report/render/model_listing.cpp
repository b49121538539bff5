#include "report/render/model_listing.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json/json_writer.h"
#include "core/text/numbers.h"
#include "core/text/printable.h"
#include "core/text/quantities.h"
#include "core/text/shortening.h"
#include "report/findings/evidence.h"
#include "report/findings/kernel_evidence.h"
#include "report/render/json/json_parts.h"
#include "report/scaling/measured_series.h"

namespace scalediag::report {
namespace {

Json coefficients_json(const std::vector<fit::Coefficient>& coefficients) {
  Json all = Json::array();
  for (const fit::Coefficient& c : coefficients) all.push_back({{"term", c.term}, {"value", c.value}});
  return all;
}

Json alternatives_json(const fit::Model& model) {
  Json all = Json::array();
  for (const fit::Alternative& a : model.alternatives()) {
    all.push_back({{"hypothesis", a.hypothesis},
                   {"formula", a.formula},
                   {"weight", a.weight},
                   {"backtest_error", a.backtest_error},
                   {"rejected", a.reason.empty() ? Json(nullptr) : Json(a.reason)}});
  }
  return all;
}

// The origin of the value, since the formula need not give it.
Json value_json(const fit::ValueOfFormula& value) {
  return {{"is_formula", value.is_value},
          {"hypotheses", value.hypotheses},
          {"formula_hypothesis", value.hypothesis},
          {"formula_weight", value.weight},
          {"note", value.is_value ? Json(nullptr) : Json(value.text())}};
}

Json behaviour_json(const fit::Model& model) {
  Json all = Json::object();
  for (size_t p = 0; p < model.parameter_names().size(); ++p) {
    const fit::Behaviour b = model.behaviour(static_cast<int>(p));
    all[model.parameter_names()[p]] = {{"trend", name_of(b.trend)}, {"exponent", b.exponent}};
  }
  return all;
}

Json hypotheses_json(const std::vector<fit::CountHypothesis>& hypotheses) {
  Json all = Json::array();
  for (const fit::CountHypothesis& hypothesis : hypotheses) {
    all.push_back({{"formula", hypothesis.formula()},
                   {"coefficients", coefficients_json(hypothesis.coefficients())},
                   {"largest_deviation", hypothesis.largest_deviation()}});
  }
  return all;
}

// Fields of the model, which predictions use where there is no hypothesis of counts.
Json followed_model_json(const fit::Model& m) {
  Json json = {{"formula", m.formula()},
               {"value", value_json(m.value_of_formula())},
               {"coefficients", coefficients_json(m.coefficients())},
               {"noise", m.noise()},
               {"behaviour", behaviour_json(m)},
               {"backtest", nullptr},
               {"alternatives", alternatives_json(m)},
               {"regime_change", nullptr},
               {"next_run", nullptr}};
  if (const fit::Backtest b = m.backtest(); b.predictions > 0) {
    json["backtest"] = {{"predictions", b.predictions},
                        {"median_error", b.median_error},
                        {"mean_error", b.mean_error},
                        {"predicted_largest", b.predicted_largest},
                        {"measured_largest", b.measured_largest}};
  }
  if (const auto change = m.regime_change()) {
    json["regime_change"] = {{"parameter", change->parameter},
                             {"after", parameter_value(change->after)},
                             {"before", parameter_value(change->before)},
                             {"factor", change->factor},
                             {"confirmed", change->confirmed}};
  }
  if (const auto next = m.next_run()) {
    json["next_run"] = {{"at", json_of(point_of(m.parameter_names(), next->at))}, {"reason", next->reason}};
  }
  return json;
}

// The same fields of a hypothesis.
Json followed_hypothesis_json(const fit::CountHypothesis& hypothesis) {
  return {{"formula", hypothesis.formula()},
          {"value", value_json({})},
          {"coefficients", coefficients_json(hypothesis.coefficients())},
          {"noise", 0},
          {"behaviour", Json::object()},
          {"backtest", nullptr},
          {"alternatives", Json::array()},
          {"regime_change", nullptr},
          {"next_run", nullptr}};
}

Json model_json(const ListedModel& listed) {
  const fit::Model& m = listed.model;
  Json json = {{"kernel", listed.kernel},
               {"metric", listed.metric},
               {"parameters", m.parameter_names()},
               {"points", listed.counts.hypotheses.empty() ? m.points() : listed.counts.points},
               {"values", m.values()}};
  json.update(listed.counts.hypotheses.empty() ? followed_model_json(m)
                                               : followed_hypothesis_json(listed.counts.hypotheses.front()));
  json["count_hypotheses"] = hypotheses_json(listed.counts.hypotheses);
  json["notes"] = m.notes();
  return json;
}

constexpr const char* kLetters[] = {"a", "b", "c"};

Json communication_json(const std::map<std::string, fit::PaperForm>& forms) {
  Json all = Json::array();
  for (const auto& [operation, form] : forms) {
    Json json = {{"operation", operation}, {"form", form.collective ? "m (a log2(P) + b s + c)" : "m (a s + b)"}};
    for (size_t i = 0; i < form.coefficients.size(); ++i) json[kLetters[i]] = form.coefficients[i];
    json["relative_error"] = form.relative_error;
    json["points"] = form.points;
    all.push_back(std::move(json));
  }
  return all;
}

std::string communication_text(const std::map<std::string, fit::PaperForm>& forms) {
  if (forms.empty()) return "";
  std::string out =
      "forms of Ding et al. for m calls of s bytes a rank, fitted to their times: T_p2p = m (a s + b), "
      "T_collective = m (a log2(P) + b s + c)\n";
  for (const auto& [operation, form] : forms) {
    out += "  " + core::printable(operation) + ":";
    for (size_t i = 0; i < form.coefficients.size(); ++i) {
      const bool of_bytes = i == (form.collective ? 1 : 0);
      out += std::string(i == 0 ? " " : ", ") + kLetters[i] + " = " + core::four_digits(form.coefficients[i]) +
             (of_bytes ? " s/byte" : " s");
    }
    out += "; " +
           (form.points > form.coefficients.size() ? "right within " + core::percent(form.relative_error)
                                                   : std::string("not checked")) +
           " (" + std::to_string(form.points) + " times)\n";
  }
  return out;
}

// Escapes the characters that have a meaning in LaTeX.
std::string latex_text(const std::string& text) {
  std::string out;
  for (const char c : core::printable(text)) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string latex_number(double value) {
  if (value == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent >= -2 && exponent <= 4) return core::four_digits(value);
  return core::four_digits(value / std::pow(10.0, exponent)) + " \\cdot 10^{" + std::to_string(exponent) + "}";
}

std::string latex_term(const std::string& term) {
  std::string out;
  for (size_t i = 0; i < term.size();) {
    if (term.compare(i, 5, "log2(") == 0) {
      out += "\\log_2(";
      i += 5;
    } else if (term.compare(i, 4, "log2") == 0) {
      out += "\\log_2";
      i += 4;
    } else if (term.compare(i, 4, "exp(") == 0) {
      out += "\\exp(";
      i += 4;
    } else if (term[i] == '^') {
      size_t end = i + 1;
      if (end < term.size() && term[end] == '(') {
        end = std::min(term.find(')', end), term.size());
        out += "^{" + term.substr(i + 2, end - i - 2) + "}";
        i = end < term.size() ? end + 1 : end;
        continue;
      }
      while (end < term.size() &&
             (std::isalnum(static_cast<unsigned char>(term[end])) != 0 || term[end] == '.' || term[end] == '-'))
        ++end;
      out += "^{" + term.substr(i + 1, end - i - 1) + "}";
      i = end;
    } else if (term[i] == '[') {  // words
      const size_t end = std::min(term.find(']', i), term.size());
      out += "[\\mbox{" + latex_text(term.substr(i + 1, end - i - 1)) + "}]";
      i = end < term.size() ? end + 1 : end;
    } else if (term[i] == '_') {
      out += "\\_";
      ++i;
    } else {
      out += term[i++];
    }
  }
  return out;
}

std::string hypotheses_text(const ListedModel& listed) {
  const fit::CountHypothesis& best = listed.counts.hypotheses.front();
  const bool varies = listed.counts.variation > 1e-9;
  std::string out =
      "  " + best.formula() + "\n  " + (varies ? "a formula" : "an exact formula") + " that meets " +
      std::to_string(listed.counts.points) + " points" +
      (varies ? " within " + core::four_digits(100 * listed.counts.variation) + " %: what varies has an interval"
              : " exactly") +
      "; P: processes\n";
  if (listed.counts.few_scales) {
    out += "  too few points to be sure of it: the interval of predictions holds the others and the general model\n";
  }
  for (size_t i = 1; i < listed.counts.hypotheses.size(); ++i)
    out += "    as well: " + listed.counts.hypotheses[i].formula() + "\n";
  return out;
}

}  // namespace

std::string latex_formula(const std::vector<fit::Coefficient>& coefficients) {
  std::string text;
  for (const fit::Coefficient& c : coefficients) {
    text += (text.empty() ? "" : " + ") + latex_number(c.value);
    if (c.term != "1") text += "\\, " + latex_term(c.term);
  }
  return text.empty() ? "0" : text;
}

std::string models_text(const ModelListing& listing) {
  std::string out;
  for (const ListedModel& listed : listing.models) {
    const fit::Model& m = listed.model;
    out += core::printable(listed.kernel) + ", " + core::printable(listed.metric) + "\n";
    if (!listed.counts.hypotheses.empty()) {
      out += hypotheses_text(listed);
      continue;
    }
    out += "  " + m.formula() + "\n";
    if (const fit::ValueOfFormula value = m.value_of_formula(); !value.is_value) out += "  " + value.text() + "\n";
    out += "  " + std::to_string(m.points()) + " points, " + std::to_string(m.values()) + " values";
    if (m.noise() > 0) out += ", repeats vary by " + core::percent(m.noise());
    const fit::Backtest b = m.backtest();
    if (b.predictions > 0) {
      out += "; predicted larger scales from smaller ones with a median error of " + fit::error_text(b.median_error) +
             " (" + std::to_string(b.predictions) + " predictions), the largest as " +
             core::four_digits(b.predicted_largest) + ", measured " + core::four_digits(b.measured_largest);
    }
    out += "\n";
    if (listed.is_chance) out += "  at most 1 % of the run, which samples leave over: its trend says nothing\n";
    for (size_t p = 0; !listed.is_chance && p < m.parameter_names().size(); ++p) {
      const fit::Behaviour behaviour = m.behaviour(static_cast<int>(p));
      out += "  " + std::string(name_of(behaviour.trend)) + " in " + core::printable(m.parameter_names()[p]) +
             ", exponent " + core::fixed(behaviour.exponent, 2) + " beyond the measurements\n";
    }
    constexpr size_t kShown = 4;
    const std::vector<fit::Alternative> alternatives = m.alternatives();
    for (size_t i = 0; i < std::min(kShown, alternatives.size()); ++i) {
      const fit::Alternative& a = alternatives[i];
      out += "    " + core::fixed(a.weight, 2) + "  " + a.hypothesis + (a.formula.empty() ? "" : ": " + a.formula) +
             ", error " + fit::error_text(std::expm1(a.backtest_error));
      if (!a.reason.empty()) out += ", not used: " + a.reason;
      out += "\n";
    }
    if (alternatives.size() > kShown) out += "    " + std::to_string(alternatives.size() - kShown) + " more\n";
    if (const auto change = m.regime_change()) {
      out += "  " + core::printable(regime_text(*change)) + "\n";
    }
    if (const auto next = m.next_run()) {
      out +=
          "  further run: " + core::printable(text_of(point_of(m.parameter_names(), next->at)) + ": " + next->reason) +
          "\n";
    }
    for (const std::string& note : m.notes()) out += "  note: " + core::printable(note) + "\n";
  }
  out += communication_text(listing.communication);
  for (const TotalAt& total : listing.totals) {
    const core::TimeFormat time(total.run_s.value);
    out += "whole program at " + text_of(total.at) + ": " + time(total.run_s.value) + " " + time.unit() + " (" +
           time(total.run_s.low) + " - " + time(total.run_s.high) +
           ") from MPI_Init to MPI_Finalize, as `predict` has it from these models and all else that is known\n";
  }
  for (const std::string& note : listing.notes) out += "note: " + core::printable(note) + "\n";
  return out;
}

core::Result<std::string> models_json(const ModelListing& listing) {
  Json models = Json::array();
  for (const ListedModel& listed : listing.models) models.push_back(model_json(listed));
  Json json = {
      {"schema", "scalediag-models/1"}, {"input", listing.input}, {"models", models}, {"notes", listing.notes}};
  if (!listing.communication.empty()) json["communication"] = communication_json(listing.communication);
  for (const TotalAt& total : listing.totals) {
    json["targets"].push_back(
        {{"at", json_of(total.at)}, {"run_s", json_of(total.run_s)}, {"total_s", json_of(total.total_s)}});
  }
  return core::to_json_text(json, 2);
}

std::string models_latex(const ModelListing& listing) {
  std::string out = "\\begin{longtable}{llrl}\n\\toprule\nKernel & Metric & Error & Model \\\\\n\\midrule\n\\endhead\n";
  for (const ListedModel& listed : listing.models) {
    const fit::Backtest b = listed.model.backtest();
    const bool is_hypothesis = !listed.counts.hypotheses.empty();
    const std::string error =
        !is_hypothesis && b.predictions > 0 ? core::fixed(100 * b.median_error, 1) + "\\,\\%" : "--";
    out +=
        latex_text(listed.kernel) + " & " + latex_text(listed.metric) + " & " + error + " & $" +
        latex_formula(is_hypothesis ? listed.counts.hypotheses.front().coefficients() : listed.model.coefficients()) +
        "$ \\\\\n";
  }
  out += "\\bottomrule\n\\end{longtable}\n";
  for (const std::string& note : listing.notes) out += "% " + core::printable(note) + "\n";
  return out;
}

}  // namespace scalediag::report
