// What a frame is, in a line: addresses, protocol, ports. Pure; every length is checked, since
// frames may hold anything.

export const LINK_ETHERNET = 1;
const LINK_RADIOTAP = 127;

export interface Described {
  readonly from: string;
  readonly to: string;
  readonly protocol: string;
}

const PROTOCOLS: Readonly<Record<number, string>> = {
  1: 'ICMP',
  2: 'IGMP',
  4: 'IPv4 in IP',
  6: 'TCP',
  17: 'UDP',
  41: 'IPv6 in IP',
  47: 'GRE',
  50: 'ESP',
  58: 'ICMPv6',
  89: 'OSPF',
  103: 'PIM',
  112: 'VRRP',
  132: 'SCTP',
};
const TYPES: Readonly<Record<number, string>> = {
  0x0806: 'ARP',
  0x86dd: 'IPv6',
  0x0800: 'IPv4',
  0x8847: 'MPLS',
  0x88cc: 'LLDP',
};

/** Describes a frame; what is cut short is said as far as it goes. */
export function describe(linktype: number, bytes: Uint8Array): Described {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (linktype === LINK_ETHERNET) return ethernet(view);
    if (linktype === LINK_RADIOTAP) return wireless(view);
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    return { from: '', to: '', protocol: 'cut short' };
  }
  return { from: '', to: '', protocol: `link type ${linktype}` };
}

function mac(view: DataView, at: number): string {
  const parts = [0, 1, 2, 3, 4, 5].map((i) =>
    view
      .getUint8(at + i)
      .toString(16)
      .padStart(2, '0'),
  );
  const text = parts.join(':');
  return text === 'ff:ff:ff:ff:ff:ff' ? 'all' : text;
}

function ethernet(view: DataView): Described {
  let at = 12;
  let tag = '';
  while (view.getUint16(at) === 0x8100 || view.getUint16(at) === 0x88a8) {
    tag += `VLAN ${view.getUint16(at + 2) & 0xfff} `;
    at += 4;
  }
  const type = view.getUint16(at);
  const plain = { from: mac(view, 6), to: mac(view, 0) };
  const inner = payload(view, at + 2, type);
  return { ...plain, ...inner, protocol: tag + inner.protocol };
}

/** What a frame of this type carries; addresses are absent if it has none of its own. */
function payload(
  view: DataView,
  at: number,
  type: number,
): Partial<Described> & { protocol: string } {
  if (type === 0x0800) return ipv4(view, at);
  if (type === 0x86dd) return ipv6(view, at);
  if (type === 0x0806 && view.getUint16(at) === 1) {
    const [asks, of] = [view.getUint16(at + 6) === 1, (k: number) => v4(view, at + k)];
    return { from: of(14), to: of(24), protocol: asks ? 'ARP who has' : 'ARP is at' };
  }
  if (type <= 1500) return { protocol: view.getUint16(at) === 0x4242 ? 'spanning tree' : 'LLC' };
  return { protocol: TYPES[type] ?? `type 0x${type.toString(16).padStart(4, '0')}` };
}

const v4 = (view: DataView, at: number): string =>
  [0, 1, 2, 3].map((i) => view.getUint8(at + i)).join('.');

function ipv4(view: DataView, at: number): Described {
  const header = (view.getUint8(at) & 15) * 4;
  const later = (view.getUint16(at + 6) & 0x1fff) !== 0;
  const above = transport(view, at + header, view.getUint8(at + 9), later);
  return {
    from: v4(view, at + 12) + above.from,
    to: v4(view, at + 16) + above.to,
    protocol: above.name,
  };
}

function ipv6(view: DataView, at: number): Described {
  let [next, then] = [view.getUint8(at + 6), at + 40];
  // Hop-by-hop, routing and destination options.
  while (next === 0 || next === 43 || next === 60) {
    const skipped = (view.getUint8(then + 1) + 1) * 8;
    [next, then] = [view.getUint8(then), then + skipped];
  }
  const above = transport(view, then, next, false);
  return {
    from: v6(view, at + 8, above.from),
    to: v6(view, at + 24, above.to),
    protocol: above.name,
  };
}

function v6(view: DataView, at: number, port: string): string {
  const words = Array.from({ length: 8 }, (_, i) => view.getUint16(at + 2 * i).toString(16));
  const text = words
    .join(':')
    .replace(/\b0(:0)+\b/, '::')
    .replace(/:{3,}/, '::');
  return port === '' ? text : `[${text}]${port}`;
}

function transport(
  view: DataView,
  at: number,
  protocol: number,
  later: boolean,
): { from: string; to: string; name: string } {
  const name = PROTOCOLS[protocol] ?? `IP protocol ${protocol}`;
  const ports = protocol === 6 || protocol === 17 || protocol === 132;
  if (later) return { from: '', to: '', name: `${name}, a later fragment` };
  if (!ports || view.byteLength < at + 4) return { from: '', to: '', name };
  return { from: `:${view.getUint16(at)}`, to: `:${view.getUint16(at + 2)}`, name };
}

const CONTROL: Readonly<Record<number, string>> = {
  8: 'block ack request',
  9: 'block ack',
  10: 'PS-Poll',
  11: 'RTS',
  12: 'CTS',
  13: 'ACK',
};
const MANAGEMENT: Readonly<Record<number, string>> = {
  0: 'association',
  1: 'association',
  4: 'probe',
  5: 'probe',
  8: 'beacon',
};

/** 802.11 behind radiotap. */
function wireless(view: DataView): Described {
  const at = view.getUint16(2, true);
  const [control, flags] = [view.getUint8(at), view.getUint8(at + 1)];
  const [type, subtype] = [(control >> 2) & 3, control >> 4];
  const again = (flags & 8) !== 0 ? ', again' : '';
  const to = mac(view, at + 4);
  if (type === 1) {
    const from = subtype === 12 || subtype === 13 ? '' : mac(view, at + 10);
    return { from, to, protocol: CONTROL[subtype] ?? `802.11 control ${subtype}` };
  }
  const from = mac(view, at + 10);
  if (type === 0)
    return { from, to, protocol: MANAGEMENT[subtype] ?? `802.11 management ${subtype}` };
  const header = at + 24 + (subtype & 8 ? 2 : 0) + ((flags & 3) === 3 ? 6 : 0);
  if (view.byteLength < header + 8 || view.getUint16(header) !== 0xaaaa) {
    return { from, to, protocol: `802.11 data${again}` };
  }
  const inner = payload(view, header + 8, view.getUint16(header + 6));
  return { from, to, ...inner, protocol: `802.11 ${inner.protocol}${again}` };
}
