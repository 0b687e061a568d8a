# SPDX-License-Identifier: Apache-2.0
"""The options of ``python -m tracy``."""
from __future__ import annotations

import optparse
import os
import shlex
from typing import Any, NoReturn

# Option, variable that it sets to 1 for the program, help.
SWITCHES = (
    ("--no-op-info-cache", "TT_METAL_PROFILER_NO_CACHE_OP_INFO", "full op info for cached ops too"),
    ("--profile-dispatch-cores", "TT_METAL_DEVICE_PROFILER_DISPATCH", "dispatch cores too"),
    ("--enable-sum-profiling", "TT_METAL_PROFILER_SUM", "sum zones up on the device"),
    ("--enable-accumulate-profiling", "TT_METAL_PROFILER_ACCUMULATE",
     "accumulate on the device; not with -r"),
    ("--sync-host-device", "TT_METAL_PROFILER_SYNC", "align the clocks of host and devices"),
    ("--device-trace-profiler", "TT_METAL_TRACE_PROFILER", "profile traces of ops"),
    ("--device-memory-profiler", "TT_METAL_MEM_PROFILER", "buffers in L1 and DRAM"),
    ("--dump-device-data-mid-run", "TT_METAL_PROFILER_MID_RUN_DUMP",
     "write device data while the program runs"),
    ("--disable-device-data-dump-to-files", "TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES",
     "no device log"),
    ("--disable-device-data-push-to-tracy", "TT_METAL_PROFILER_DISABLE_PUSH_TO_TRACY",
     "no device zones in the trace"),
)

# Bits of TT_METAL_PROFILE_PERF_COUNTERS; the guide calls l1_0 l1.
COUNTERS = {"fpu": 1, "pack": 2, "unpack": 4, "l1_0": 8, "l1": 8, "l1_1": 16, "instrn": 32,
            "l1_2": 64, "l1_3": 128, "l1_4": 256, "l1_5": 512, "all": 47}
_BANKS = ("l1_0", "l1_1", "l1_2", "l1_3", "l1_4", "l1_5")
_ARCH = ("TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME", "ARCH_NAME", "TACHO_ARCH")

USAGE = "python -m tracy [options] [-m module | -c code | script | program] [arguments]"


def _code(option: optparse.Option, name: str, value: Any, parser: optparse.OptionParser) -> None:
    """-c takes the next argument, like python's -c; the rest belongs to the program."""
    rest = parser.rargs
    if not rest:
        parser.error("-c needs code")
    parser.values.code = rest.pop(0)
    parser.largs += rest
    del rest[:]


