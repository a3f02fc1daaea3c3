/* The headers of a frame, as far as claims ask for them. */
#ifndef NETLOOM_PACKET_H
#define NETLOOM_PACKET_H

#include "kernel.h"

enum { ETHERNET_BYTES = 14 };
/* In network byte order, as the frame has them. */
enum { IPV4 = 0x0008, IPV6 = 0xdd86 };
enum { ICMP = 1, TCP = 6, UDP = 17, FRAGMENT = 44, ICMPV6 = 58 };
enum { ECHO_REQUEST = 8, ECHO_REPLY = 0, ECHO_REQUEST_V6 = 128, ECHO_REPLY_V6 = 129 };

/* An IPv4 address is in the last four bytes, behind ten zeros and two bytes 0xff. */
struct address {
	u32 words[4];
};

enum fragment { WHOLE, FIRST, LATER };
enum echo_kind { NO_ECHO, REQUEST, REPLY };

/* Ports in network byte order. An echo has its identifier as both ports. */
struct packet {
	struct address source;
	struct address destination;
	u32 fragment_id;
	u16 source_port;
	u16 destination_port;
	u8 protocol;
	u8 is_v6;
	u8 fragment;
	u8 echo;
};

struct ipv4_header {
	u8 version_and_words;
	u8 dscp_and_ecn;
	u16 bytes;
	u16 id;
	u16 fragment;
	u8 hops;
	u8 protocol;
	u16 checksum;
	u32 source;
	u32 destination;
};

struct ipv6_header {
	u32 version_class_and_flow;
	u16 bytes;
	u8 next;
	u8 hops;
	struct address source;
	struct address destination;
};

struct fragment_header {
	u8 next;
	u8 reserved;
	u16 offset;
	u32 id;
};

struct echo_header {
	u8 type;
	u8 code;
	u16 checksum;
	u16 id;
};

#define SWAP16(value) __builtin_bswap16(value)

INLINE void fragment_of(struct packet *packet, u32 offset, int more)
{
	packet->fragment = offset ? LATER : more ? FIRST : WHOLE;
}

/* Reads what follows the headers of the network layer: ports, or the identifier of an echo. */
INLINE int read_ports(struct __sk_buff *frame, struct packet *packet, u32 at)
{
	struct echo_header echo;

	if (packet->fragment == LATER)
		return 1;
	if (packet->protocol == TCP || packet->protocol == UDP)
		return !load_bytes(frame, at, &packet->source_port, 4);
	if (packet->protocol != ICMP && packet->protocol != ICMPV6)
		return 1;
	if (load_bytes(frame, at, &echo, sizeof(echo)))
		return 0;
	if (echo.type == (packet->is_v6 ? ECHO_REQUEST_V6 : ECHO_REQUEST))
		packet->echo = REQUEST;
	else if (echo.type == (packet->is_v6 ? ECHO_REPLY_V6 : ECHO_REPLY))
		packet->echo = REPLY;
	if (packet->echo) {
		packet->source_port = echo.id;
		packet->destination_port = echo.id;
	}
	return 1;
}

INLINE int read_v4(struct __sk_buff *frame, struct packet *packet)
{
	struct ipv4_header header;
	u16 fragment;

	if (load_bytes(frame, ETHERNET_BYTES, &header, sizeof(header)))
		return 0;
	packet->source.words[2] = packet->destination.words[2] = 0xffff0000;
	packet->source.words[3] = header.source;
	packet->destination.words[3] = header.destination;
	packet->protocol = header.protocol;
	packet->fragment_id = header.id;
	fragment = SWAP16(header.fragment);
	fragment_of(packet, fragment & 0x1fff, fragment & 0x2000);
	return read_ports(frame, packet, ETHERNET_BYTES + (header.version_and_words & 0xf) * 4);
}

INLINE int read_v6(struct __sk_buff *frame, struct packet *packet)
{
	u32 at = ETHERNET_BYTES + sizeof(struct ipv6_header);
	struct ipv6_header header;
	struct fragment_header fragment;
	u16 offset;

	if (load_bytes(frame, ETHERNET_BYTES, &header, sizeof(header)))
		return 0;
	packet->is_v6 = 1;
	packet->source = header.source;
	packet->destination = header.destination;
	packet->protocol = header.next;
	if (header.next == FRAGMENT) {
		if (load_bytes(frame, at, &fragment, sizeof(fragment)))
			return 0;
		packet->protocol = fragment.next;
		packet->fragment_id = fragment.id;
		offset = SWAP16(fragment.offset);
		fragment_of(packet, offset >> 3, offset & 1);
		at += sizeof(fragment);
	}
	return read_ports(frame, packet, at);
}

/* Reads an IP packet; 0 if the frame is none, or is broken. */
INLINE int read_packet(struct __sk_buff *frame, struct packet *packet)
{
	__builtin_memset(packet, 0, sizeof(*packet));
	if (frame->protocol == IPV4)
		return read_v4(frame, packet);
	return frame->protocol == IPV6 && read_v6(frame, packet);
}

#endif
