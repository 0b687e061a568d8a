# SPDX-License-Identifier: Apache-2.0
"""``python -m tracy``: runs a program under the recorder.

The first process, this one, starts ``tacho run`` with the module tracy._become; that second process
becomes the program.
"""
from __future__ import annotations

import sys

_before = frozenset(sys.modules)
# Files in the current folder may have the names of modules that we need; they are the program's.
_folder = sys.path.pop(0) if not getattr(sys.flags, "safe_path", False) else None

import fcntl
import fnmatch
import itertools
import optparse
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile

from tracy import _options, _program, _session, _tools

if _folder is not None:
    sys.path.insert(0, _folder)
_program.STARTED_WITH = _before

TRACE = "tracy_profile_log_host"
CHILD_CALLS = "CompileProgram,HWCommandQueue_write_buffer"
# Logs of one run. zone_src_locations.log is none: runs append to it.
SAMPLES = "sync_device_info.csv"
LOGS = (TRACE + ".tracy", "tracy_ops_times.csv", "tracy_ops_data.csv", "profile_log_device.csv",
        "cpp_device_perf_report.csv", SAMPLES)


def _say(text: str) -> None:
    if sys.stderr is None:  # closed; print() would use standard output, which belongs to the program
        return
    try:
        print(f"tracy: {text}", file=sys.stderr, flush=True)
    except OSError:  # the terminal is closed
        pass


def _ignore_children() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def _wait(command: list[str], env: dict[str, str]) -> int:
    """Runs it in our place: signals for the program are forwarded, its status becomes ours."""
    process: subprocess.Popen[bytes] | None = None
    early: list[int] = []

    def forward(number: int, _frame: object) -> None:
        if process:
            process.send_signal(number)
        else:
            early.append(number)
    # An ignored SIGCHLD would hide the status; the program gets the original setting.
    ignored = signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN
    signal.signal(signal.SIGCHLD, lambda *_: None)
    noted, note = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(note, warn_on_full_buffer=False)
    # 'tacho run' knows which of them reached the program directly, as Ctrl-C does.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
                   signal.SIGUSR2):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup
            signal.signal(number, forward)
    process = subprocess.Popen(command, env=env, close_fds=False,
                               preexec_fn=_ignore_children if ignored else None)
    for number in early:
        process.send_signal(number)
    # Not wait(): a signal just before it would be forwarded too late.
    while process.poll() is None:
        if select.select([noted], [], [], 1.0)[0]:
            os.read(noted, 4096)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _interpreter_flags() -> list[str]:
    """The options of our interpreter, for that of the program."""
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    for name, value in sys._xoptions.items():  # the flags above omit some
        flags += ["-X", name if value is True else f"{name}={value}"]
    return flags + ["-i"] * bool(sys.flags.inspect)


def _stamps(folder: str) -> dict[str, tuple[int, ...]]:
    """The existing logs, each with a stamp that changes on every write."""
    stamps = {}
    for entry in os.scandir(folder):
        if entry.name in LOGS or fnmatch.fnmatchcase(entry.name, "noc_trace_*.json"):
            stat = entry.stat()
            stamps[entry.name] = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return stamps


def _put_logs(folder: str, made: str, before: dict[str, tuple[int, ...]],
              alone: bool = True) -> list[str]:
    """Moves new logs in; logs of an earlier run without a successor are renamed to NAME.old.

    ALONE: what the program has written there is of the same process.
    """
    names = set(os.listdir(made))
    for name, stamp in _stamps(folder).items():
        if before.get(name) != stamp:  # the program wrote it itself
            names.add(name)
            if alone and name == SAMPLES and os.path.exists(os.path.join(made, name)):
                os.unlink(os.path.join(made, name))  # the trace has clock points, but no samples
        elif name not in names:
            os.replace(os.path.join(folder, name), os.path.join(folder, name + ".old"))
    for name in os.listdir(made):
        os.replace(os.path.join(made, name), os.path.join(folder, name))
    return sorted(names)