def _duration(option: optparse.Option, name: str, value: str,
              parser: optparse.OptionParser) -> None:
    """A time with its unit, in seconds."""
    for unit, factor in (("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)):
        if value.endswith(unit):
            try:
                parser.values.min_duration = float(value[:-len(unit)]) * factor
            except ValueError:
                break
            if 0 <= parser.values.min_duration < 1e6:
                return
    parser.error(f"{name}: {value!r} is not a time, such as 50us, 2ms or 1s")


class _Parser(optparse.OptionParser):
    def error(self, msg: str) -> NoReturn:
        """Prints one line, as for all errors."""
        self.exit(2, f"tracy: {msg}; see 'python -m tracy --help'\n")

    def _process_long_opt(self, rargs: list[str], values: optparse.Values) -> None:
        """--sample alone has a value too: that of tacho."""
        if rargs[0] == "--sample":
            rargs[0] = "--sample=auto"
        super()._process_long_opt(rargs, values)


def make_parser() -> optparse.OptionParser:
    """Parses up to the first word that is not an option; the rest belongs to the program."""
    parser = _Parser(usage=USAGE, prog="python -m tracy")
    parser.disable_interspersed_args()
    add = parser.add_option
    add("-m", dest="module", action="store_true", help="the program is a module")
    add("-c", action="callback", callback=_code, help="the program is the code that follows")
    add("-p", "--partial", action="store_true", help="functions only where Profiler is enabled")
    add("-l", "--lines", action="store_true", help="a zone for each line too")
    add("--c-calls", action="store_true", help="calls of C functions too")
    add("--sample", metavar="HZ", help="also sample call stacks, native ones too, HZ times per second "
        "of CPU time; --sample alone takes the usual rate; 'tacho stacks' shows them")
    add("-r", "--report", action="store_true", help="make the ops report")
    add("-v", "--verbose", action="store_true", help="print the command that is run")
    add("-q", "--quiet", action="store_true", help="do not print where the trace is")
    add("-o", "--output-folder", metavar="DIR", help="default: TT_METAL_PROFILER_DIR, "
        "$TT_METAL_HOME/generated/profiler or ./generated/profiler")
    add("-n", "--name-append", metavar="NAME", help="appended to the name of the report")
    add("--include", action="append", default=[], metavar="GLOB",
        help="only functions whose file or name matches")
    add("--exclude", action="append", default=[], metavar="GLOB",
        help="no functions whose file or name matches")
    add("--hide-site-packages", action="store_true", help="no functions of installed packages")
    add("--max-depth", type="int", default=0, metavar="N", help="no functions deeper than that")
    add("--min-duration", action="callback", callback=_duration, type="string", default=0.0,
        metavar="TIME", help="no functions that take less, as 50us, 2ms or 1s")
    add("--start-signpost", default="", metavar="NAME",
        help="functions only from signpost(NAME) on")
    add("--end-signpost", default="", metavar="NAME", help="functions only up to signpost(NAME)")
    add("--task-tracks", action="store_true", help="a track for each task of asyncio")
    add("--log-gc", action="store_true",
        help="record garbage collections: a zone for each, and a plot of the objects freed")
    add("--tt-names", action="store_true", help="PY_FUNC_name and PY_LINE_name")
    add("--no-follow-children", dest="follow", action="store_false", default=True,
        help="only this process, not the Python processes that it starts")
    add("--check-exit-code", action="store_true",
        help="when the program fails make no report and exit with 4")
    add("--process-logs-only", action="store_true", help="only make the report from existing logs")
    add("--no-device", dest="device", action="store_false", default=True, help="no device data")
    add("--op-support-count", type="int", metavar="N", help="ops that a device can hold")
    for name, variable, text in SWITCHES:
        add(name, dest=variable, action="store_true", help=text)
    add("--collect-noc-traces", action="store_true", help="events of the network on chip")
    add("--no-runtime-analysis", action="store_true", help="no analysis while the program runs")
    add("--profiler-capture-perf-counters", dest="counters", metavar="GROUPS",
        help="fpu,pack,unpack,l1,instrn,all")
    add("--perf-counter-multipass", dest="multipass", action="store_true",
        help="run the program as often as the counter groups need, with one L1 bank each, and merge "
        "their counters into one device log and report; all are then all of the architecture")
    add("-a", "--device-analysis-types", action="append", default=[], metavar="TYPE",
        help="analyses of the report")
    add("--child-functions", metavar="NAMES", help="child calls that the report shows")
    add("--tracy-version", choices=("0.10", "0.14"), default="0.10",
        help="version of the .tracy file: 0.10 for Tenstorrent's viewer and Tracy up to 0.14.0 (the "
        "default), 0.14 for Tracy 0.14 and newer")
    add("-t", "--port", type="int", metavar="PORT",
        help="a Tracy viewer or capture tool may connect there, before the program starts or later "
        "(default TRACY_PORT); what the program has built with Tracy is recorded too")
    add("--view", action="store_true",
        help="show the recording in a browser while it runs, and afterwards until Ctrl-C")
    add("--web-app-port", type="int", metavar="PORT", help="of --view")
    add("--tracy-tools-folder", metavar="DIR", help="folder of the program tacho")
    add("--no-capture-tool", action="store_true", help=optparse.SUPPRESS_HELP)
    parser.set_defaults(code=None)
    return parser


def parse(arguments: list[str]) -> tuple[optparse.Values, list[str]]:
    """The options and the program with its arguments; exits with 2 when they make no sense."""
    parser = make_parser()
    options, program = parser.parse_args(arguments)
    sets = options.ensure_value
    if not program and options.code is None and not options.process_logs_only:
        parser.error("nothing to run: it takes a script, a program, -m module or -c code")
    if sets("TT_METAL_PROFILER_ACCUMULATE", False) and options.report:
        parser.error("--enable-accumulate-profiling and -r exclude each other")
    if sets("TT_METAL_PROFILER_MID_RUN_DUMP", False):
        for name, variable in (("--device-trace-profiler", "TT_METAL_TRACE_PROFILER"),
                               ("--profile-dispatch-cores", "TT_METAL_DEVICE_PROFILER_DISPATCH")):
            if sets(variable, False):
                parser.error(f"--dump-device-data-mid-run and {name} exclude each other")
    if options.module:
        try:
            program = split_module(program)
        except ValueError as error:
            parser.error(f"-m {program[0]!r}: {error}")
    if not 0 <= options.max_depth < 2**31:
        parser.error("--max-depth must be 0..2147483647")
    if options.op_support_count is not None and not 1 <= options.op_support_count < 2**31:
        parser.error("--op-support-count must be 1..2147483647")
    if "" in options.include + options.exclude:
        parser.error("--include and --exclude need a pattern")
    if options.web_app_port is not None and not 1 <= options.web_app_port <= 65534:
        parser.error("--web-app-port must be 1..65534")
    if options.port is not None and not 1 <= options.port <= 65535:
        parser.error("--port must be 1..65535")
    for group in [] if options.counters is None else options.counters.split(","):
        if group not in COUNTERS:
            parser.error(f"--profiler-capture-perf-counters: no group {group!r}; the groups are "
                         f"{', '.join(COUNTERS)}")
    if options.multipass and not options.counters:
        parser.error("--perf-counter-multipass needs --profiler-capture-perf-counters")
    if options.multipass and (not options.device
                              or sets("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", False)
                              or os.environ.get("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", "0")
                              not in ("", "0")):
        parser.error("--perf-counter-multipass merges device logs, which are turned off")
    return options, program


def counter_passes(options: optparse.Values) -> list[str]:
    """The counter groups of each run: at most one L1 bank, since one selector serves all."""
    if not options.multipass:
        return [options.counters]
    names = ["l1_0" if name == "l1" else name for name in options.counters.split(",")]
    if "all" in names:
        arch = next((os.environ[name] for name in _ARCH if os.environ.get(name)), "").lower()
        banks = 0 if "quasar" in arch else 6 if "blackhole" in arch else 2
        names = ["fpu", "pack", "unpack", "instrn", *_BANKS[:banks]]
    passes: list[list[str]] = [[name] for name in dict.fromkeys(names) if name in _BANKS] or [[]]
    for name in dict.fromkeys(names):
        if name not in _BANKS:
            min(passes, key=len).append(name)
    return [",".join(groups) for groups in passes]


def split_module(program: list[str]) -> list[str]:
    """Splits a module and its arguments given in one word, as the guides' scripts do."""
    if not program or not any(blank in program[0] for blank in " \t\n"):
        return program
    words = shlex.split(program[0])
    if not words:
        raise ValueError("no module")
    return words + program[1:]


def output_folder(options: optparse.Values) -> str:
    """Where the trace, the logs and the reports go."""
    if options.output_folder:
        return os.path.abspath(options.output_folder)
    if os.environ.get("TT_METAL_PROFILER_DIR"):
        return os.path.abspath(os.environ["TT_METAL_PROFILER_DIR"])
    home = os.environ.get("TT_METAL_HOME") or "."
    return os.path.abspath(os.path.join(home, "generated", "profiler"))


def program_environment(options: optparse.Values, folder: str) -> dict[str, str]:
    """The environment of the program: ours, changed by the options."""
    env = dict(os.environ)
    env["TT_METAL_PROFILER_DIR"] = folder
    if options.device:
        env["TT_METAL_DEVICE_PROFILER"] = "1"
    else:
        env.pop("TT_METAL_DEVICE_PROFILER", None)
    for _, variable, _ in SWITCHES:
        if options.ensure_value(variable, False):
            env[variable] = "1"
    if options.op_support_count is not None:
        env["TT_METAL_PROFILER_PROGRAM_SUPPORT_COUNT"] = str(options.op_support_count)
    if options.collect_noc_traces:
        env["TT_METAL_DEVICE_PROFILER_NOC_EVENTS"] = "1"
        env["TT_METAL_DEVICE_PROFILER_NOC_EVENTS_RPT_PATH"] = os.path.join(folder, ".logs")
    if options.counters:
        bits = 0
        for group in options.counters.split(","):
            bits |= COUNTERS[group]
        env["TT_METAL_PROFILE_PERF_COUNTERS"] = str(bits)
    if options.report:
        env["TTNN_OP_PROFILER"] = "1"
        env["TT_METAL_PROFILER_TRACE_TRACKING"] = "1"
    if not (options.no_runtime_analysis or options.counters or "TT_METAL_PROFILER_SUM" in env
            or "TT_METAL_DEVICE_PROFILER_DISPATCH" in env):
        env["TT_METAL_PROFILER_CPP_POST_PROCESS"] = "1"
    return env
