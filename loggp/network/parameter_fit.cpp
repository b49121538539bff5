#include "loggp/network/parameter_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/text/numbers.h"

namespace scalediag::loggp {
namespace {

constexpr size_t kFewestSizes = 3;   // of a segment
constexpr size_t kMostSegments = 6;  // on one side of S_sync
// A smaller deviation does not justify another segment.
constexpr double kFloor = 0.003;

double after_first(uint64_t bytes) { return static_cast<double>(std::max<uint64_t>(bytes, 1) - 1); }

// The line at + per_byte b, with coefficients that are not negative.
struct Line {
  double at = 0;
  double per_byte = 0;
  double operator()(double b) const { return at + per_byte * b; }
};

// Sums of a weighted least squares fit of a line.
struct Sums {
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;

  void add(double x, double y, double weight) {
    const double s = weight * weight;
    w += s;
    wx += s * x;
    wxx += s * x * x;
    wy += s * y;
    wxy += s * x * y;
  }
  Line fit() const {
    const double determinant = w * wxx - wx * wx;
    if (determinant > 1e-12 * w * wxx) {
      const Line line{(wxx * wy - wx * wxy) / determinant, (w * wxy - wx * wy) / determinant};
      if (line.at >= 0 && line.per_byte >= 0) return line;
      if (line.at < 0) return {0, std::max(0.0, wxy / wxx)};
    }
    return {w > 0 ? std::max(0.0, wy / w) : 0, 0};
  }
};

// The slope that two lines share, by weighted least squares.
double common_slope(const Sums& a, const Sums& b) {
  const double xx = a.wxx - a.wx * a.wx / a.w + b.wxx - b.wx * b.wx / b.w;
  const double xy = a.wxy - a.wx * a.wy / a.w + b.wxy - b.wx * b.wy / b.w;
  return xx > 0 ? std::max(0.0, xy / xx) : 0;
}

Line with_slope(const Sums& sums, double slope) { return {std::max(0.0, (sums.wy - slope * sums.wx) / sums.w), slope}; }

struct Point {
  double b;
  double one_way_s;
  double gap_s;
  // The reciprocal of the value that deviations are relative to.
  double one_way_weight;
  double gap_weight;
};

Point point_of(const MeasuredSize& size) {
  constexpr double n = kBurst - 1;
  Point p{after_first(size.sample.bytes), size.sample.half_round_trip_s[1], std::max(0.0, size.sample.gap_s[1]), 0, 0};
  p.one_way_weight = 1 / p.one_way_s;
  p.gap_weight = n / (2 * p.one_way_s + n * p.gap_s);
  return p;
}

struct Piece {
  size_t begin = 0;
  size_t end = 0;
  Line one_way;
  Line gap;
  double squares = 0;  // of the deviations, two a size
};

struct Deviations {
  double one_way = 0;
  double gap = 0;
};

Deviations deviations_of(const Piece& piece, const Point& p) {
  return {(piece.one_way(p.b) - p.one_way_s) * p.one_way_weight, (piece.gap(p.b) - p.gap_s) * p.gap_weight};
}

// `trust` is a factor for each point's weights; empty: 1.
Piece fit_piece(const std::vector<Point>& points, size_t begin, size_t end, const std::vector<Deviations>& trust = {}) {
  Sums one_way;
  Sums gap;
  for (size_t i = begin; i < end; ++i) {
    const Deviations t = trust.empty() ? Deviations{1, 1} : trust[i - begin];
    one_way.add(points[i].b, points[i].one_way_s, t.one_way * points[i].one_way_weight);
    gap.add(points[i].b, points[i].gap_s, t.gap * points[i].gap_weight);
  }
  Piece piece{begin, end, one_way.fit(), gap.fit(), 0};
  if (piece.gap.per_byte > piece.one_way.per_byte) {  // a byte cannot pass more slowly than it arrives
    const double slope = common_slope(one_way, gap);
    piece.one_way = with_slope(one_way, slope);
    piece.gap = with_slope(gap, slope);
  }
  for (size_t i = begin; i < end; ++i) {
    const Deviations d = deviations_of(piece, points[i]);
    piece.squares += d.one_way * d.one_way + d.gap * d.gap;
  }
  return piece;
}

// Least absolute deviations by adapted weights, so that a few slow sizes do not move the lines.
Piece fit_robustly(const std::vector<Point>& points, Piece piece) {
  constexpr int kIterations = 30;
  constexpr double kSmallest = 0.002;
  std::vector<Deviations> trust(piece.end - piece.begin);
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    for (size_t i = piece.begin; i < piece.end; ++i) {
      const Deviations d = deviations_of(piece, points[i]);
      trust[i - piece.begin] = {1 / std::sqrt(std::max(std::abs(d.one_way), kSmallest)),
                                1 / std::sqrt(std::max(std::abs(d.gap), kSmallest))};
    }
    piece = fit_piece(points, piece.begin, piece.end, trust);
  }
  return piece;
}

// The best division of points[begin, end) by BIC.
std::vector<Piece> divide(const std::vector<Point>& points, size_t begin, size_t end) {
  const size_t n = end - begin;
  if (n == 0) return {};
  const size_t most = std::clamp<size_t>(n / kFewestSizes, 1, kMostSegments);
  // best[m][i]: the first i points in m + 1 pieces.
  struct State {
    double squares = INFINITY;
    Piece last;
  };
  std::vector<std::vector<State>> best(most, std::vector<State>(n + 1));
  for (size_t i = 1; i <= n; ++i) {
    const Piece piece = fit_piece(points, begin, begin + i);
    best[0][i] = {piece.squares, piece};
  }
  for (size_t m = 1; m < most; ++m) {
    for (size_t i = (m + 1) * kFewestSizes; i <= n; ++i) {
      for (size_t at = m * kFewestSizes; at + kFewestSizes <= i; ++at) {
        if (best[m - 1][at].squares >= best[m][i].squares) continue;
        const Piece piece = fit_piece(points, begin + at, begin + i);
        const double squares = best[m - 1][at].squares + piece.squares;
        if (squares < best[m][i].squares) best[m][i] = {squares, piece};
      }
    }
  }
  constexpr double kParameters = 5;  // two lines, and the size at which they end
  const auto values = static_cast<double>(2 * n);
  size_t chosen = 0;
  double least = INFINITY;
  for (size_t m = 0; m < most; ++m) {
    const double variance = std::max(best[m][n].squares / values, kFloor * kFloor);
    const double bic = values * std::log(variance) + kParameters * static_cast<double>(m + 1) * std::log(values);
    if (bic < least) {
      least = bic;
      chosen = m;
    }
  }
  std::vector<Piece> pieces;
  for (size_t m = chosen + 1, i = n; m-- > 0; i = pieces.back().begin - begin) pieces.push_back(best[m][i].last);
  std::ranges::reverse(pieces);
  return pieces;
}

// The intercept of one side's overhead over the sizes of a piece; nothing if it was not measured there.
std::optional<double> overhead_at_first_byte(const MeasuredLink& link, const Piece& piece,
                                             std::optional<double> MeasuredSize::*which) {
  Sums sums;
  for (size_t i = piece.begin; i < piece.end; ++i) {
    const MeasuredSize& size = link.sizes[i];
    const double value = (size.*which).value_or(0);
    if (value > 0) sums.add(after_first(size.sample.bytes), value, 1 / value);
  }
  if (sums.w == 0) return std::nullopt;
  return sums.fit().at;
}

class LinkFit {
 public:
  // `left_out` names the sizes that are not in `measured` because they were disturbed.
  LinkFit(const MeasuredLink& measured, const std::string& left_out) : measured_(measured) {
    if (!left_out.empty()) note("something else ran while these sizes were measured, which are left out: " + left_out);
  }

