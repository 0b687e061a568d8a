# SPDX-License-Identifier: Apache-2.0
# The page in a real browser: tests/web/controls.test.mjs. labels: browser
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/web.sh"
export CONTROLS=$BUILD/tests/tracy_controls
web_suite controls
