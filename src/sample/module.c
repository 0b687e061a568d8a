/* SPDX-License-Identifier: Apache-2.0 */
/* The table of modules, and their .eh_frame read from ELF files; see module.h. */
#include "sample/module.h"

#include "base/limits.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ------------------------------------------------------------ the file */

/* An ELF image: a file that is read, never mapped (truncation would cause SIGBUS), or memory. */
struct image {
	int fd; /* -1: memory */
	const uint8_t *bytes;
	uint64_t size;
};

static bool image_read(const struct image *image, uint64_t offset, void *to, size_t len)
{
	size_t done = 0;

	if (offset > image->size || len > image->size - offset)
		return false;
	if (image->fd < 0) {
		memcpy(to, image->bytes + offset, len);
		return true;
	}
	while (done < len) {
		ssize_t n = pread(image->fd, (char *)to + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* Bytes of the image in allocated memory, at most LIMIT. NULL: not possible. */
static uint8_t *image_copy(const struct image *image, uint64_t offset, uint64_t len)
{
	uint8_t *bytes;

	if (!len || len > LIMIT_EH_FRAME || offset > image->size || len > image->size - offset)
		return NULL;
	bytes = malloc((size_t)len);
	if (bytes && !image_read(image, offset, bytes, (size_t)len)) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static void build_id_read(struct module *m, const struct image *image, const Elf64_Phdr *p)
{
	uint8_t bytes[4096];
	size_t size = p->p_filesz < sizeof(bytes) ? (size_t)p->p_filesz : sizeof(bytes), at = 0;

	if (m->build_id[0] || !image_read(image, p->p_offset, bytes, size))
		return;
	while (size - at >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr n;
		size_t name, desc;

		memcpy(&n, bytes + at, sizeof(n));
		name = at + sizeof(n);
		if (n.n_namesz > size || n.n_descsz > size)
			return;
		desc = name + ((n.n_namesz + 3u) & ~3u);
		at = desc + ((n.n_descsz + 3u) & ~3u);
		if (desc > size || at > size)
			return;
		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 ||
		    memcmp(bytes + name, "GNU", 4))
			continue;
		for (size_t i = 0; i < n.n_descsz && i < MODULE_BUILD_ID / 2; i++)
			snprintf(m->build_id + 2 * i, 3, "%02x", bytes[desc + i]);
		return;
	}
}

/* The address of .eh_frame, from the header's pointer to it; 0: none. */
static uint64_t frame_address(const struct cfi_section *header)
{
	int32_t to;

	/* Linkers write DW_EH_PE_pcrel | DW_EH_PE_sdata4. */
	if (header->size < 8 || header->bytes[0] != 1 || header->bytes[1] != 0x1b)
		return 0;
	memcpy(&to, header->bytes + 4, sizeof(to));
	return header->address + 4 + (uint64_t)(int64_t)to;
}

/*
 * .eh_frame up to the end of its segment: the header does not have its end, and entries have their
 * own lengths.
 */
static void frames_read(struct module *m, const struct image *image, const Elf64_Phdr *p)
{
	uint64_t address;

	m->header = image_copy(image, p->p_offset, p->p_filesz);
	if (!m->header)
		return;
	m->cfi.header = (struct cfi_section){m->header, (size_t)p->p_filesz, p->p_vaddr};
	address = frame_address(&m->cfi.header);
	for (unsigned i = 0; address && i < m->segment_count; i++) {
		const struct elf_segment *s = &m->segments[i];
		uint64_t len = s->size - (address - s->address);

		if (address - s->address >= s->size)
			continue;
		if (len > LIMIT_EH_FRAME)
			len = LIMIT_EH_FRAME;
		m->frame = image_copy(image, s->offset + (address - s->address), len);
		if (m->frame)
			m->cfi.frame = (struct cfi_section){m->frame, (size_t)len, address};
		return;
	}
}

/* Static programs have no header: finds the section by its name, and makes an index. */
static void sections_read(struct module *m, const struct image *image, const Elf64_Ehdr *e)
{
	Elf64_Shdr sections[LIMIT_ELF_SECTIONS];
	char name[sizeof(".eh_frame")];

	if (e->e_shentsize != sizeof(sections[0]) || e->e_shnum > LIMIT_ELF_SECTIONS ||
	    e->e_shstrndx >= e->e_shnum ||
	    !image_read(image, e->e_shoff, sections, e->e_shnum * sizeof(sections[0])))
		return;
	for (unsigned i = 0; i < e->e_shnum && !m->frame; i++) {
		const Elf64_Shdr *s = &sections[i];
		size_t room = CFI_INDEX_ROOM(s->sh_size), size;

		if (s->sh_size > LIMIT_EH_FRAME || s->sh_type == SHT_NOBITS ||
		    !image_read(image, sections[e->e_shstrndx].sh_offset + s->sh_name, name,
				sizeof(name)) ||
		    memcmp(name, ".eh_frame", sizeof(name)) != 0)
			continue;
		m->frame = image_copy(image, s->sh_offset, s->sh_size);
		m->header = m->frame ? malloc(room) : NULL;
		if (!m->header)
			return;
		m->cfi.frame = (struct cfi_section){m->frame, s->sh_size, s->sh_addr};
		size = cfi_index(&m->cfi.frame, m->header, room);
		m->cfi.header = (struct cfi_section){m->header, size, s->sh_addr};
	}
}

static bool image_load(struct module *m, const struct image *image)
{
	Elf64_Phdr headers[LIMIT_ELF_SEGMENTS];
	Elf64_Ehdr e;
	unsigned n;

	if (!image_read(image, 0, &e, sizeof(e)) || memcmp(e.e_ident, ELFMAG, SELFMAG) ||
	    e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_ident[EI_DATA] != ELFDATA2LSB ||
	    e.e_phentsize != sizeof(headers[0]))
		return false;
	n = e.e_phnum < LIMIT_ELF_SEGMENTS ? e.e_phnum : LIMIT_ELF_SEGMENTS;
	if (!image_read(image, e.e_phoff, headers, n * sizeof(headers[0])))
		return false;
	m->entry = e.e_entry;
	for (unsigned i = 0; i < n; i++)
		if (headers[i].p_type == PT_LOAD)
			m->segments[m->segment_count++] = (struct elf_segment){
				headers[i].p_offset, headers[i].p_vaddr, headers[i].p_filesz};
	for (unsigned i = 0; i < n; i++) {
		if (headers[i].p_type == PT_GNU_EH_FRAME && !m->header)
			frames_read(m, image, &headers[i]);
		else if (headers[i].p_type == PT_NOTE)
			build_id_read(m, image, &headers[i]);
	}
	if (!m->header)
		sections_read(m, image, &e);
	return true;
}

bool module_load_bytes(struct module *m, const uint8_t *bytes, size_t size)
{
	struct image image = {-1, bytes, size};

	m->tried = true;
	m->readable = image_load(m, &image);
	return m->readable;
}

/*
 * Opens the file in the process's own view of the file system if it is alive. Root opens it with
 * the rights of the process: otherwise it would read files for the process that it may not read.
 */
static int module_open(const struct module *m, pid_t pid)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
	char path[4200];
	struct stat st;
	uid_t owner = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	if (geteuid() == 0 && stat(path, &st) == 0)
		owner = st.st_uid;
	if (owner)
		setfsuid(owner);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, m->path);
	fd = open(path, flags);
	if (fd < 0)
		fd = open(m->path, flags);
	if (owner)
		setfsuid(geteuid());
	return fd;
}

/* True if the file is still the mapped one. Overlays show another device: the inode decides. */
static bool module_is_same(const struct module *m, const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_ino == m->inode;
}

void module_load(struct module *m, pid_t pid)
{
	struct image image;
	struct stat st;

	if (m->tried)
		return;
	m->tried = true;
	if (m->kind == MODULE_VDSO) {
		const uint8_t *bytes = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);

		/*
		 * The kernel maps whole pages, at least one; this is the kernel's own code, whose
		 * headers have its length.
		 */
		if (bytes) {
			Elf64_Ehdr e;

			memcpy(&e, bytes, sizeof(e));
			module_load_bytes(m, bytes,
					  (size_t)(e.e_shoff + e.e_shnum * e.e_shentsize));
		}
		m->tried = true;
		return;
	}
	if (m->kind != MODULE_FILE || m->path[0] != '/')
		return;
	image.fd = module_open(m, pid);
	if (image.fd < 0)
		return;
	if (fstat(image.fd, &st) == 0 && module_is_same(m, &st)) {
		image.size = (uint64_t)st.st_size;
		m->readable = image_load(m, &image);
	}
	close(image.fd);
}