  LinkClass fit(const std::vector<Point>& points, const std::vector<Piece>& pieces) {
    link_.sync_bytes = *measured_.sync_bytes;
    if (measured_.always_waits) note("even an empty message waits for its receiver; S_sync 0 lets the empty one pass");
    for (const MeasuredSize& size : measured_.sizes) {
      if (size.sample.gap_s[1] < 0) note(size_text(size) + "the gap came out negative and counts as 0");
      link_.samples.push_back(size.sample);
    }
    for (const Piece& piece : pieces) add_segment(piece);
    place_ends(pieces);
    for (size_t i = 0; i < pieces.size(); ++i) link_.segments[i].residual = residual_of(points, pieces[i]);
    return std::move(link_);
  }

 private:
  static std::string size_text(const MeasuredSize& size) { return std::to_string(size.sample.bytes) + " B: "; }
  void note(const std::string& text) { link_.notes.push_back(text); }
  bool is_above_sync(const Piece& piece) const { return measured_.sizes[piece.begin].sample.bytes > link_.sync_bytes; }

  void add_segment(const Piece& piece) {
    const bool is_first = link_.segments.empty();
    Segment& s = link_.segments.emplace_back();
    s.gap_s = piece.gap.at;
    s.gap_s_per_byte = piece.gap.per_byte;
    s.overhead_s_per_byte = std::max(0.0, piece.one_way.per_byte - piece.gap.per_byte);
    // Below S_sync both overheads were measured. Above it neither side's time is its own, so that those of the segment
    // before hold.
    send_s_ = overhead_at_first_byte(measured_, piece, &MeasuredSize::send_overhead_s).value_or(send_s_);
    receive_s_ = overhead_at_first_byte(measured_, piece, &MeasuredSize::receive_overhead_s).value_or(receive_s_);
    s.send_overhead_s = send_s_;
    s.receive_overhead_s = receive_s_;
    double whole_s = piece.one_way.at;
    if (is_above_sync(piece)) whole_s -= take_handshake(s, whole_s, is_first);
    double latency_s = whole_s - s.send_overhead_s - s.receive_overhead_s;
    if (latency_s < 0) {
      const double overheads_s = s.send_overhead_s + s.receive_overhead_s;
      note("from " + size_text(measured_.sizes[piece.begin]) + "overheads of " + text_of(overheads_s) +
           " overlap the flight, which takes " + text_of(whole_s) + " in all; they are scaled down, and L is 0");
      s.send_overhead_s *= whole_s / overheads_s;
      s.receive_overhead_s *= whole_s / overheads_s;
      latency_s = 0;
    }
    if (is_first) {
      link_.latency_s = latency_s;
    } else if (latency_s != link_.latency_s) {
      s.latency_s = latency_s;
    }
  }

