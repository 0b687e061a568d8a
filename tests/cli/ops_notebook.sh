# SPDX-License-Identifier: Apache-2.0
# The notebook runs on reports of a trace and of generated logs, and its pictures are not empty.
. "$SOURCE/tests/lib.sh"
[ -z "$SANITIZE" ] || skip "too slow with sanitizers"
python=
for candidate in python3 /usr/bin/python3; do
	$candidate -c 'import nbconvert, ipykernel, pandas, matplotlib' 2>/dev/null && python=$candidate
done
[ -n "$python" ] || skip "no nbconvert, ipykernel, pandas or matplotlib"
"$BUILD/tests/mklogs" --devices 2 --cores 24 --ops 60 --iterations prof
"$BUILD/tests/logs2trace" prof prof.tacho
expect_exit 0 "$TACHO" ops -q --logs -o prof prof.tacho
cp "$SOURCE/notebooks/profiler_results.ipynb" .
export TACHO_REPORT=$PWD/prof/reports/ops_perf_results.csv HOME=$PWD
expect_exit 0 $python -m nbconvert --to notebook --execute --output done.ipynb profiler_results.ipynb
python3 - <<'END' || fail 'what the notebook shows'
import base64, json
cells = json.load(open('done.ipynb'))['cells']
text = ''.join(''.join(o.get('text', '')) for c in cells if c['cell_type'] == 'code' for o in c['outputs'] if o['output_type'] == 'stream')
assert '120 ops, 120 with device data, 12 step(s)' in text, text
pictures = [o['data']['image/png'] for c in cells if c['cell_type'] == 'code' for o in c['outputs'] if 'image/png' in o.get('data', {})]
assert len(pictures) == 5, len(pictures)
assert all(len(base64.b64decode(p)) > 5000 for p in pictures)
tables = [o for c in cells if c['cell_type'] == 'code' for o in c['outputs'] if 'text/html' in o.get('data', {})]
assert len(tables) == 3, len(tables)
assert 'MatmulOp' in ''.join(tables[0]['data']['text/html'])
END
# The results of its cells: an op has one colour in all pictures, and outliers are found. One kernel of 120 is made one.
python3 - <<'END'
import csv
rows = list(csv.DictReader(open('prof/reports/ops_perf_results.csv', newline='')))
names = [r['OP CODE'] for r in rows]
for i, r in enumerate(rows):
    if r['DEVICE KERNEL DURATION [ns]']:
        r['DEVICE KERNEL DURATION [ns]'] = str(100 + i % 3)
odd = max(i for i, n in enumerate(names) if n == 'MatmulOp')
rows[odd]['DEVICE KERNEL DURATION [ns]'] = '900'
for name in ('one', 'even'):  # in the second one nothing is out of line
    with open(f'{name}.csv', 'w', newline='') as f:
        w = csv.DictWriter(f, list(rows[0]))
        w.writeheader()
        w.writerows(rows)
    for r in rows:
        r.update({c: r[c] and '100' for c in r if c.endswith('[ns]')})
END
cat >cells.py <<'END'
import json, matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
plt.show = lambda: None
display = print
for cell in json.load(open('profiler_results.ipynb'))['cells']:
    if cell['cell_type'] == 'code':
        exec(''.join(cell['source']))
colors = {}
for axis in (a for n in plt.get_fignums() for a in plt.figure(n).axes):
    for patch, label in zip(axis.patches, [t.get_text() for t in axis.texts][::2]):
        if isinstance(patch, matplotlib.patches.Wedge):
            colors.setdefault(label, set()).add(patch.get_facecolor())
    for bars in axis.collections:
        if bars.get_label() in colors:
            colors[bars.get_label()].add(tuple(bars.get_facecolor()[0]))
assert len(colors) >= 5 and all(len(c) == 1 for c in colors.values()), colors
assert len({c for s in colors.values() for c in s}) == len(colors), colors
assert not odd[['Operation', 'Metric', 'Score']].isna().any().any(), odd
print([(r.Operation, r.Metric) for r in odd.itertuples() if r.Metric == 'Kernel Time'], len(odd))
END
# Markers end the phases of a step, and the steps: four ops forward, five backward, one of the optimizer.
python3 - <<'END'
import csv
rows = list(csv.DictReader(open('even.csv', newline='')))
with open('steps.csv', 'w', newline='') as f:
    w = csv.DictWriter(f, list(rows[0]))
    w.writeheader()
    for i, r in enumerate([r for r in rows if r['DEVICE ID'] == '0'][:50]):
        w.writerow({**r, 'ATTRIBUTES': ''})
        ends = {3: ['forward_pass_done'], 8: ['backward_pass_done'], 9: ['optimizer_step_done', f'iteration_{i // 10 + 1}']}
        for marker in ends.get(i % 10, []):
            for twice in range(2):
                w.writerow({'OP CODE': 'ProfilerNoopOperation', 'OP TYPE': 'tt_dnn_device', 'ATTRIBUTES': f"{{'identifier': '{marker}'}}"})
END
cat >steps.py <<'END'
exec(open('cells.py').read().split('colors = {}')[0])
print([(name, round(time, 3)) for name, time in phases['Kernel Time'].items()], sorted(set(per_step.index)), f'{len(ops)} ops')
print('last step:', sorted(run['Step'].unique()), len(run))
END
TACHO_REPORT=steps.csv expect_exit 0 $python steps.py
expect_line out "^\[\('forward', 0.4\), \('backward', 0.5\), \('optimizer', 0.1\)\] \[1.0, 2.0, 3.0, 4.0, 5.0\] 50 ops$" '^last step: \[5.0\] 10$'
TACHO_REPORT=one.csv expect_exit 0 $python cells.py
expect_line out "^\[\('MatmulOp', 'Kernel Time'\)\] "
TACHO_REPORT=even.csv expect_exit 0 $python cells.py
expect_line out '^\[\] 0$' '^0 times out of line, of 0 of 120 calls'
# A report of device logs alone has fewer columns, and the notebook still runs.
expect_exit 0 "$TACHO" ops -q -o prof --device-only -n dev
TACHO_REPORT=$PWD/prof/reports/dev/ops_perf_results_dev.csv expect_exit 0 $python -m nbconvert --to notebook --execute --output dev.ipynb profiler_results.ipynb
# It runs in its own folder and finds the newest report and paths relative to the folder where jupyter started.
mkdir -p notebooks generated elsewhere
mv profiler_results.ipynb notebooks
mv prof generated/profiler
unset TACHO_REPORT TT_METAL_PROFILER_DIR TT_METAL_HOME
expect_exit 0 $python -m nbconvert --to notebook --execute --output new.ipynb notebooks/profiler_results.ipynb
expect_line notebooks/new.ipynb "report: .*$here/generated/profiler/reports/dev/ops_perf_results_dev.csv"
TACHO_REPORT=generated/profiler/reports/ops_perf_results.csv expect_exit 0 $python -m nbconvert --to notebook --execute --output rel.ipynb notebooks/profiler_results.ipynb
expect_line notebooks/rel.ipynb "report: .*$here/generated/profiler/reports/ops_perf_results.csv"
exit 0
