#!/usr/bin/env python3
"""Runs the Spack recipe against stand-ins for Spack's directives, and holds what it names against the sources.

  spack_recipe.py ROOT-OF-THE-SOURCES
"""
import pathlib
import re
import sys
import types


class Recorder:
    """Spack's module of directives: each call is kept under its name."""

    def __init__(self):
        self.calls = {}

    def directive(self, name):
        def call(*words, **options):
            self.calls.setdefault(name, []).append((words, options))
            return lambda function: function

        return call

    def module(self):
        module = types.ModuleType("spack.package")
        names = ["version", "depends_on", "variant", "conflicts", "generator", "run_after", "which",
                 "cache_extra_test_sources", "check_outputs"]
        for name in names:
            setattr(module, name, self.directive(name))
        module.join_path = lambda *parts: "/".join(map(str, parts))

        class CMakePackage:
            spec = types.SimpleNamespace(
                variants={"chart_library": types.SimpleNamespace(value="/chart.min.js")})

            @staticmethod
            def define(name, value):
                return f"-D{name}={value}"

        module.CMakePackage = CMakePackage
        module.__all__ = [*names, "join_path", "CMakePackage"]
        return module


# Packages and paths that CMake looks for, each with the name of Spack's package.
PACKAGES = {"nlohmann_json": "nlohmann-json", "CLI11": "cli11", "Eigen3": "eigen", "Boost": "boost",
            "PkgConfig": "pkgconfig", "elfutils": "elfutils", "hwloc": "hwloc", "zstd": "zstd",
            "EXPAT": "expat", "ZLIB": "zlib-api", "otf2": "otf2", "spdlog": "spdlog", "fmt": "fmt", "PAPI_INCLUDE_DIR": "papi",
            "SVM_LIBRARY": "libsvm"}
NOT_PACKAGES = {"Threads", "SVM_INCLUDE_DIR", "SCALEDIAG_CHART_LIBRARY", "SCALEDIAG_ZSTD"}


def main():
    root = pathlib.Path(sys.argv[1])
    recorder = Recorder()
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = recorder.module()
    path = root / "cmake/packaging/spack/packages/scalediag/package.py"
    recipe = {"__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), recipe)
    package = recipe["Scalediag"]
    wrong = []

    needed = {words[0].split("@")[0].split("+")[0] for words, _ in recorder.calls["depends_on"]}
    dependencies = (root / "cmake/Dependencies.cmake").read_text()
    sought = set(re.findall(r"(?:find_package|pkg_check_modules|find_path|find_library|find_file)\((\w+)", dependencies))
    for name in sorted(sought - NOT_PACKAGES):
        if name not in PACKAGES:
            wrong.append(f"cmake/Dependencies.cmake looks for {name}: name its Spack package in {__file__}")
        elif PACKAGES[name] not in needed:
            wrong.append(f"the recipe does not depend on {PACKAGES[name]}")
    if not {"c", "cxx", "fortran", "cmake", "mpi"} <= needed:
        wrong.append(f"the recipe names no compiler, CMake or MPI: {sorted(needed)}")

    options = (root / "CMakeLists.txt").read_text() + dependencies + (root / "cmake/Portable.cmake").read_text()
    for argument in package().cmake_args():
        name = re.match(r"-D(\w+)=", argument)[1]
        if name not in options:
            wrong.append(f"the recipe defines {name}, which no CMake file knows")

    if pathlib.Path(package.git.removeprefix("file://")).resolve() != root.resolve():
        wrong.append(f"the recipe's sources are {package.git} and not {root}")
    tests = [name for name in vars(package) if name.startswith("test_") and callable(getattr(package, name))]
    wrong += [f"{name} has no docstring, which Spack prints as its purpose" for name in tests
              if not getattr(package, name).__doc__]
    if not tests or not getattr(package, "test_requires_compiler", False):
        wrong.append("the recipe has no stand-alone test, or none that may compile")
    for file in re.findall(r'"(\w+\.(?:c|txt))"', path.read_text()):
        if not (root / "cmake/packaging/spack/stand_alone" / file).is_file():
            wrong.append(f"the stand-alone test uses {file}, which is not in cmake/packaging/spack/stand_alone")
    print("\n".join(wrong) if wrong else f"recipe: {len(needed)} dependencies, tests {', '.join(tests)}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
