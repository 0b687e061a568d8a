# SPDX-License-Identifier: Apache-2.0
"""Settings of the real package that programs read and change; they have no effect here."""
from __future__ import annotations

import contextlib
import dataclasses
from typing import Any, Iterator


@dataclasses.dataclass
class Config:
    """The real package's defaults."""
    cache_path: Any = None
    model_cache_path: Any = None
    tmp_dir: Any = "/tmp/ttnn"
    enable_model_cache: bool = False
    enable_fast_runtime_mode: bool = True
    throw_exception_on_fallback: bool = False
    enable_logging: bool = False
    enable_graph_report: bool = False
    enable_detailed_buffer_report: bool = False
    enable_detailed_tensor_report: bool = False
    enable_comparison_mode: bool = False
    comparison_mode_should_raise_exception: bool = False
    comparison_mode_pcc: float = 0.9999
    root_report_path: Any = "generated/ttnn/reports"
    report_name: Any = None


CONFIG = Config()


@contextlib.contextmanager
def manage_config(name: str, value: Any) -> Iterator[None]:
    """Sets a setting within a with statement."""
    before = getattr(CONFIG, name)
    setattr(CONFIG, name, value)
    try:
        yield
    finally:
        setattr(CONFIG, name, before)