  // Sets the handshake and returns its part of `whole_s`, in seconds.
  double take_handshake(Segment& s, double whole_s, bool is_first) {
    s.handshake = 0;
    if (is_first) return 0;
    const Segment& first = link_.segments.front();
    const double control_s = 2 * (first.send_overhead_s + link_.latency_s + first.receive_overhead_s);
    const double beyond_s = whole_s - s.send_overhead_s - s.receive_overhead_s - link_.latency_s;
    if (control_s > 0) s.handshake = std::clamp(beyond_s / control_s, 0.0, 1.0);
    return s.handshake * control_s;
  }

  // The residual of the final parameters, clamped ones included.
  double residual_of(const std::vector<Point>& points, const Piece& piece) const {
    double squares = 0;
    for (size_t i = piece.begin; i < piece.end; ++i) {
      const Point& p = points[i];
      const uint64_t bytes = measured_.sizes[i].sample.bytes;
      const Segment& s = link_.segment_of(bytes);
      const double by_one_way = (one_way_s(link_, bytes) - p.one_way_s) * p.one_way_weight;
      const double by_gap = (s.gap_s + s.gap_s_per_byte * p.b - p.gap_s) * p.gap_weight;
      squares += by_one_way * by_one_way + by_gap * by_gap;
    }
    return std::sqrt(squares / static_cast<double>(2 * (piece.end - piece.begin)));
  }

