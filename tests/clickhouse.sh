# SPDX-License-Identifier: Apache-2.0
# Real ClickHouse servers for tests: sourced after lib.sh. Each runs in the foreground as this user, in a folder of the
# test, on free ports of the loopback; the package's service is not used.
server_binary=/usr/sbin/clickhouse-server
[ -x $server_binary ] || server_binary=$(command -v clickhouse-server) || fail "no clickhouse-server: scripts/setup --tests installs it"

# free_ports N: N ports that nobody uses now.
free_ports() {
	python3 - "$1" <<'PY'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in sockets:
    s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))
PY
}

# server_configure NAME HTTP TCP INTERSERVER [SHARD_TCP...]: the cluster "tacho" has a shard at each SHARD_TCP.
server_configure() {
	local name=$1 http=$2 tcp=$3 inter=$4 port shards=
	shift 4
	mkdir -p "$name/data" "$name/tmp"
	for port; do
		shards+="<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>$port</port><user>cluster</user><password>between</password></replica></shard>"
	done
	cat >"$name/config.xml" <<XML
<yandex><logger><level>warning</level><log>$PWD/$name/log</log><errorlog>$PWD/$name/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host><http_port>$http</http_port><tcp_port>$tcp</tcp_port><interserver_http_port>$inter</interserver_http_port>
<path>$PWD/$name/data/</path><tmp_path>$PWD/$name/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database><mark_cache_size>5368709</mark_cache_size>
<remote_servers><tacho>$shards</tacho></remote_servers><macros><shard>$name</shard><replica>one</replica></macros></yandex>
XML
	account() { # account NAME PASSWORD PROFILE
		echo "<$1><password_sha256_hex>$(printf %s "$2" | sha256sum | cut -d' ' -f1)</password_sha256_hex><networks><ip>127.0.0.1</ip></networks><profile>$3</profile><quota>default</quota></$1>"
	}
	cat >"$name/users.xml" <<XML
<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage></default><readonly><readonly>1</readonly></readonly></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>readonly</profile><quota>default</quota></default>
$(account writer "it's \"secret\"" default)$(account reader look readonly)$(account cluster between default)</users>
<quotas><default></default></quotas></yandex>
XML
}

# server_start NAME HTTP: sets server_pid.
server_start() {
	"$server_binary" --config="$PWD/$1/config.xml" >"$1/out" 2>&1 &
	server_pid=$!
	wait_for curl -s -f "http://127.0.0.1:$2/ping"
}

# killed_pushes_check ROWS MS...: pushes to $SERVER that are killed, each at another moment, leave nothing that counts, and
# gc removes what they left. What holds does not depend on the moment.
killed_pushes_check() {
	local rows=$1 ms pid
	shift
	"$TACHO" db runs --db "$SERVER" --format=csv >before
	make_report large.csv 1 0 "$rows"
	for ms; do
		"$TACHO" db push -q --db "$SERVER" --run "killed$ms" large.csv 2>/dev/null &
		pid=$!
		sleep "0.$ms"
		kill -9 $pid 2>/dev/null
		wait $pid 2>/dev/null
	done
	expect_exit 0 "$TACHO" db runs --db "$SERVER" --format=csv
	grep -v '^killed' out >after
	cmp before after || fail "other runs have changed"
	"$TACHO" db query --db "$SERVER" --format=csv "SELECT run, count(*) AS c FROM op ANY INNER JOIN (SELECT push, run FROM visible) USING push WHERE run LIKE 'killed%' GROUP BY run" >counts
	! tail -n +2 counts | grep -v ",$rows\$" || fail "half a push is visible"
	expect_exit 0 "$TACHO" db gc --db "$SERVER" --age 0
	wait_for pushes_are_whole
}

# All rows of ops belong to visible pushes.
pushes_are_whole() {
	[ "$("$TACHO" db query --db "$SERVER" --format=csv "SELECT count(*) AS c FROM op WHERE push NOT IN (SELECT push FROM visible)" | tail -1)" = 0 ]
}
