# SPDX-License-Identifier: Apache-2.0
"""Queries about architectures and devices."""
from ttnn._device import (Arch, Device, DispatchCoreAxis, DispatchCoreConfig, DispatchCoreType,
                          GetDefaultDevice, SetDefaultDevice, close_device, get_device_ids,
                          is_blackhole, is_grayskull, is_wormhole_b0, open_device,
                          synchronize_device)

__all__ = ["Arch", "Device", "DispatchCoreAxis", "DispatchCoreConfig", "DispatchCoreType",
           "GetDefaultDevice", "SetDefaultDevice", "close_device", "get_device_ids",
           "is_blackhole", "is_grayskull", "is_wormhole_b0", "open_device", "synchronize_device"]
