/* Which frames of a device go through a claim's link. `src/tables.rs` is the other side of the
 * maps.
 *
 * A frame belongs to the user of a socket: the one that sends it, or the one that gets it. What
 * has no such socket is no user's, and only root's claims that hold for everybody take it. */
#include "kernel.h"
#include "packet.h"

LICENSE;
MADE_BY;

/* The device, whether it is a loopback, and by what a frame is known that a claim has had. */
const volatile u32 device = 0;
const volatile u32 is_loopback = 0;
const volatile u32 passed_mark = 0;

enum { MAX_CLAIMS = 4096, MAX_PORTS = 262144, MAX_LEVELS = 16, MAX_WORKERS = 64 };
enum { EVERYBODY = 0xffffffff };

/* Who has claimed, in the order in which they are asked. */
enum tier { OVER, OWN, ROOT, TIERS };
/* What an owner's claims select by. */
enum class {
	PORT_AND_ADDRESS = 1 << 0,
	PORT = 1 << 1,
	ADDRESS = 1 << 2,
	CGROUP = 1 << 3,
};
enum side { ANY, REMOTE, LOCAL };

/* For how long an echo request waits for its answer, and a first fragment for the later ones: as
 * long as the kernel waits for them, in ns. */
static const u64 PATIENCE = 30000000000ull;

/* Number of the claim that is none: what matches passes, whatever else there is. */
enum { PASS = 0xffffffff };

struct claim {
	u64 identity; /* different for each claim that ever was; 0: none */
	u64 cgroup;   /* 0: whatever the cgroup is */
	u32 host_tap; /* what the host sends goes here */
	u32 wire_tap; /* what the host gets */
	u32 cgroup_level;
	u32 worker;
};

/* Numbers of claims count from 1 in all values. */
struct owner_key {
	u32 tier;
	u32 uid;
};

struct owner {
	u32 classes;
	u32 of_all; /* the claim of everything that the owner sends and gets */
};

struct port_key {
	u32 bits;
	u32 tier;
	u32 uid;
	u8 side;
	u8 protocol;
	u16 port;
};

struct address_key {
	u32 bits;
	u32 tier;
	u32 uid;
	u8 side;
	u8 protocol;
	u16 port;
	struct address address;
};

struct cgroup_key {
	u32 tier;
	u32 uid;
	u64 cgroup;
};

/* What is known of a socket of somebody who has claims. */
struct known_socket {
	u64 claim; /* the identity of the claim that took its last frame out */
	u32 uid;
};

struct echo_key {
	struct address local;
	struct address remote;
	u32 id;
};

struct echo {
	u64 until; /* by the monotonic clock, in ns */
	u32 uid;   /* EVERYBODY: two users wait for an answer with this identifier */
	u32 is_answered;
};

/* The same identifier in packets of two users is not the same packet. */
struct fragment_key {
	struct address source;
	struct address destination;
	u32 id;
	u32 uid; /* who sends it from here; EVERYBODY: it comes from elsewhere */
	u16 protocol;
	u16 outwards;
};

struct first_fragment {
	u64 claim; /* its identity */
	u64 until; /* by the monotonic clock, in ns */
	u32 number;
	u32 zero;
};

/* Bit `2 * tier` of `tiers`: it has claims for one user; the next bit: for everybody. */
struct settings {
	u32 tiers;
	u32 cgroup_levels; /* the deepest level at which a claimed cgroup is */
	u64 namespace_cookie;
};

struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(max_entries, 1);
	MAP_OF(key, u32);
	MAP_OF(value, struct settings);
} settings SEC(".maps");

struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(max_entries, MAX_CLAIMS);
	MAP_OF(key, u32);
	MAP_OF(value, struct claim);
} claims SEC(".maps");

/* Until when the frames of a worker's claims go through it, by the monotonic clock. */
struct {
	MAP_IS(type, MAP_ARRAY);
	MAP_IS(map_flags, MAP_MMAPABLE);
	MAP_IS(max_entries, MAX_WORKERS);
	MAP_OF(key, u32);
	MAP_OF(value, u64);
} deadlines SEC(".maps");

struct {
	MAP_IS(type, MAP_HASH);
	MAP_IS(max_entries, MAX_CLAIMS);
	MAP_OF(key, struct owner_key);
	MAP_OF(value, struct owner);
} owners SEC(".maps");

struct {
	MAP_IS(type, MAP_LPM_TRIE);
	MAP_IS(map_flags, MAP_NO_PREALLOC);
	MAP_IS(max_entries, MAX_PORTS);
	MAP_OF(key, struct port_key);
	MAP_OF(value, u32);
} ports SEC(".maps");

