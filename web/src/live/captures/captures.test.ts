import { describe as group, expect, it } from 'vitest';
import { describe, LINK_ETHERNET } from './frames';
import { KEPT, PcapngReader } from './pcapng';
import { command, fileName, placesOf, timeOfDay } from './targets';

/** A block of pcapng, little-endian. */
function block(kind: number, body: number[]): Uint8Array {
  const padded = [...body, ...Array(3 - ((body.length + 3) % 4)).fill(0)];
  const length = padded.length + 12;
  return Uint8Array.from([...u32(kind), ...u32(length), ...padded, ...u32(length)]);
}
const u16 = (of: number): number[] => [of & 255, of >> 8];
const u32 = (of: number): number[] => [...u16(of & 0xffff), ...u16(of >>> 16)];
const text = (of: string): number[] => [...new TextEncoder().encode(of)];
function option(code: number, value: number[]): number[] {
  return [
    ...u16(code),
    ...u16(value.length),
    ...value,
    ...Array(3 - ((value.length + 3) % 4)).fill(0),
  ];
}
const section = (): Uint8Array =>
  block(0x0a0d0d0a, [...u32(0x1a2b3c4d), ...u16(1), ...u16(0), ...Array(8).fill(255)]);
const face = (name: string): Uint8Array =>
  block(1, [...u16(1), 0, 0, ...u32(0), ...option(2, text(name)), ...option(0, [])]);
function packet(on: number, bytes: number[], comment = ''): Uint8Array {
  const padded = [...bytes, ...Array(3 - ((bytes.length + 3) % 4)).fill(0)];
  const time = 1_700_000_000n * 1_000_000_000n + 5000n;
  return block(6, [
    ...u32(on),
    ...u32(Number(time >> 32n)),
    ...u32(Number(time & 0xffffffffn)),
    ...u32(bytes.length),
    ...u32(bytes.length),
    ...padded,
    ...(comment ? option(1, text(comment)) : []),
    ...option(2, u32(1)),
    ...option(0, []),
  ]);
}
const PING = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00].concat([
  0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0, 0, 0, 0, 0, 0, 0,
]);
const join = (parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((of) => [...of]));

group('pcapng', () => {
  const file = join([
    section(),
    face('a:eth1'),
    face('a:eth1 drops'),
    packet(0, PING),
    packet(1, PING, 'netloom: dropped queue_full'),
    block(5, [...u32(0), ...u32(0), ...u32(0), ...option(5, [...u32(3), ...u32(0)])]),
  ]);
  it('is read in whatever pieces it comes', () => {
    for (const size of [1, 3, 7, 64, file.length]) {
      const reader = new PcapngReader();
      for (let at = 0; at < file.length; at += size) reader.push(file.slice(at, at + size));
      expect([reader.frames, reader.dropped, reader.missed]).toEqual([2, 1, 3]);
      expect(reader.bytes).toBe(file.length);
      expect(reader.last[1]).toMatchObject({
        seconds: 1_700_000_000,
        nanos: 5000,
        direction: 'in',
        comment: 'netloom: dropped queue_full',
      });
    }
  });
  it('is refused when it is none, and only the last frames are kept', () => {
    expect(() => new PcapngReader().push(new Uint8Array(40))).toThrow('not pcapng');
    const lies = packet(0, PING);
    new DataView(lies.buffer).setUint32(20, 5000, true);
    expect(() => new PcapngReader().push(join([section(), lies]))).toThrow('longer than its block');
    const reader = new PcapngReader();
    reader.push(
      join([section(), face('x'), ...Array.from({ length: KEPT + 5 }, () => packet(0, PING))]),
    );
    expect([reader.frames, reader.last.length, reader.last[0]?.number]).toEqual([
      KEPT + 5,
      KEPT,
      6,
    ]);
  });
});

group('frames', () => {
  it('are described by addresses and protocol', () => {
    expect(describe(LINK_ETHERNET, Uint8Array.from(PING))).toEqual({
      from: '10.0.0.1',
      to: '10.0.0.2',
      protocol: 'ICMP',
    });
    const udp = [...PING];
    [udp[23], udp[34], udp[35], udp[36], udp[37]] = [17, 0, 53, 0x30, 0x39];
    expect(describe(LINK_ETHERNET, Uint8Array.from(udp))).toMatchObject({
      from: '10.0.0.1:53',
      to: '10.0.0.2:12345',
    });
    const tagged = [...PING.slice(0, 12), 0x81, 0, 0, 7, ...PING.slice(12)];
    expect(describe(LINK_ETHERNET, Uint8Array.from(tagged)).protocol).toBe('VLAN 7 ICMP');
    const ack = [0, 0, 8, 0, 0, 0, 0, 0, 0xd4, 0, 0, 0, 2, 0, 0, 0, 0, 9];
    expect(describe(127, Uint8Array.from(ack))).toEqual({
      from: '',
      to: '02:00:00:00:00:09',
      protocol: 'ACK',
    });
  });
  it('of any bytes at all are described without an error', () => {
    let seed = 7;
    const random = (): number => (seed = (seed * 16807) % 2147483647) & 255;
    for (let k = 0; k < 4000; k++) {
      const bytes = Uint8Array.from({ length: random() % 90 }, random);
      if (bytes.length > 14 && k % 2 === 0) bytes.set([0x86, 0xdd], 12);
      expect(typeof describe(k % 3 === 0 ? 127 : 1, bytes).protocol).toBe('string');
    }
  });
});

group('places', () => {
  it('are interfaces, media, and both ends of a link', () => {
    const network = {
      link: (name: string) =>
        name === 'wire'
          ? {
              endpoints: [
                { node: 'a', interface: 'e1' },
                { node: 'b', interface: 'e2' },
              ],
            }
          : undefined,
    } as never;
    expect(placesOf('wire', network)).toEqual(['a:e1', 'b:e2']);
    expect(placesOf('medium:air', network)).toEqual(['medium:air']);
    expect(placesOf('nothing', network)).toEqual([]);
    expect(command("a:e'1", 'lab', true)).toBe(
      `netloom capture 'a:e'\\''1@lab' --drops -w - | wireshark -k -i -`,
    );
    expect(fileName('lab', 'a:eth1')).toBe('lab-a-eth1.pcapng');
    expect(timeOfDay(1_700_000_000, 123_456)).toBe('22:13:20.000123');
  });
});
