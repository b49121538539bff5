# Installs module files for Environment Modules (Tcl) and Lmod (Lua) in share/scalediag/modulefiles. They find the
# installed tree from their own place, so that it can be moved.
set(_modules ${CMAKE_INSTALL_DATADIR}/scalediag/modulefiles/scalediag)
set(SCALEDIAG_MODULE_FROM_ROOT ${_modules})
file(RELATIVE_PATH SCALEDIAG_ROOT_FROM_MODULE ${CMAKE_INSTALL_PREFIX}/${_modules} ${CMAKE_INSTALL_PREFIX})
foreach(_module "scalediag.tcl|${PROJECT_VERSION}" "scalediag.lua|${PROJECT_VERSION}.lua")
  string(REGEX MATCH "^(.*)\\|(.*)$" _ "${_module}")
  set(_file ${CMAKE_MATCH_2})
  configure_file(cmake/packaging/modulefiles/${CMAKE_MATCH_1}.in ${PROJECT_BINARY_DIR}/modulefiles/${_file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/modulefiles/${_file} DESTINATION ${_modules})
endforeach()