struct {
	MAP_IS(type, MAP_LPM_TRIE);
	MAP_IS(map_flags, MAP_NO_PREALLOC);
	MAP_IS(max_entries, MAX_PORTS);
	MAP_OF(key, struct address_key);
	MAP_OF(value, u32);
} addresses SEC(".maps");

struct {
	MAP_IS(type, MAP_HASH);
	MAP_IS(max_entries, MAX_CLAIMS);
	MAP_OF(key, struct cgroup_key);
	MAP_OF(value, u32);
} cgroups SEC(".maps");

struct {
	MAP_IS(type, MAP_SK_STORAGE);
	MAP_IS(map_flags, MAP_NO_PREALLOC);
	MAP_OF(key, int);
	MAP_OF(value, struct known_socket);
} sockets SEC(".maps");

/* Who sent an echo request: its answer has no socket yet. */
struct {
	MAP_IS(type, MAP_LRU_HASH);
	MAP_IS(max_entries, 16384);
	MAP_OF(key, struct echo_key);
	MAP_OF(value, struct echo);
} echoes SEC(".maps");

/* Where the first fragment of a packet went: later ones have no ports. */
struct {
	MAP_IS(type, MAP_LRU_HASH);
	MAP_IS(max_entries, 16384);
	MAP_OF(key, struct fragment_key);
	MAP_OF(value, struct first_fragment);
} fragments SEC(".maps");

/* A frame as a host sees it that sends it, or gets it. */
struct seen {
	struct address remote;
	u32 uid; /* EVERYBODY: nobody's */
	u16 local_port;
	u16 remote_port;
	u8 protocol;
	u8 outwards;
	u64 before; /* the identity of the claim that took the last frame of its socket out */
	struct __sk_buff *frame;
};

static const u32 zero = 0;

INLINE int has_ports(const struct seen *seen)
{
	return (seen->protocol == TCP || seen->protocol == UDP) && (seen->local_port || seen->remote_port);
}

/* The number, if the claim's conditions hold besides those that it was found by. */
INLINE u32 holding(const struct seen *seen, const u32 *found)
{
	struct claim *claim;
	u32 index;

	if (!found)
		return 0;
	if (*found == PASS)
		return PASS;
	index = *found - 1;
	claim = map_lookup(&claims, &index);
	if (!claim || !claim->identity)
		return 0;
	if (!claim->cgroup)
		return *found;
	if (seen->outwards)
		return ancestor_cgroup(seen->frame, claim->cgroup_level) == claim->cgroup ? *found : 0;
	return seen->before == claim->identity ? *found : 0;
}

SUBPROGRAM u32 by_port_and_address(const struct seen *seen, u32 tier, u32 uid, u32 side)
{
	struct address_key key = { .tier = tier, .uid = uid };

	key.bits = 8 * (sizeof(key) - sizeof(key.bits));
	key.address = seen->remote;
	if (side != ANY) {
		key.side = side;
		key.protocol = seen->protocol;
		key.port = side == LOCAL ? seen->local_port : seen->remote_port;
	}
	return holding(seen, map_lookup(&addresses, &key));
}

SUBPROGRAM u32 by_port(const struct seen *seen, u32 tier, u32 uid, u32 side)
{
	struct port_key key = { .tier = tier, .uid = uid };

	key.bits = 8 * (sizeof(key) - sizeof(key.bits));
	key.side = side;
	key.protocol = seen->protocol;
	key.port = side == LOCAL ? seen->local_port : seen->remote_port;
	return holding(seen, map_lookup(&ports, &key));
}

/* The claim of the deepest cgroup. */
SUBPROGRAM u32 by_cgroup(const struct seen *seen, u32 tier, u32 uid)
{
	struct settings *set = map_lookup(&settings, &zero);
	struct cgroup_key key = { .tier = tier, .uid = uid };
	u32 number = 0, *found;

	if (!set || !seen->outwards)
		return 0;
	for (int level = 1; level <= MAX_LEVELS; level++) {
		if ((u32)level > set->cgroup_levels)
			break;
		key.cgroup = ancestor_cgroup(seen->frame, level);
		if (!key.cgroup)
			break;
		found = map_lookup(&cgroups, &key);
		if (found)
			number = *found;
	}
	return number;
}

