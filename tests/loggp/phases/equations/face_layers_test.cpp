#include "loggp/phases/equations/face_layers.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalediag::loggp {
namespace {

constexpr auto kBox = core::GridKind::kSpaceRising;  // 4 = 1 x 2 x 2, 8, 16 = 2 x 2 x 4, 64 = 4 x 4 x 4

// 8 (n/x + layers) (n/z) bytes, or (n/y) in place of (n/z), of all ranks.
std::vector<ValueSample> faces(int n, int layers, size_t other_side, const std::vector<int>& scales) {
  std::vector<ValueSample> samples;
  for (const int ranks : scales) {
    const core::ProcessGrid grid = process_grid(kBox, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      samples.push_back({ranks, rank, 8.0 * (n / grid.sides[0] + layers) * (n / grid.sides[other_side])});
    }
  }
  return samples;
}

TEST(FaceDirection, IsAlongOneSideOfABox) {
  Relation r;
  r.grid = kBox;
  r.step = {0, -1, 0};
  EXPECT_EQ(face_direction(r), (FaceDirection{kBox, 1, false}));
  r.step = {1, 1, 0};
  EXPECT_FALSE(face_direction(r));
  r.step = {1, 0, 0};
  r.grid = core::GridKind::kPlaneFalling;
  EXPECT_FALSE(face_direction(r));
  r = {};
  r.kind = RelationKind::kCoarseGive;
  r.grid = kBox;
  r.side = 2;
  EXPECT_EQ(face_direction(r), (FaceDirection{kBox, 2, true}));
}

// Sides of 1 x 2 x 2, 2 x 2 x 2 and 2 x 2 x 4 ranks: (128 + 2) 64, (64 + 2) 64 and (64 + 2) 32 elements. On 4 x 4 x 4
// they are (32 + 2) 32.
TEST(FaceLayers, AreThoseOfAllLevels) {
  const FaceDirection along{kBox, 1, false};
  const std::vector<int> scales = {4, 8, 16};
  FaceLayers layers;
  layers.add(along, faces(128, 2, 2, scales));
  EXPECT_FALSE(layers.face(along, faces(128, 2, 2, scales))) << "one level alone tells nothing about others";
  layers.add(along, faces(32, 2, 2, scales));
  const auto face = layers.face(along, faces(128, 2, 2, scales));
  ASSERT_TRUE(face);
  EXPECT_EQ(face->met, 2U);
  EXPECT_EQ(face->hypothesis.at(64, 0), 8 * 34 * 32);
}

// Bytes that are the same on 8 and 16 ranks, between which the third side doubles, are no face across the second one.
TEST(FaceLayers, AreNotThoseOfMessagesThatAreNoFaces) {
  const FaceDirection along{kBox, 1, false};
  const std::vector<int> scales = {4, 8, 16};
  FaceLayers layers;
  for (const int n : {128, 64, 32}) layers.add(along, faces(n, 2, 2, scales));
  layers.add(along, faces(64, 2, 1, scales));
  const auto face = layers.face(along, faces(128, 2, 2, scales));
  ASSERT_TRUE(face);
  EXPECT_EQ(face->met, 3U);
  EXPECT_FALSE(layers.face(along, faces(64, 2, 1, scales)));
}

// Along the third side messages within levels have two layers along the first side and none along the second. So 64
// bytes on 2 x 2 x 4 ranks are 8 (4/2 + 2) (4/2), of 4 elements along each side, and on 4 x 4 x 4 ranks 8 (1 + 2) 1.
TEST(FaceLayers, BetweenLevelsOfOneScaleAreTakenFromThoseWithinLevels) {
  const FaceDirection within{kBox, 2, false}, between{kBox, 2, true};
  FaceLayers layers;
  for (const int n : {8, 4}) layers.add(within, faces(n, 2, 1, {4, 8, 16}));
  std::vector<ValueSample> on_16;
  for (int rank = 0; rank < 16; ++rank) on_16.push_back({16, rank, 64});
  const auto face = layers.face(between, on_16);
  ASSERT_TRUE(face);
  EXPECT_EQ(face->hypothesis.at(64, 0), 8 * 3 * 1);
  EXPECT_FALSE(layers.face(within, on_16)) << "one scale says nothing within a level";
}

}  // namespace
}  // namespace scalediag::loggp