/* The symbols of one section, and its strings. */
static void symbols_search(const struct image *image, const Elf64_Shdr *symbols,
			   const Elf64_Shdr *strings, const char *const *names,
			   struct module_symbol *found, size_t count)
{
	uint8_t *bytes = image_copy(image, symbols->sh_offset, symbols->sh_size);
	char *text = (char *)image_copy(image, strings->sh_offset, strings->sh_size);

	for (uint64_t i = 0; bytes && text && i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
		Elf64_Sym sym;

		memcpy(&sym, bytes + i * sizeof(sym), sizeof(sym));
		if (sym.st_name >= strings->sh_size || sym.st_shndx == SHN_UNDEF)
			continue;
		for (size_t k = 0; k < count; k++) {
			size_t len = strlen(names[k]) + 1;

			if (len <= strings->sh_size - sym.st_name &&
			    !memcmp(text + sym.st_name, names[k], len))
				found[k] = (struct module_symbol){sym.st_value, sym.st_size};
		}
	}
	free(bytes);
	free(text);
}

bool module_find_symbols(const struct module *m, pid_t pid, const char *const *names,
			 struct module_symbol *found, size_t count)
{
	struct image image = {.fd = module_open(m, pid)};
	Elf64_Shdr sections[LIMIT_ELF_SECTIONS];
	struct stat st;
	Elf64_Ehdr e;
	bool read;