def _logs(tacho: str, trace: str, options: optparse.Values, before: dict[str, tuple[int, ...]],
          host_only: bool) -> tuple[list[str], bool]:
    """Writes the .tracy file and the logs of ops and, unless HOST_ONLY, of devices beside the trace.

    Their names, and whether several processes have devices: then those of each but the first are
    in a folder of its own.
    """
    folder = os.path.dirname(trace)
    home = os.path.dirname(folder)
    children = CHILD_CALLS + ("," + options.child_functions if options.child_functions else "")
    with tempfile.TemporaryDirectory(prefix=".tracy-", dir=home) as place:
        status = subprocess.run([tacho, "export", "-q", "--to=tt-logs", "-o", place,
                                 f"--child-functions={children}",
                                 f"--tracy-version={options.tracy_version}",
                                 *["--host-only"] * host_only, trace],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
        made = os.path.join(place, ".logs")
        if not os.path.isdir(made):
            _say(f"no logs: 'tacho export' ends with status {status}")
            return [], False
        others = [name for name in os.listdir(place) if name != ".logs"]
        for other in others:
            logs = os.path.join(home, other, ".logs")
            os.makedirs(logs, exist_ok=True)
            _put_logs(logs, os.path.join(place, other, ".logs"), {})
        return _put_logs(folder, made, before, not others), bool(others)


def _ops(tacho: str, folder: str, options: optparse.Values) -> list[str]:
    command = [tacho, "ops", "-o", folder, "--date"]
    if options.name_append:
        command.append(f"--name-append={options.name_append}")
    return command + [f"--device-analysis-types={kind}" for kind in options.device_analysis_types]


def _is_refused(tacho: str, options: optparse.Values) -> bool:
    """Whether the report options are invalid, checked before the run."""
    with tempfile.TemporaryDirectory() as nothing:
        done = subprocess.run(_ops(tacho, nothing, options), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 2:
        _say(done.stderr.strip().replace("tacho: ", "", 1))
    return done.returncode == 2


def _report(tacho: str, folder: str, options: optparse.Values, trace: str | None = None,
            logs: bool = False) -> int:
    """By the logs in the folder, or by a trace; LOGS then puts the device's log beside it."""
    command = _ops(tacho, folder, options)
    if logs:
        command.append("--visualizer")
    if options.collect_noc_traces:
        command.append("--analyze-noc-traces")
    if not options.device:
        command.append("--no-device")
    if trace:
        command.append(trace)
    # The summary goes to stderr; standard output belongs to the program.
    status = subprocess.run(command, stdin=subprocess.DEVNULL,
                            stdout=sys.stderr or subprocess.DEVNULL).returncode
    if status < 0:  # else it has reported the error itself
        _say(f"no report: 'tacho ops' ends with status {status}")
    return status


def _is_missing(path: str) -> bool:
    """True if neither a script nor a program of this name exists."""
    return not (path == "-" or os.path.exists(path)
                or (not path.endswith(".py") and shutil.which(path)))


def _record(options: optparse.Values, kind: str, program: list[str]) -> int:
    if options.tracy_tools_folder and not os.path.isdir(options.tracy_tools_folder):
        _say(f"--tracy-tools-folder: {options.tracy_tools_folder} is not a folder")
        return 1
    if program and not kind and _is_missing(program[0]):  # keep the previous trace
        _say(f"can't open file {os.path.abspath(program[0])!r}: No such file or directory")
        return 2
    tacho = _tools.find_tacho(options.tracy_tools_folder)
    if not tacho:
        _say("the program 'tacho' is not found: not beside this package and not in the PATH")
        return 1
    if (options.name_append or options.device_analysis_types) and _is_refused(tacho, options):
        return 2
    plain = sys.modules.get("tracy._plain")
    if plain and plain.MISSING:
        _say(f"nothing can be recorded: {plain.MISSING}")
        return 1
    if not options.quiet and plain:
        why = (f"cannot load the extension: {plain.REASON}" if plain.REASON
               else f"there is no extension for this Python ({sys.version.split()[0]})")
        _say(f"{why}; functions are recorded by sys.setprofile, which takes many times as long")
    try:
        folder = _options.output_folder(options)
        if options.process_logs_only:
            return _report(tacho, folder, options)
        folder, lock = _take_folder(folder)
    except OSError as error:
        _say(f"{error.filename or 'the current folder'}: {error.strerror}")
        return 5
    try:
        return _record_into(folder, tacho, options, [kind, *program])
    finally:
        os.close(lock)


def _take_folder(wanted: str) -> tuple[str, int]:
    """A folder that no other run uses, FOLDER or FOLDER.2 and so on, and the lock that reserves it."""
    for number in itertools.count(1):
        folder = wanted if number == 1 else f"{wanted}.{number}"
        logs = os.path.join(folder, ".logs")
        os.makedirs(logs, exist_ok=True)
        lock = os.open(logs, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        except OSError:  # a file system without locks
            pass
        if number > 1:
            _say(f"another run is using {wanted}; this one writes to {folder}")
        return folder, lock
    raise AssertionError("unreachable")


def _record_into(folder: str, tacho: str, options: optparse.Values, program: list[str]) -> int:
    first, *others = _options.counter_passes(options)
    options.counters = first
    if others and not options.quiet:
        _say(f"the counters need {1 + len(others)} runs; the first: {first}")
    status, made, several = _record_run(folder, tacho, options, program, True)
    if made is None:
        return status
    for number, groups in enumerate(others, 2):
        if status:
            _say(f"the program failed with status {status}: no further runs")
            break
        status = _record_pass(folder, tacho, options, program, number, groups, several)
    trace = os.path.join(folder, ".logs", TRACE + ".tacho")
    host_only = _device_logs_forbidden(_options.program_environment(options, folder))
    if options.report:
        # Logs, so that they are kept with the report; a trace without ops says so itself, and one
        # of several processes gives a report for each. Without logs of devices only the trace has
        # their data.
        by_logs = "tracy_ops_data.csv" in made and not several and not host_only
        _report(tacho, folder, options, None if by_logs else trace, not by_logs and not host_only)
    if not options.quiet:
        _say(f"trace: {trace}" + (f" and {len(made)} logs beside it" if len(made) > 1
                                  else f" and {made[0]}" if made else ""))
    return status


def _device_logs_forbidden(env: dict[str, str]) -> bool:
    return env.get("TT_METAL_PROFILER_DISABLE_DUMP_TO_FILES", "0") not in ("", "0")


def _record_pass(folder: str, tacho: str, options: optparse.Values, program: list[str],
                 number: int, groups: str, several: bool) -> int:
    """One more run, for its counters: they are added to the device log of the first."""
    if not options.quiet:
        _say(f"run {number}: {groups}")
    more = optparse.Values(vars(options))
    more.counters, more.quiet, more.view, more.sample = groups, True, False, None
    log = os.path.join(folder, ".logs", "profile_log_device.csv")
    with tempfile.TemporaryDirectory(prefix=".run-", dir=folder) as place:
        os.mkdir(os.path.join(place, ".logs"))
        status, _, others = _record_run(place, tacho, more, program, False)
        found = os.path.join(place, ".logs", "profile_log_device.csv")
        if several or others:
            _say(f"several processes have devices: the counters of run {number} are not merged")
        elif not os.path.exists(found) or not os.path.exists(log):
            _say(f"run {number} has no device log: its counters are missing")
        else:
            merged = subprocess.run([tacho, "ops", "merge", "-q", "-f", "-o", log, log, found],
                                    stdin=subprocess.DEVNULL).returncode
            if merged:
                _say(f"the counters of run {number} are missing: 'tacho ops merge' ends with "
                     f"status {merged}")
    return status


def _record_run(folder: str, tacho: str, options: optparse.Values, program: list[str],
                first: bool) -> tuple[int, list[str] | None, bool]:
    """Runs the program once. Its status, the logs (None: stop here), and whether several
    processes have devices."""
    trace = os.path.join(folder, ".logs", TRACE + ".tacho")
    env = _options.program_environment(options, folder)
    _session.hand_back(env)
    logs = _stamps(os.path.dirname(trace))
    before = os.stat(trace).st_mtime_ns if os.path.exists(trace) else None
    settings, unused = _settings(options), ""
    if options.partial and not options.start_signpost:
        handle, unused = tempfile.mkstemp(prefix=".unused-", dir=os.path.dirname(trace))
        os.close(handle)
        settings.unused = unused
    view = ["--view"] if options.view else []
    if options.view and options.web_app_port is not None:
        view.append(f"--port={options.web_app_port}")
    port = options.port or _environ_port() if first else 0
    tracy = [f"--tracy-port={_free_port()}"] if port else []
    sample = [f"--sample={options.sample}"] if options.sample else []
    command = [tacho, "run", "--wrapped", *([] if options.verbose else ["-q"]), *view, *tracy, *sample,
               "-f", "-o", trace, "--",
               sys.executable, *_interpreter_flags(),
               "-m", "tracy._become", settings.to_words(),
               "follow" if options.follow else "", *program]
    if options.verbose:
        print("tracy: running", shlex.join(command), flush=True)
    server = _serve(tacho, port, trace, options) if port else None
    status = _wait(command, env)
    if server:
        _finish_serving(server, tacho, port, trace)
    if unused and os.path.exists(unused):
        os.unlink(unused)
        _say(_unused_hint(program))
    if status and options.check_exit_code:
        _say(f"the program failed with status {status}")
        return 4, None, False
    if not os.path.exists(trace) or os.stat(trace).st_mtime_ns == before:
        _say("there is no trace of this run" + (
            f"; the events recorded so far are in {trace}.part: see 'tacho recover'"
            if os.path.exists(trace + ".part") else ""))
        return status, None, False
    made, several = _logs(tacho, trace, options, logs, _device_logs_forbidden(env))
    return status, made, several


def _environ_port() -> int:
    """TRACY_PORT as the guides set it; 0: unset or no port."""
    text = os.environ.get("TRACY_PORT", "")
    return int(text) if text.isdigit() and 0 < int(text) < 65536 else 0


def _free_port() -> int:
    """For code built with Tracy itself: the viewer's port is ours."""
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return int(any_port.getsockname()[1])


def _serve(tacho: str, port: int, trace: str,
           options: optparse.Values) -> subprocess.Popen[bytes] | None:
    """Serves the running recording to a Tracy viewer or capture tool on this port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            _say(f"no viewer can connect to port {port}: {error.strerror}")
            return None
    if not options.quiet:
        _say(f"a Tracy viewer can connect to port {port}")
    return subprocess.Popen([tacho, "serve", "--live", "--wait", f"--tracy-port={port}", trace],
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            start_new_session=True)


def _finish_serving(server: subprocess.Popen[bytes], tacho: str, port: int, trace: str) -> None:
    """Waits until viewers have everything. A run may end before its server has seen it begin."""
    assert server.stderr
    os.set_blocking(server.stderr.fileno(), False)
    if b"viewer on port" not in (server.stderr.read() or b""):
        server.terminate()
        server.wait()
        if os.path.exists(trace):
            subprocess.run([tacho, "serve", "-q", "--wait", f"--tracy-port={port}", trace],
                           stdin=subprocess.DEVNULL, check=False)
    server.wait()


def _unused_hint(program: list[str]) -> str:
    """For -p when the program enabled nothing."""
    if program[:2] == ["-m", "pytest"]:
        how = "give a test the fixture tracy_profile or @pytest.mark.tracy, or pass --tracy to pytest"
    else:
        how = "use 'with tracy.Profiler():' around what matters"
    return f"-p records only functions that the program enables, and it enabled none: {how}, or omit -p"


def _settings(options: optparse.Values) -> _session.Settings:
    settings = _session.Settings()
    for switch in ("partial", "lines", "c_calls", "tt_names", "hide_site_packages",
                   "task_tracks", "log_gc"):
        if getattr(options, switch):
            settings.switches.add(switch.replace("_", "-"))
    settings.include, settings.exclude = options.include, options.exclude
    settings.max_depth, settings.min_duration = options.max_depth, options.min_duration
    settings.start_signpost, settings.end_signpost = options.start_signpost, options.end_signpost
    return settings


def main() -> None:
    """The command line."""
    options, program = _options.parse(sys.argv[1:])
    kind = "-m" if options.module else ""
    if options.code is not None:
        kind, program = "-c", [options.code, *program]
    if options.no_capture_tool:
        _program.become(_settings(options), options.follow, kind, program)
    else:
        status = _record(options, kind, program)
        if sys.flags.inspect:  # -i is for the program: no prompt at the end of this process
            os._exit(status)
        sys.exit(status)


if __name__ == "__main__":
    main()