/* What is claimed in one tier for one owner: the most specific. */
SUBPROGRAM u32 of_owner(const struct seen *seen, u32 tier, u32 uid)
{
	struct owner_key key = { .tier = tier, .uid = uid };
	struct owner *owner = map_lookup(&owners, &key);
	u32 classes, of_all, number;

	if (!owner)
		return 0;
	classes = owner->classes;
	of_all = owner->of_all;
	if (has_ports(seen)) {
		if (classes & PORT_AND_ADDRESS) {
			number = by_port_and_address(seen, tier, uid, REMOTE);
			if (number)
				return number;
			number = by_port_and_address(seen, tier, uid, LOCAL);
			if (number)
				return number;
		}
		if (classes & PORT) {
			number = by_port(seen, tier, uid, REMOTE);
			if (number)
				return number;
			number = by_port(seen, tier, uid, LOCAL);
			if (number)
				return number;
		}
	}
	if (classes & ADDRESS) {
		number = by_port_and_address(seen, tier, uid, ANY);
		if (number)
			return number;
	}
	if (classes & CGROUP) {
		number = by_cgroup(seen, tier, uid);
		if (number)
			return number;
	}
	return holding(seen, &of_all);
}

/* The number of the claim that has the frame; 0 or PASS if none has. */
SUBPROGRAM u32 select_claim(const struct seen *seen, u32 tiers)
{
	u32 number = 0;

	if (tiers & 1 << 2 * OVER && seen->uid != EVERYBODY)
		number = of_owner(seen, OVER, seen->uid);
	if (!number && tiers & 2 << 2 * OVER)
		number = of_owner(seen, OVER, EVERYBODY);
	if (!number && tiers & 1 << 2 * OWN && seen->uid != EVERYBODY)
		number = of_owner(seen, OWN, seen->uid);
	if (!number && tiers & 1 << 2 * ROOT && seen->uid != EVERYBODY)
		number = of_owner(seen, ROOT, seen->uid);
	if (!number && tiers & 2 << 2 * ROOT)
		number = of_owner(seen, ROOT, EVERYBODY);
	return number;
}

/* The claim of that number while its worker is alive. */
INLINE struct claim *live(u32 number)
{
	struct claim *claim;
	u64 *deadline;
	u32 index = number - 1;

	if (!number || number == PASS)
		return 0;
	claim = map_lookup(&claims, &index);
	if (!claim || !claim->identity)
		return 0;
	deadline = map_lookup(&deadlines, &claim->worker);
	return deadline && monotonic_ns() <= *deadline ? claim : 0;
}

/* Sends the frame through a claim's link, if there is one that lives. */
INLINE int detour(struct __sk_buff *frame, struct claim *claim, int outwards)
{
	if (!claim)
		return NEXT;
	/* The guards at the TAPs let this in. */
	frame->mark = passed_mark;
	return redirect(outwards ? claim->host_tap : claim->wire_tap, 0);
}

INLINE void fragment_key(struct fragment_key *key, const struct packet *packet, u32 uid,
			 u32 outwards)
{
	key->source = packet->source;
	key->destination = packet->destination;
	key->id = packet->fragment_id;
	key->uid = uid;
	key->protocol = packet->protocol;
	key->outwards = outwards;
}

/* Keeps in mind where later fragments go. Every first fragment decides anew, since identifiers come
 * again: one that no claim takes ends what an earlier packet has left. */
SUBPROGRAM int note_fragment(const struct packet *packet, u32 number, u32 uid, u32 outwards)
{
	struct first_fragment first = { .number = number };
	struct fragment_key key = {};
	struct claim *claim = live(number);

	if (packet->fragment != FIRST)
		return 0;
	fragment_key(&key, packet, uid, outwards);
	if (!claim && number != PASS) {
		map_delete(&fragments, &key);
		return 0;
	}
	first.claim = claim ? claim->identity : 0;
	first.until = monotonic_ns() + PATIENCE;
	map_update(&fragments, &key, &first, UPDATE_ANY);
	return 0;
}

/* The number of the claim that took the first fragment of the packet, if that is not long ago. */
SUBPROGRAM u32 of_first_fragment(const struct packet *packet, u32 uid, u32 outwards)
{
	struct fragment_key key = {};
	struct first_fragment *first;
	struct claim *claim;

	if (packet->fragment != LATER)
		return 0;
	fragment_key(&key, packet, uid, outwards);
	first = map_lookup(&fragments, &key);
	if (!first || monotonic_ns() > first->until)
		return 0;
	if (first->number == PASS)
		return PASS;
	claim = live(first->number);
	return claim && claim->identity == first->claim ? first->number : 0;
}

