const paths = {
  plus: "M12 5v14M5 12h14",
  pen: "M4 20h4L19 9l-4-4L4 16v4M13.5 6.5l4 4",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4 4",
  menu: "M4 6h16M4 12h16M4 18h16",
  side: "M4 5h16v14H4zM9.5 5v14",
  close: "M6 6l12 12M18 6L6 18",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 12.5l4.5 4.5L19 7",
  again: "M19 8a8 8 0 1 0 1 6M20 4v5h-5",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  up: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14.500 7",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M13 4.500h4v5h-4zM7 14.500h4v5H7z",
  globe:
    "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17M3.500 12h17M12 3.500c5 5 5 12 0 17M12 3.500c-5 5-5 12 0 17",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400",
  moon: "M20 14.500A8.500 8.500 0 0 1 9.500 4a8.500 8.500 0 1 0 10.500 10.500z",
  help: "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17M9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.3-1 .8-1 1.700M12 16.500h.01",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  down_to: "M12 4v11M7 11l5 5 5-5M5 20h14",
  good: "M7 11v9H4v-9zM7 11l4-7c1.500 0 2.500 1 2 3l-.7 3H18c1.500 0 2.300 1.200 2 2.500l-1.300 5.500c-.3 1.200-1 2-2.200 2H7",
  bad: "M7 13V4H4v9zM7 13l4 7c1.500 0 2.500-1 2-3l-.7-3H18c1.500 0 2.300-1.200 2-2.500L18.700 6c-.3-1.200-1-2-2.200-2H7",
  file: "M6 3h8l4 4v14H6zM14 3v4h4",
  bars: "M4 6h8M8 12h8M13 18h7",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.500 9h.01",
} as const;

export type IconName = keyof typeof paths;

/** Draws a sign that stands beside or for a word; what it means is said by the label of its control. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
