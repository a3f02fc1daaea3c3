// A made network of a size: nodes in a plane, each joined with some of its nearest. Same seed, same
// network.

/** @typedef {{nodes: [number, number][], links: [number, number][]}} Made */

/** @param {number} nodes @param {number} links @returns {Made} */
export function made(nodes, links) {
  let seed = 11;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const columns = Math.ceil(Math.sqrt(nodes * 1.6));
  const places = Array.from({ length: nodes }, (_, i) => /** @type {[number, number]} */ ([
    ((i % columns) + random() * 0.5) * 100, (Math.floor(i / columns) + random() * 0.5) * 100,
  ]));
  const joined = [];
  for (let k = 0; joined.length < links; k++) {
    const a = k % nodes;
    const step = [1, columns, columns + 1, columns - 1, 2, 2 * columns][Math.floor(k / nodes) % 6];
    const b = a + step;
    if (b < nodes) joined.push(/** @type {[number, number]} */ ([a, b]));
  }
  return { nodes: places, links: joined };
}
