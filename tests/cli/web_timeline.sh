# SPDX-License-Identifier: Apache-2.0
# The page in a real browser: tests/web/timeline.test.mjs. labels: browser
. "$SOURCE/tests/lib.sh"
. "$SOURCE/tests/web.sh"
web_suite timeline