  // A segment ends half way to the first size of the next one, or at S_sync.
  void place_ends(const std::vector<Piece>& pieces) {
    for (size_t i = 0; i + 1 < pieces.size(); ++i) {
      const uint64_t last = measured_.sizes[pieces[i].end - 1].sample.bytes;
      const uint64_t next = measured_.sizes[pieces[i + 1].begin].sample.bytes;
      const bool at_sync = last <= link_.sync_bytes && next > link_.sync_bytes;
      const uint64_t end = at_sync ? link_.sync_bytes + 1 : last + (next - last + 1) / 2;
      link_.segments[i].to_bytes = end;
      link_.segments[i + 1].from_bytes = end;
    }
  }

  static std::string text_of(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g us", seconds * 1e6);
    return text.data();
  }

  const MeasuredLink& measured_;
  LinkClass link_;
  double send_s_ = 0;
  double receive_s_ = 0;
};

}  // namespace

Result<LinkClass> fit_link(const MeasuredLink& all) {
  MeasuredLink measured = all;
  std::string left_out;
  bool mostly_disturbed = false;
  measured.sizes.clear();
  for (size_t i = 0; i < all.sizes.size(); ++i) {
    if (!all.is_disturbed(i)) {
      measured.sizes.push_back(all.sizes[i]);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + std::to_string(all.sizes[i].sample.bytes) + " B";
    }
  }
  if (3 * all.sizes.size() > 4 * measured.sizes.size()) {  // then this may be a property of the network
    measured = all;
    left_out.clear();
    mostly_disturbed = true;
  }
  if (measured.sizes.size() < kFewestSizes || !measured.sync_bytes) {
    return Error{ErrorCode::kInput,
                 "the measurement between " + measured.hosts[0] + " and " + measured.hosts[1] + " has " +
                     (measured.sync_bytes ? std::to_string(measured.sizes.size()) + " sizes, at least " +
                                                std::to_string(kFewestSizes) + " are needed"
                                          : std::string("no S_sync"))};
  }
  std::vector<Point> points;
  size_t eager = 0;
  for (const MeasuredSize& size : measured.sizes) {
    points.push_back(point_of(size));
    if (size.sample.bytes <= *measured.sync_bytes) ++eager;
  }
  std::vector<Piece> pieces = divide(points, 0, eager);
  const std::vector<Piece> rendezvous = divide(points, eager, points.size());
  pieces.insert(pieces.end(), rendezvous.begin(), rendezvous.end());
  for (Piece& piece : pieces) piece = fit_robustly(points, piece);
  auto link = LinkFit(measured, left_out).fit(points, pieces);
  if (mostly_disturbed)
    link.notes.push_back("more than a quarter of the sizes were disturbed, so all of them are used");
  return link;
}

double largest_residual(const LinkClass& link) {
  double largest = 0;
  for (const Segment& s : link.segments) largest = std::max(largest, s.residual);
  return largest;
}

double exchange_of(const LinkClass& link, uint64_t bytes, int ranks, double seconds) {
  if (ranks < 2) return 1;
  const Segment& s = link.segment_of(bytes);
  const double stream_s = s.gap_s_per_byte * after_first(bytes);
  const double streams_s = (ranks - 1) * (stream_s + s.gap_s);
  if (!(streams_s > 0)) return 1;
  return std::max((seconds - (one_way_s(link, bytes) - stream_s)) / streams_s, 1.0);
}

