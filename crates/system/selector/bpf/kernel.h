/* What the programs need of the kernel: its interface for tc programs, and of its own types only
 * the fields that are read, which the loader finds by name in the running kernel (CO-RE). */
#ifndef NETLOOM_KERNEL_H
#define NETLOOM_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define INLINE static inline __attribute__((always_inline))
#define SUBPROGRAM static __attribute__((noinline))

/* How maps are declared: the loader reads the types of these fields. */
#define MAP_IS(name, value) int (*name)[value]
#define MAP_OF(name, type) type *name

enum map_type {
	MAP_HASH = 1,
	MAP_ARRAY = 2,
	MAP_LRU_HASH = 9,
	MAP_LPM_TRIE = 11,
	MAP_SK_STORAGE = 24,
};

enum map_flag { MAP_NO_PREALLOC = 1 << 0, MAP_MMAPABLE = 1 << 10 };
enum { UPDATE_ANY = 0, STORAGE_CREATE = 1 };
enum { THIS_NAMESPACE = -1 };

/* What a tc program answers: the next program decides, or the frame goes no further. */
enum verdict { NEXT = -1, DROP = 2 };
/* To the receiving side of a device, not to its sending side. */
enum { REDIRECT_INGRESS = 1 };
enum { PACKET_HOST = 0 };

struct bpf_sock {
	u32 bound_dev_if;
	u32 family;
	u32 type;
	u32 protocol;
};

struct __sk_buff {
	u32 len;
	u32 pkt_type;
	u32 mark;
	u32 queue_mapping;
	u32 protocol;
	u32 before_sk[37];
	struct bpf_sock *sk;
};
_Static_assert(__builtin_offsetof(struct __sk_buff, sk) == 168, "the kernel's interface");

/* What bind() is asked for. */
struct bpf_sock_addr {
	u32 user_family;
	u32 user_ip4;
	u32 user_ip6[4];
	u32 user_port; /* in network byte order */
	u32 family;
	u32 type;
	u32 protocol;
};

/* The tuple of a socket, in network byte order. */
union socket_tuple {
	struct {
		u32 source;
		u32 destination;
		u16 source_port;
		u16 destination_port;
	} v4;
	struct {
		u32 source[4];
		u32 destination[4];
		u16 source_port;
		u16 destination_port;
	} v6;
};

static void *(*const map_lookup)(void *map, const void *key) = (void *)1;
static long (*const map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*const map_delete)(void *map, const void *key) = (void *)3;
static u64 (*const monotonic_ns)(void) = (void *)5;
static u64 (*const current_uid_gid)(void) = (void *)15;
static long (*const redirect)(u32 interface, u64 flags) = (void *)23;
static long (*const load_bytes)(const void *frame, u32 offset, void *to, u32 size) = (void *)26;
static long (*const change_type)(struct __sk_buff *frame, u32 type) = (void *)32;
static u32 (*const socket_uid)(struct __sk_buff *frame) = (void *)47;
static u64 (*const ancestor_cgroup)(struct __sk_buff *frame, int level) = (void *)83;
static struct bpf_sock *(*const lookup_tcp)(void *context, union socket_tuple *tuple, u32 size,
					    u64 namespace, u64 flags) = (void *)84;
static struct bpf_sock *(*const lookup_udp)(void *context, union socket_tuple *tuple, u32 size,
					    u64 namespace, u64 flags) = (void *)85;
static long (*const release)(void *socket) = (void *)86;
static struct bpf_sock *(*const full_socket)(struct bpf_sock *socket) = (void *)95;
static void *(*const storage)(void *map, void *socket, void *value, u64 flags) = (void *)107;
static u64 (*const namespace_cookie)(void *context) = (void *)122;
static void *(*const as_tcp)(void *socket) = (void *)137;
static void *(*const as_udp6)(void *socket) = (void *)140;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	u32 val;
} kuid_t;

struct sock {
	kuid_t sk_uid;
};

#pragma clang attribute pop

/* The programs have no secrets; some helpers are for GPL-compatible programs only. */
#define LICENSE char program_license[] SEC("license") = "Dual MIT/GPL"
/* Which compiler made the object: the test that compares it with its source needs the same. */
#define MADE_BY const char program_made_by[] SEC("made_by") = __VERSION__

#endif
