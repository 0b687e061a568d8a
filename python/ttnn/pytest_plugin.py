# SPDX-License-Identifier: Apache-2.0
"""Fixtures that tests of TT-NN programs ask for: ``pytest --noconftest -p ttnn.pytest_plugin``.

``device`` and ``mesh_device`` are closed after each test; with the marker ``use_module_device`` all
tests of a module share one device. ``device_params`` has the arguments of open_device().
"""
from __future__ import annotations

import contextlib
import importlib
import os
import random
from typing import Any, Callable, Iterator

import pytest
import ttnn

_SEED = 213919
_MARKERS = ("use_module_device", "requires_fast_runtime_mode_off", "slow", "timeout", "skip_post_commit",
            "models_performance_bare_metal", "models_performance_virtual_machine",
            "models_device_performance_bare_metal", "eager_host_side", "post_commit")


def pytest_configure(config: Any) -> None:
    for marker in _MARKERS:
        config.addinivalue_line("markers", f"{marker}: of tests of tt-metal")


class _CacheEntries:
    """Counts the programs that parts of a test add to the cache."""

    def __init__(self, device: Any) -> None:
        self.device, self.total = device, 0

    def reset(self) -> None:
        self.total = 0

    @contextlib.contextmanager
    def measure(self) -> Iterator[None]:
        before = self.device.num_program_cache_entries()
        yield
        self.total += self.device.num_program_cache_entries() - before


def _open(parameters: dict[str, Any], shape: Any = None) -> Any:
    known = {name: value for name, value in parameters.items()
             if name not in ("fabric_config", "require_exact_physical_num_devices", "dispatch_core_axis",
                             "dispatch_core_type", "fabric_tensix_config", "reliability_mode",
                             "fabric_manager", "fabric_router_config")}
    return ttnn.open_device(device_id=0, **known) if shape is None else \
        ttnn.open_mesh_device(ttnn.MeshShape(*shape), **known)


@contextlib.contextmanager
def _opened(parameters: dict[str, Any], shape: Any = None) -> Iterator[Any]:
    before, device = ttnn.GetDefaultDevice(), _open(parameters, shape)
    ttnn.SetDefaultDevice(device)
    device.cache_entries_counter = _CacheEntries(device)
    try:
        yield device
    finally:
        ttnn.SetDefaultDevice(before)
        ttnn.close_device(device)


@pytest.fixture
def device_params(request: Any) -> dict[str, Any]:
    return dict(getattr(request, "param", {}))


@pytest.fixture(scope="module")
def _module_device(request: Any) -> Iterator[Any]:
    marker = request.node.get_closest_marker("use_module_device")
    given = marker.args[0] if marker.args else marker.kwargs.get("device_params", {})
    with _opened(dict(given)) as device:
        yield device


@pytest.fixture
def device(request: Any, device_params: dict[str, Any]) -> Iterator[Any]:
    if request.node.get_closest_marker("use_module_device"):
        yield request.getfixturevalue("_module_device")
        return
    with _opened(device_params) as opened:
        yield opened


@pytest.fixture
def mesh_device(request: Any, device_params: dict[str, Any]) -> Iterator[Any]:
    """A mesh of one device; tests that need more are skipped."""
    shape = getattr(request, "param", 1)
    shape = shape if isinstance(shape, tuple) else (1, int(shape))
    if shape[0] * shape[1] > ttnn.get_num_devices():
        pytest.skip(f"needs a mesh of {shape[0]} x {shape[1]}")
    with _opened(device_params, shape) as opened:
        yield opened


@pytest.fixture
def reset_seeds() -> None:
    random.seed(_SEED)
    for name, seed in (("numpy.random", "seed"), ("torch", "manual_seed")):
        with contextlib.suppress(ImportError):
            getattr(importlib.import_module(name), seed)(_SEED)


@pytest.fixture
def function_level_defaults(reset_seeds: None) -> None:
    """The seeds."""


@pytest.fixture
def use_program_cache() -> None:
    """It is always on."""


@pytest.fixture
def reset_default_device() -> Iterator[None]:
    before = ttnn.GetDefaultDevice()
    yield
    ttnn.SetDefaultDevice(before)


@pytest.fixture
def model_location_generator() -> Callable[..., str]:
    """Models by name; weights are not downloaded."""
    return lambda model_version, *_, **__: model_version


@pytest.fixture(scope="session")
def silicon_arch_name() -> str:
    return ttnn.get_arch_name()


def _arch_fixture(arch: str) -> Any:
    @pytest.fixture(name=f"silicon_arch_{arch}", scope="session")
    def check(silicon_arch_name: str) -> str:
        if silicon_arch_name != arch:
            pytest.skip(f"only for {arch}")
        return arch
    return check


silicon_arch_wormhole_b0, silicon_arch_blackhole = map(_arch_fixture, ("wormhole_b0", "blackhole"))


@pytest.fixture
def is_ci_env() -> bool:
    return os.getenv("CI") == "true"


@pytest.fixture
def is_ci_v2_env() -> bool:
    return False


@pytest.fixture
def expect_error() -> Callable[..., Any]:
    """pytest.raises() with a part of the message."""
    return lambda error, message: pytest.raises(error, match=message)
