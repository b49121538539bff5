# What is needed is a Debian package each; tests/run.sh and samples/demo.sh install what is missing.
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(spdlog REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(PkgConfig REQUIRED)
pkg_check_modules(elfutils REQUIRED IMPORTED_TARGET libdw libelf)