void fit_exchange(const NetworkMeasurement& measured, LinkClass& link) {
  if (measured.exchanged_bytes <= link.sync_bytes) {
    link.exchange = 1;
    link.notes.push_back("exchange was not measured and counts as 1: messages of " +
                         std::to_string(measured.exchanged_bytes) + " B do not wait for their receiver");
    return;
  }
  const double factor = exchange_of(link, measured.exchanged_bytes, measured.ranks, measured.exchange_s);
  link.exchange = std::min(factor, kLargestExchange);
  if (factor > kLargestExchange) {
    link.notes.push_back("exchange came out as " + core::four_digits(factor) + " and counts as " +
                         core::four_digits(kLargestExchange) + ": something else kept the ranks from sending");
  }
  if (measured.retransmitted > 0) {
    link.notes.push_back("TCP sent " + std::to_string(measured.retransmitted) + " segment" +
                         (measured.retransmitted == 1 ? "" : "s") +
                         " again while exchange was measured: losses or long queues may be part of it");
  }
}

double one_way_s(const LinkClass& link, uint64_t bytes) {
  const Segment& s = link.segment_of(bytes);
  const Segment& first = link.segments.front();
  double result = s.send_overhead_s + link.latency_of(s) + s.receive_overhead_s +
                  (s.gap_s_per_byte + s.overhead_s_per_byte) * after_first(bytes);
  if (bytes > link.sync_bytes) {
    result += s.handshake * 2 * (first.send_overhead_s + link.latency_of(first) + first.receive_overhead_s);
  }
  return result;
}

std::vector<uint64_t> sizes_to_add(const MeasuredLink& measured, const LinkClass& link) {
  std::vector<uint64_t> result;
  const auto has = [&](uint64_t bytes) {
    return std::ranges::any_of(measured.sizes,
                               [bytes](const MeasuredSize& size) { return size.sample.bytes == bytes; });
  };
  const auto add = [&](uint64_t bytes) {
    if (!has(bytes) && std::find(result.begin(), result.end(), bytes) == result.end()) result.push_back(bytes);
  };
  constexpr size_t kMostMissed = 6;  // on a busy host nearly all are
  const auto add_between = [&](uint64_t low, uint64_t high) {
    constexpr uint64_t kBetween = 4;
    for (uint64_t k = 1; k <= kBetween; ++k) {
      if (const uint64_t bytes = low + (high - low) * k / (kBetween + 1); bytes > low) add(bytes);
    }
  };
  for (size_t i = 1; i < link.segments.size(); ++i) {
    const uint64_t change = link.segments[i].from_bytes;
    const auto after = std::ranges::find_if(measured.sizes,
                                            [change](const MeasuredSize& size) { return size.sample.bytes >= change; });
    if (after == measured.sizes.begin() || after == measured.sizes.end()) continue;
    const uint64_t low = std::prev(after)->sample.bytes;
    const uint64_t high = after->sample.bytes;
    if (change == link.sync_bytes + 1) {
      add(link.sync_bytes);
      add(change);
    }
    add_between(low, high);
  }
  std::vector<std::pair<double, size_t>> missed;  // by how much, the size
  for (size_t i = 0; i < measured.sizes.size(); ++i) {
    const SizeSample& sample = measured.sizes[i].sample;
    const double by = std::abs(one_way_s(link, sample.bytes) / sample.half_round_trip_s[1] - 1);
    if (by > kPoorResidual) missed.emplace_back(by, i);
  }
  std::ranges::sort(missed, std::greater());
  if (missed.size() > kMostMissed) missed.resize(kMostMissed);
  for (const auto& [by, i] : missed) {
    const uint64_t bytes = measured.sizes[i].sample.bytes;
    if (i > 0) add_between(measured.sizes[i - 1].sample.bytes, bytes);
    if (i + 1 < measured.sizes.size()) add_between(bytes, measured.sizes[i + 1].sample.bytes);
  }
  return result;
}

}  // namespace scalediag::loggp
