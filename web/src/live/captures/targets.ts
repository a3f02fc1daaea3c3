// Where can be captured, and the command that does the same. Pure.

import type { Network } from '../network';

/** The places that a text means: an interface, a medium, or the two ends of a link of that name. */
export function placesOf(text: string, network: Network | null): string[] {
  const link = network?.link(text);
  if (link) return link.endpoints.map((end) => `${end.node}:${end.interface}`);
  // The engine knows best which interfaces there are.
  return /^[^\s:]+:\S+$/.test(text) ? [text] : [];
}

/** All places, to choose from. */
export function choices(network: Network | null, media: readonly { name: string }[]): string[] {
  return [
    ...media.map(({ name }) => `medium:${name}`),
    ...(network?.linkNames ?? []),
    ...(network?.nodes ?? []).flatMap((node) =>
      node.interfaces.map((of) => `${node.name}:${of.name}`),
    ),
  ];
}

/** The command that shows a capture in Wireshark as it goes on. */
export function command(place: string, experiment: string, drops: boolean): string {
  const text = `${place}@${experiment}`;
  const word = /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  return `netloom capture ${word}${drops ? ' --drops' : ''} -w - | wireshark -k -i -`;
}

/** The name of a file with a capture. */
export const fileName = (experiment: string, place: string): string =>
  `${experiment}-${place}.pcapng`.replaceAll(/[^\w.-]+/g, '-');

/** A time of day in UTC to the microsecond: `12:03:04.000123`. */
export function timeOfDay(seconds: number, nanos: number): string {
  const day = new Date(seconds * 1000).toISOString().slice(11, 19);
  return `${day}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}`;
}
