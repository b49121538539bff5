#include "core/text/table.h"

#include <gtest/gtest.h>

namespace scalediag::core {
namespace {

using Align = TableColumn::Align;

TEST(Table, AlignsNumbersRightAndNamesLeftWithoutTrailingBlanks) {
  Table table({{.title = "n"}, {.title = "name", .align = Align::kLeft}, {.title = "x", .align = Align::kLeft}});
  table.add_row({"1", "a", ""});
  table.add_row({"100", "longer", "y"});
  EXPECT_EQ(table.text({}),
            "    n  name    x\n"
            "    1  a\n"
            "  100  longer  y\n");
}

TEST(Table, ShortensOnlyWhatMayBeUntilTheLineFits) {
  Table table({{.title = "number"}, {.title = "name", .align = Align::kLeft, .shrink_weight = 1}});
  table.add_row({"1234567890", "abcdefghijklmnopqrstuvwxyz"});
  // 30 columns: indent 2, number 10, gap 2 leave 16: 7 + "..." + 6.
  EXPECT_EQ(table.text({.width = 30}),
            "      number  name\n"
            "  1234567890  abcdefg...uvwxyz\n");
  EXPECT_NE(table.text({.width = kUnlimited}).find("abcdefghijklmnopqrstuvwxyz"), std::string::npos);
}

TEST(Table, RoomIsSharedByWeight) {
  Table table({{.title = "a", .align = Align::kLeft, .shrink_weight = 2},
               {.title = "b", .align = Align::kLeft, .shrink_weight = 1}});
  table.add_row({std::string(100, 'a'), std::string(100, 'b')});
  // 64 - indent 2 - gap 2 = 60 columns, 2 : 1.
  const std::string text = table.text({.width = 64});
  const std::string row = text.substr(text.find('\n') + 1);
  EXPECT_EQ(row.find("  b"), 2u + 40);
  EXPECT_EQ(row.size(), 64u + 1);
}

TEST(Table, CannotDriveTheTerminal) {
  Table table({{.title = "name", .align = Align::kLeft}});
  table.add_row({"\033[2Jgone\n"});
  EXPECT_EQ(table.text({}).find('\033'), std::string::npos);
  EXPECT_EQ(table.text({}), "  name\n  ?[2Jgone?\n");
}

TEST(Table, ColorsOnlyWhenAsked) {
  Table table({{.title = "n"}});
  EXPECT_EQ(table.text({}), "  n\n");
  EXPECT_EQ(table.text({.color = true}), "\033[1m  n\033[0m\n");
}

}  // namespace
}  // namespace scalediag::core
