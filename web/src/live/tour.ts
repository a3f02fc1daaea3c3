// The tour of `make demo-ui`: seven steps, each with what it shows and when it is done. The steps
// are data; what they look at is passed in. Pure.

/** What the tour sees of the page. */
export interface Sight {
  overlay: number;
  dock: string | null;
  mode: string;
  links: readonly string[];
  /** Nodes that have an open terminal. */
  shells: readonly string[];
  /** Links that are down now. */
  down: readonly string[];
  /** Links whose rate was changed by request. */
  slowed: readonly string[];
  programs: string;
}

/** The names that the tour speaks of. */
export interface Places {
  bottleneck: string;
  router: string;
  cut: string;
}

export interface Step {
  title: string;
  text: (of: Places) => string;
  done: (sight: Sight, of: Places) => boolean;
}

/** The hog that step 5 starts: for ten seconds, in the node whose shell is open. */
export const HOG = 'for i in 1 2 3; do timeout 10 sh -c "while :; do :; done" & done';

export const STEPS: readonly Step[] = [
  {
    title: 'Watch the bottleneck’s queue',
    text: ({ bottleneck }) =>
      `Two TCP flows share ${bottleneck}. The overlay Queue shows the buffer at its mouth fill and spill; select the link to see it over time.`,
    done: ({ overlay, links }, { bottleneck }) => overlay === 3 && links.includes(bottleneck),
  },
  {
    title: 'Open a shell in a router',
    text: ({ router }) =>
      `A double click on ${router} opens a shell in it: unmodified FRR runs there. Try: vtysh -c 'show ip route ospf'`,
    done: ({ shells }, { router }) => shells.includes(router),
  },
  {
    title: 'Cut a link, and see OSPF go round',
    text: ({ cut }) =>
      `Select ${cut} and press Cut. OSPF notices, and what used it takes another way.`,
    done: ({ down }, { cut }) => down.includes(cut),
  },
  {
    title: 'Change a rate while it is used',
    text: ({ bottleneck }) =>
      `Select ${bottleneck} again and move its rate to a half. The flows follow in a second, and one click puts it back.`,
    done: ({ slowed }, { bottleneck }) => slowed.includes(bottleneck),
  },
  {
    title: 'Overload the machine',
    text: () =>
      `In the shell, start hogs: ${HOG}. The verdict turns, and the overlay Contention names the CPU and the node.`,
    done: ({ programs, overlay }) => programs !== '' && programs !== 'valid' && overlay === 5,
  },
  {
    title: 'See it all in time',
    text: () =>
      'The Timeline has what was planned, what you changed, and hatched the times to leave out.',
    done: ({ dock }) => dock === 'timeline',
  },
  {
    title: 'It is all one file',
    text: () =>
      'The page draws a scenario file. YAML shows it; Git, editors and the command line stay in the picture.',
    done: ({ dock }) => dock === 'yaml',
  },
];

/** Places of a network: those of abilene if it is that, else what it has. */
export function placesOf(
  links: readonly string[],
  routers: readonly string[],
  busiest: string | undefined,
): Places {
  const named = (wanted: string, all: readonly string[]): string =>
    all.includes(wanted) ? wanted : (all[0] ?? '');
  return {
    bottleneck: links.includes('host-seattle--seattle')
      ? 'host-seattle--seattle'
      : (busiest ?? links[0] ?? ''),
    router: named('denver', routers),
    cut: named('denver--kansascity', links),
  };
}