/* Whether the user has claims of any kind, so that something must be kept of what they send. */
INLINE int has_claims(u32 uid)
{
	struct owner_key key = { .tier = OWN, .uid = uid };

	if (map_lookup(&owners, &key))
		return 1;
	key.tier = ROOT;
	if (map_lookup(&owners, &key))
		return 1;
	key.tier = OVER;
	return map_lookup(&owners, &key) != 0;
}

/* Keeps with the socket whose it is and which claim its frames go to: inbound frames find the
 * socket, but neither its user nor its cgroup. */
INLINE void note_socket(struct __sk_buff *frame, u32 uid, u64 claim)
{
	struct known_socket *known;
	struct bpf_sock *socket = frame->sk;

	if (!socket)
		return;
	socket = full_socket(socket);
	if (!socket)
		return;
	known = storage(&sockets, socket, 0, STORAGE_CREATE);
	if (known && (known->uid != uid || known->claim != claim)) {
		known->uid = uid;
		known->claim = claim;
	}
}

/* Keeps in mind who waits for the answer to an echo request, whether that user has claims or not.
 * While two users wait for an answer with the same identifier, it is nobody's. */
SUBPROGRAM int note_echo(const struct packet *packet, u32 uid)
{
	struct echo_key key = { .id = packet->source_port };
	u64 now = monotonic_ns();
	struct echo asked = { .until = now + PATIENCE, .uid = uid };
	struct echo *known;

	if (packet->echo != REQUEST)
		return 0;
	key.local = packet->source;
	key.remote = packet->destination;
	known = map_lookup(&echoes, &key);
	if (known && now <= known->until && !known->is_answered && known->uid != uid) {
		known->uid = EVERYBODY;
		return 0;
	}
	map_update(&echoes, &key, &asked, UPDATE_ANY);
	return 0;
}

/* The user who waits for an answer to an echo request; EVERYBODY if that is not known. */
SUBPROGRAM u32 of_request(const struct packet *packet)
{
	struct echo_key key = { .id = packet->destination_port };
	struct echo *known;

	if (packet->echo != REPLY)
		return EVERYBODY;
	key.local = packet->destination;
	key.remote = packet->source;
	known = map_lookup(&echoes, &key);
	if (!known || known->uid == EVERYBODY || monotonic_ns() > known->until)
		return EVERYBODY;
	known->is_answered = 1;
	return known->uid;
}

/* Finds the socket that gets a packet; its user goes into `seen`. */
SUBPROGRAM int find_receiver(struct __sk_buff *frame, const struct packet *packet,
			     struct seen *seen)
{
	union socket_tuple tuple = {};
	struct known_socket *known;
	struct bpf_sock *socket;
	struct sock *inside;
	u32 size = sizeof(tuple.v4);

	if (packet->is_v6) {
		size = sizeof(tuple.v6);
		__builtin_memcpy(tuple.v6.source, &packet->source, 16);
		__builtin_memcpy(tuple.v6.destination, &packet->destination, 16);
		tuple.v6.source_port = packet->source_port;
		tuple.v6.destination_port = packet->destination_port;
	} else {
		tuple.v4.source = packet->source.words[3];
		tuple.v4.destination = packet->destination.words[3];
		tuple.v4.source_port = packet->source_port;
		tuple.v4.destination_port = packet->destination_port;
	}
	if (packet->protocol == TCP)
		socket = lookup_tcp(frame, &tuple, size, THIS_NAMESPACE, 0);
	else
		socket = lookup_udp(frame, &tuple, size, THIS_NAMESPACE, 0);
	if (!socket)
		return 0;
	known = storage(&sockets, socket, 0, 0);
	if (known) {
		seen->uid = known->uid;
		seen->before = known->claim;
	} else if (packet->protocol == TCP) {
		inside = as_tcp(socket);
		if (inside)
			seen->uid = inside->sk_uid.val;
	} else {
		inside = as_udp6(socket);
		if (inside)
			seen->uid = inside->sk_uid.val;
	}
	release(socket);
	return 0;
}

/* A packet that the host gets: whose is it? */
INLINE void look_inwards(struct __sk_buff *frame, const struct packet *packet, u32 tiers,
			 struct seen *seen)
{
	seen->remote = packet->source;
	seen->remote_port = packet->source_port;
	seen->local_port = packet->destination_port;
	seen->protocol = packet->protocol;
	seen->uid = EVERYBODY;
	/* Claims for everybody ask for no user. */
	if (!(tiers & (1 << 2 * OVER | 1 << 2 * OWN | 1 << 2 * ROOT)) || packet->fragment == LATER)
		return;
	if (packet->protocol == TCP || packet->protocol == UDP)
		find_receiver(frame, packet, seen);
	else
		seen->uid = of_request(packet);
}

