// libudev for a program with a static hwloc in it: hwloc asks it for names of disks, which nobody here reads, and takes
// null for a machine without it.
#include <stddef.h>

void* udev_new(void);
void* udev_unref(void* udev);
void* udev_device_new_from_subsystem_sysname(void* udev, const char* subsystem, const char* name);
void* udev_device_unref(void* device);
const char* udev_device_get_property_value(void* device, const char* key);

void* udev_new(void) { return NULL; }
void* udev_unref(void* udev) { return (void)udev, NULL; }
void* udev_device_new_from_subsystem_sysname(void* udev, const char* subsystem, const char* name) {
  return (void)udev, (void)subsystem, (void)name, NULL;
}
void* udev_device_unref(void* device) { return (void)device, NULL; }
const char* udev_device_get_property_value(void* device, const char* key) { return (void)device, (void)key, NULL; }