	if (image.fd < 0)
		return false;
	read = fstat(image.fd, &st) == 0 && module_is_same(m, &st);
	image.size = read ? (uint64_t)st.st_size : 0;
	read = read && image_read(&image, 0, &e, sizeof(e)) &&
	       e.e_shentsize == sizeof(sections[0]) && e.e_shnum <= LIMIT_ELF_SECTIONS &&
	       image_read(&image, e.e_shoff, sections, e.e_shnum * sizeof(sections[0]));
	for (unsigned i = 0; read && i < e.e_shnum; i++)
		if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < e.e_shnum)
			symbols_search(&image, &sections[i], &sections[sections[i].sh_link], names,
				       found, count);
	close(image.fd);
	return read;
}

bool module_address(const struct module *m, uint64_t offset, uint64_t *address)
{
	for (unsigned i = 0; i < m->segment_count; i++) {
		const struct elf_segment *s = &m->segments[i];

		if (offset - s->offset < s->size) {
			*address = offset - s->offset + s->address;
			return true;
		}
	}
	return false;
}

/* ----------------------------------------------------------- the table */

static void module_free(struct module *m)
{
	free(m->path);
	free(m->header);
	free(m->frame);
	free(m);
}

void modules_free(struct modules *m)
{
	for (size_t i = 0; i < m->list.n; i++)
		module_free(m->list.v[i]);
	vec_free(&m->list);
	vec_free(&m->next);
	map_free(&m->by_key);
}

static struct module *module_add(struct modules *m, enum module_kind kind, const char *path,
				 uint64_t device, uint64_t inode)
{
	struct module *new;

	if (m->list.n >= LIMIT_MODULES)
		return NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	*new = (struct module){.id = (uint32_t)m->list.n,
			       .kind = kind,
			       .device = device,
			       .inode = inode,
			       .path = strdup(path)};
	if (!new->path || vec_push(&m->next, 0) < 0 || vec_push(&m->list, new) < 0) {
		module_free(new);
		return NULL;
	}
	return new;
}

int modules_init(struct modules *m)
{
	memset(m, 0, sizeof(*m));
	return module_add(m, MODULE_SPECIAL, "", 0, 0) ? 0 : TACHO_ENOMEM;
}

struct module *modules_get(struct modules *m, enum module_kind kind, const char *path,
			   uint64_t device, uint64_t inode, bool *added)
{
	uint64_t numbers[] = {(uint64_t)kind, device, inode};
	uint64_t key = hash_text(hash_bytes(HASH_START, numbers, sizeof(numbers)), path);
	uint32_t *first = map_get(&m->by_key, key), id = first ? *first : 0;
	struct module *new;

	*added = false;
	for (; id; id = m->next.v[id]) {
		struct module *old = m->list.v[id];

		if (old->kind == kind && old->device == device && old->inode == inode &&
		    !strcmp(old->path, path))
			return old;
	}
	new = module_add(m, kind, path, device, inode);
	if (!new)
		return NULL;
	if (first)
		m->next.v[new->id] = *first;
	if (map_set(&m->by_key, key, new->id) < 0)
		return NULL;
	*added = true;
	return new;
}