/* A frame that comes in; `sender` is EVERYBODY unless it comes from this host. */
INLINE int inwards(struct __sk_buff *frame, const struct packet *packet, u32 tiers, u32 sender)
{
	struct seen seen = { .frame = frame };
	u32 number = of_first_fragment(packet, sender, 0);

	if (!number) {
		look_inwards(frame, packet, tiers, &seen);
		number = select_claim(&seen, tiers);
		note_fragment(packet, number, sender, 0);
	}
	return detour(frame, live(number), 0);
}

/* Whether a frame comes back from a claim's link; it is as any other then. */
INLINE int has_passed(struct __sk_buff *frame)
{
	if (frame->mark != passed_mark)
		return 0;
	frame->mark = 0;
	return 1;
}

SEC("classifier/egress")
int egress(struct __sk_buff *frame)
{
	struct settings *set = map_lookup(&settings, &zero);
	struct seen seen = { .frame = frame, .outwards = 1 };
	struct packet packet;
	struct claim *claim;
	u32 number;

	if (has_passed(frame) || !set || !set->tiers || !read_packet(frame, &packet))
		return NEXT;
	seen.remote = packet.destination;
	seen.remote_port = packet.destination_port;
	seen.local_port = packet.source_port;
	seen.protocol = packet.protocol;
	/* Fragments have the socket of their packet. */
	seen.uid = frame->sk ? socket_uid(frame) : EVERYBODY;
	number = of_first_fragment(&packet, seen.uid, 1);
	if (!number) {
		number = select_claim(&seen, set->tiers);
		note_fragment(&packet, number, seen.uid, 1);
	}
	claim = live(number);
	if (seen.uid != EVERYBODY) {
		if (packet.echo)
			note_echo(&packet, seen.uid);
		else if (packet.fragment != LATER && has_claims(seen.uid) &&
			 (packet.protocol == TCP || packet.protocol == UDP))
			note_socket(frame, seen.uid, claim ? claim->identity : 0);
	}
	/* What one program sends to another over a loopback comes in there, too. */
	if (!number && is_loopback)
		return inwards(frame, &packet, set->tiers, seen.uid);
	return detour(frame, claim, 1);
}

SEC("classifier/ingress")
int ingress(struct __sk_buff *frame)
{
	struct settings *set = map_lookup(&settings, &zero);
	struct packet packet;

	if (has_passed(frame) || !set || !set->tiers || !read_packet(frame, &packet))
		return NEXT;
	return inwards(frame, &packet, set->tiers, EVERYBODY);
}

/* Only what a selector has sent goes into a TAP: nothing that the kernel says to a new device. */
SEC("classifier/guard")
int guard(struct __sk_buff *frame)
{
	return has_passed(frame) ? NEXT : DROP;
}

INLINE int back(struct __sk_buff *frame, u64 flags)
{
	if (is_loopback) {
		/* Its address is not the TAP's, but it is for this host. */
		change_type(frame, PACKET_HOST);
		flags = 0;
	}
	frame->mark = passed_mark;
	return redirect(device, flags);
}

/* What the engine writes to the wire's side goes to the wire. */
SEC("classifier/from_wire_tap")
int from_wire_tap(struct __sk_buff *frame)
{
	return back(frame, 0);
}

SEC("classifier/from_host_tap")
int from_host_tap(struct __sk_buff *frame)
{
	return back(frame, REDIRECT_INGRESS);
}

/* A UDP socket that is bound: its user, for what it gets before it sends anything. The kernel
 * tells of TCP sockets when a frame comes. */
INLINE int bound(struct bpf_sock *socket)
{
	struct settings *set = map_lookup(&settings, &zero);
	struct known_socket *known;
	u32 uid = (u32)current_uid_gid();

	if (!set || socket->protocol != UDP || namespace_cookie(socket) != set->namespace_cookie)
		return 1;
	known = storage(&sockets, socket, 0, STORAGE_CREATE);
	if (known)
		known->uid = uid;
	return 1;
}

SEC("cgroup/post_bind4")
int bound_v4(struct bpf_sock *socket)
{
	return bound(socket);
}

SEC("cgroup/post_bind6")
int bound_v6(struct bpf_sock *socket)
{
	return bound(socket);
}
