/* Which local ports are kept for one user. `src/reservations.rs` is the other side of the map. */
#include "kernel.h"

LICENSE;
MADE_BY;

/* The network namespace whose ports these are. */
const volatile u64 network = 0;

enum { MAX_PORTS = 262144 };
enum { REFUSE = 0, ALLOW = 1 };

struct port_key {
	u32 bits;
	u8 protocol;
	u8 zero;
	u16 port; /* in network byte order */
};

/* The user who may bind a port. */
struct {
	MAP_IS(type, MAP_LPM_TRIE);
	MAP_IS(map_flags, MAP_NO_PREALLOC);
	MAP_IS(max_entries, MAX_PORTS);
	MAP_OF(key, struct port_key);
	MAP_OF(value, u32);
} reserved SEC(".maps");

/* Root may bind everything. Port 0, for which the kernel chooses one, is never reserved. */
INLINE int may_bind(struct bpf_sock_addr *asked)
{
	struct port_key key = { .bits = 8 * (sizeof(key) - sizeof(key.bits)) };
	u32 uid = (u32)current_uid_gid();
	u32 *holder;

	if (!uid || namespace_cookie(asked) != network)
		return ALLOW;
	key.protocol = (u8)asked->protocol;
	key.port = (u16)asked->user_port;
	holder = map_lookup(&reserved, &key);
	return !holder || *holder == uid ? ALLOW : REFUSE;
}

SEC("cgroup/bind4")
int bind_v4(struct bpf_sock_addr *asked)
{
	return may_bind(asked);
}

SEC("cgroup/bind6")
int bind_v6(struct bpf_sock_addr *asked)
{
	return may_bind(asked);
}
