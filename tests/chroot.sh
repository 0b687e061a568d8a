# SPDX-License-Identifier: Apache-2.0
# For the scripts that install packages: a minimal Debian 12 without anything of ours, in the folder "root".
#
# chroot_new makes it, from a base that debootstrap made once, below build/; chroot_run COMMAND... runs a command in
# it. Both need root, and network the first time. chroot_missing says what is missing, if anything is.
chroot_cache=$BUILD/chroot
chroot_mirror=${TACHO_DEBIAN_MIRROR:-http://deb.debian.org/debian}

chroot_missing() {
	if [ "$(id -u)" != 0 ]; then
		echo "not root"
	elif ! command -v debootstrap >/dev/null; then
		echo "no debootstrap"
	elif ! unshare --mount --pid --fork true 2>/dev/null; then
		echo "cannot make a mount namespace"
	elif ! (umask 022 && chroot_base >chroot.log 2>&1); then
		cp chroot.log "$chroot_cache.log"
		echo "debootstrap failed, see $chroot_cache.log"
	fi
}

chroot_base() {
	local part=$chroot_cache/base.part
	mkdir -p "$chroot_cache/archives/partial"
	(
		flock 9
		[ ! -d "$chroot_cache/base" ] || exit 0
		rm -rf "$part"
		debootstrap --variant=minbase bookworm "$part" "$chroot_mirror" || exit
		cp /etc/resolv.conf "$part/etc"
		chroot "$part" apt-get update -q || exit
		chroot "$part" apt-get clean
		mv "$part" "$chroot_cache/base"
	) 9>"$chroot_cache/lock"
}

chroot_new() {
	rm -rf root
	cp -a --reflink=auto "$chroot_cache/base" root || fail "cannot copy the base"
}

# The mounts are in a namespace that ends with the command, and the environment is that of a new login.
chroot_run() {
	unshare --mount --pid --fork --kill-child sh -c '
		mount -t proc proc root/proc && mount -t tmpfs -o mode=1777 shm root/dev/shm &&
		mount --bind "$1" root/var/cache/apt/archives || exit 125
		shift
		exec env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
			PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin chroot root "$@"' \
		sh "$chroot_cache/archives" "$@"
}
